"""`envdoctor init`: what a project writes down once, so that each commit is examined."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from envdoctor.cli.files import read_text, write_whole
from envdoctor.discovery.contents import Contents, Environment
from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.request.toml_text import toml

TABLE = "tool.envdoctor"
BASELINE = '# baseline = ".envdoctor-baseline.toml"  # after `envdoctor baseline --reason "..."`'
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
# Add it to .gitlab-ci.yml: `include: .gitlab/envdoctor.yml`
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


@dataclass(frozen=True)
class Part:
    """The text that one file gets: all of a new one, or what is put at its end. Empty where it has
    that already.
    """

    path: Path
    text: str
    is_new: bool

    def written(self) -> str:
        """The text of the file afterwards. Raises OSError and UnicodeError."""
        return self.text if self.is_new else read_text(self.path).rstrip("\n") + "\n" + self.text


def parts(project: Contents, folder: Path) -> list[Part]:
    """The parts to write, a file each: the configuration, and the step of CI."""
    return [_configuration(project, folder), *_steps(folder)]


def shown(every: Iterable[Part], folder: Path) -> str:
    """The parts as a person reads them, with the commands that come next."""
    lines: list[str] = []
    for part in every:
        name = part.path.relative_to(folder).as_posix()
        if not part.text:
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


def table(project: Contents, name: str) -> str:
    """A project as a table of this name, or without one as a file of its own: the SPECs, and those
    that need arguments as comments.
    """
    ready = [each for each in project.examined if not each.needs]
    lines = [f"[{name}]"] if name else []
    lines += [*_specs(each.spec for each in ready), BASELINE]
    for each in project.examined:
        if each.needs:
            lines += ["", *_needing(each, f"{name}.environments".lstrip("."))]
    return "\n".join(lines) + "\n"


def _specs(specs: Iterable[str]) -> Iterator[str]:
    yield "specs = ["
    yield from (f"    {toml(each)}," for each in dict.fromkeys(specs))
    yield "]"


def _needing(environment: Environment, table: str) -> Iterator[str]:
    """Its `kwargs`, to be filled in; then its SPEC belongs to the others."""
    values = ", ".join(f"{name} = ..." for name in environment.needs)
    yield f"# [{table}.{toml(environment.spec)}]"
    yield f"# kwargs = {{{values}}}  # and its name above, in specs"


def _configuration(project: Contents, folder: Path) -> Part:
    pyproject, own = folder / "pyproject.toml", folder / "envdoctor.toml"
    path = pyproject if pyproject.is_file() and not own.is_file() else own
    if not path.is_file():
        return Part(path, table(project, ""), is_new=True)
    try:
        there = path == own or TABLE in read_text(path)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path}: {getattr(error, 'strerror', error)}") from error
    return Part(path, "" if there else "\n" + table(project, TABLE), is_new=False)


def _steps(folder: Path) -> Iterator[Part]:
    is_gitlab = (folder / ".gitlab-ci.yml").is_file()
    if is_gitlab:
        yield _new(folder / ".gitlab" / "envdoctor.yml", GITLAB)
    if (folder / ".github").is_dir() or not is_gitlab:
        yield _new(folder / ".github" / "workflows" / "envdoctor.yml", GITHUB)


def _new(path: Path, text: str) -> Part:
    return Part(path, "" if path.exists() else text, is_new=True)
