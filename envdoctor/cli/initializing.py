"""`envdoctor init`: what a project writes down once, so that each commit is examined."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path

from envdoctor.cli.files import read_text, write_whole
from envdoctor.config.toml_text import toml
from envdoctor.discovery.contents import Contents, Environment
from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.verdict.baseline import NAME

TABLE = "tool.envdoctor"
BASELINE = f'baseline = "{NAME}"'
WITHOUT = f'# {BASELINE}  # after `envdoctor baseline --reason "..."`'
NEXT = (
    "envdoctor check  # what is wrong today\n"
    'envdoctor baseline --reason "..."  # write down what may pass until it is mended\n'
)
REASON = "there when envdoctor was set up"
GITHUB = """\
name: envdoctor
on: [push, pull_request]
permissions:
  contents: read
jobs:
  envdoctor:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install . envdoctor
      - run: envdoctor check --format github --report github-summary="$GITHUB_STEP_SUMMARY"
"""
GITLAB = """\
envdoctor:
  stage: test
  image: python:3.12
  script:
    - pip install --quiet . envdoctor
    - envdoctor check --report junit=envdoctor.xml --report gitlab=envdoctor-quality.json
  artifacts:
    when: always
    reports:
      junit: envdoctor.xml
      codequality: envdoctor-quality.json
"""
INCLUDE = "include: {local: .gitlab/envdoctor.yml}\n"
#: The hook asks for what is pushed: to examine all environments takes too long for each push.
HOOK = """\
- repo: local
  hooks:
    - id: envdoctor
      name: envdoctor check
      entry: sh -c 'envdoctor check --since "${PRE_COMMIT_FROM_REF:-HEAD}"'
      language: system
      pass_filenames: false
      types: [python]
      stages: [pre-push, manual]
"""


@dataclass(frozen=True)
class Part:
    """The text that one file gets: all of a new one, or what is put at its end. Empty where it has
    that already. `by_hand` says what to add where the end is not the place for it.
    """

    path: Path
    text: str
    is_new: bool
    by_hand: str = ""

    def written(self) -> str:
        """The text of the file afterwards. Raises OSError and UnicodeError."""
        return self.text if self.is_new else read_text(self.path).rstrip("\n") + "\n" + self.text


def parts(project: Contents, folder: Path, baseline: bool = False) -> list[Part]:
    """The parts to write, a file each: the configuration, which may name a baseline, the step of
    CI, the hook of pre-commit. Raises UsageError for what cannot be read.
    """
    hook = _hook(folder / ".pre-commit-config.yaml")
    return [_configuration(project, folder, baseline), *_steps(folder), hook]


def shown(every: Iterable[Part], folder: Path) -> str:
    """The parts as a person reads them, with the commands that come next."""
    lines: list[str] = []
    for part in every:
        name = part.path.relative_to(folder).as_posix()
        if part.by_hand:
            lines.append(f"# {name}, to be added by hand\n{part.by_hand}")
        elif not part.text:
            lines.append(f"# {name}: it is there already\n")
        else:
            where = "a new file" if part.is_new else "at its end"
            lines.append(f"# {name}, {where}\n{part.text.lstrip()}")
    return "\n".join(lines)


def write(every: Iterable[Part]) -> list[Path]:
    """Write what is missing; the files that were. Raises UsageError for one that cannot be."""
    changed = []
    for part in every:
        if not part.text:
            continue
        try:
            part.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(part.path, part.written())
        except (OSError, UnicodeError) as error:
            raise UsageError(f"{part.path}: {getattr(error, 'strerror', error)}") from error
        changed.append(part.path)
    return changed


def table(project: Contents, name: str, baseline: bool) -> str:
    """A project as a table of this name, or without one as a file of its own: the SPECs, and those
    that need arguments as comments.
    """
    ready = [each for each in project.examined if not each.needs]
    lines = [f"[{name}]"] if name else []
    lines += _specs(each.spec for each in ready)
    lines += [BASELINE if baseline else WITHOUT]
    for each in project.examined:
        if each.needs:
            lines += ["", *(f"# {line}" for line in needing(each, name))]
    return "\n".join(lines) + "\n"


def _specs(specs: Iterable[str]) -> Iterator[str]:
    yield "specs = ["
    yield from (f"    {toml(each)}," for each in dict.fromkeys(specs))
    yield "]"


def needing(environment: Environment, name: str) -> Iterator[str]:
    """The environment with its `kwargs`, to be filled in, as a table below that of this name."""
    values = ", ".join(f"{name} = ..." for name in environment.needs)
    yield f"[[{f'{name}.subject'.lstrip('.')}]]"
    yield f"spec = {toml(environment.spec)}"
    yield f"kwargs = {{{values}}}"


def home_of(folder: Path) -> tuple[Path, str]:
    """The file that has the configuration of a folder, and the name of its table there."""
    pyproject, own = folder / "pyproject.toml", folder / "envdoctor.toml"
    return (pyproject, TABLE) if pyproject.is_file() and not own.is_file() else (own, "")


def _configuration(project: Contents, folder: Path, baseline: bool) -> Part:
    path, name = home_of(folder)
    if not path.is_file():
        return Part(path, table(project, "", baseline), is_new=True)
    there = not name or TABLE in _text(path)
    return Part(path, "" if there else "\n" + table(project, TABLE, baseline), is_new=False)


def _steps(folder: Path) -> Iterator[Part]:
    pipeline = folder / ".gitlab-ci.yml"
    is_gitlab = pipeline.is_file()
    if is_gitlab:
        yield _new(folder / ".gitlab" / "envdoctor.yml", GITLAB)
        yield _included(pipeline)
    if (folder / ".github").is_dir() or not is_gitlab:
        yield _new(folder / ".github" / "workflows" / "envdoctor.yml", GITHUB)


def _included(pipeline: Path) -> Part:
    """The line that includes our job. A pipeline that includes others, or that has stages of its
    own, is not changed.
    """
    text = _text(pipeline)
    if "envdoctor" in text:
        return Part(pipeline, "", is_new=False)
    if re.search(r"^(include|stages)\s*:", text, re.MULTILINE):
        return Part(pipeline, "", is_new=False, by_hand=INCLUDE)
    return Part(pipeline, f"\n{INCLUDE}", is_new=False)


def _hook(path: Path) -> Part:
    """The hook, as the last of those that a project has, with their indentation."""
    if not path.is_file():
        return Part(path, f"repos:\n{HOOK}", is_new=True)
    text = _text(path)
    if "envdoctor" in text:
        return Part(path, "", is_new=False)
    keys = re.findall(r"^(\w+)\s*:", text, re.MULTILINE)
    first = re.search(r"^( *)- repo:", text, re.MULTILINE)
    if first is None or keys[-1:] != ["repos"]:
        return Part(path, "", is_new=False, by_hand=HOOK)
    return Part(path, textwrap.indent(HOOK, first[1]), is_new=False)


def _new(path: Path, text: str) -> Part:
    return Part(path, "" if path.exists() else text, is_new=True)


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', error)}") from error
