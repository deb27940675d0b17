"""The pages: rule pages are those of the rules, links lead somewhere, and every command does
what its page says.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.interpreters import way_to
from tests.support.zoo import COMMAND, container_engine

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
PATIENCE = 600.0  # seconds for one command

#: What a block may need, as `<!-- needs: torchrl -->` above it says, and the variable that names an
#: interpreter with it.
OWNERS = {
    "stable-baselines3": "ENVDOCTOR_SB3_PYTHON",
    "torchrl": "ENVDOCTOR_TORCHRL_PYTHON",
    "di-engine": "ENVDOCTOR_DING_PYTHON",
    "tianshou": "ENVDOCTOR_TIANSHOU_PYTHON",
    "pufferlib": "ENVDOCTOR_PUFFER_PYTHON",
    "supersuit": "ENVDOCTOR_SUPERSUIT_PYTHON",
    "agilerl": "ENVDOCTOR_AGILERL_PYTHON",
    "rllib": "ENVDOCTOR_RAY_PYTHON",
    "simulators": "ENVDOCTOR_RL_PYTHON",
}
MODULES = {
    "stable-baselines3": "stable_baselines3",
    "torchrl": "torchrl",
    "di-engine": "ding",
    "tianshou": "tianshou",
    "pufferlib": "pufferlib",
    "supersuit": "supersuit",
    "agilerl": "agilerl",
    "rllib": "ray",
    "simulators": "Box2D",
}

#: Pages on frameworks that few have installed: tests of their own run their commands, but those
#: that watch a training.
TRIED_BY_OTHERS = ("replay-memory.md", "torchrl.md", "di-engine.md", "ci-gate.md")

WATCH = "envdoctor watch "
_BLOCK = re.compile(
    r"(?ms)^(?:<!-- (?P<mark>needs|not run): (?P<what>[^>]*) -->\n)?```sh\n(?P<lines>[^`]*?)^```$"
    r"(?:\n\n```text\n(?P<shown>[^`]*?)^```$)?"
)
#: What ends within a few seconds and has at most one remedy to try: a command of each page that
#: needs no framework.
CHEAP = re.compile(
    r"leak CartPole-v1|Cured .*(?:--fail-on note|-v$|--out monday)|(?:MyEnv-v0|talk.py:Robot) |--import"
    r" cranes|--quick|leak .*:(Cured|iteration)|^envdoctor (watch|workers)"
)
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)#\s]+)(?:#[^)]*)?\)")


class Line(NamedTuple):
    """One command of a page, the exit code that the page promises, what it needs, and what the page
    shows of its output.
    """

    page: str
    text: str
    code: int
    needs: str
    shown: str = ""

    def __str__(self) -> str:
        return f"{self.page}: {self.text}"


def lines() -> Iterator[Line]:
    for page in PAGES:
        is_tried_by_others = page.parent == DOCS and page.name in TRIED_BY_OTHERS
        for block in _BLOCK.finditer(page.read_text()):
            if block["mark"] != "not run" and (not is_tried_by_others or WATCH in block["lines"]):
                yield from lines_of(
                    str(page.relative_to(ROOT)),
                    block["lines"],
                    (block["what"] or "").strip(),
                    block["shown"] or "",
                )


def lines_of(page: str, text: str, needs: str, shown: str) -> Iterator[Line]:
    """The commands of a block; what is shown below it is the output of the first one."""
    for line in text.splitlines():
        promised = re.search(r"# exits with (\d+)", line)
        if line.startswith("envdoctor "):
            code = int(promised[1]) if promised else 0
            yield Line(page, line.partition("  # ")[0].rstrip(), code, needs, shown)
            shown = ""


def calm(text: str) -> str:
    """Without what differs from run to run, and from one width of the terminal to another."""
    return " ".join(re.sub(r"[▁-█]+", "▁", re.sub(r"\d[\d.,]*", "#", text)).split())


def missing(shown: str, printed: str) -> list[str]:
    """The parts of what a page shows (lines, and what stands between `...`) that were not printed
    in this order.
    """
    printed, at, lost = calm(printed), 0, []
    for part in filter(None, map(calm, re.split(r"\n|\.\.\.", shown))):
        start = printed.find(part, at)
        if start < 0:
            lost.append(part)
        at = max(at, start)
    return lost


def owner(needs: str) -> str | None:
    """The interpreter for a command: this one where it needs nothing, None where none is known
    that has it.
    """
    if not needs or importlib.util.find_spec(MODULES[needs]):
        return sys.executable
    return os.environ.get(OWNERS[needs])


def distinct() -> list[Line]:
    """Each command once: pages in two languages have the same ones, and one shows the output."""
    ordered = sorted(lines(), key=lambda line: bool(line.shown))
    return list({(line.text, line.code, line.needs): line for line in ordered}.values())


def is_cheap(line: Line) -> bool:
    """A command that ends within a few seconds: one process, no framework, or wrong usage."""
    return not line.needs and (line.code == 2 or bool(CHEAP.search(line.text)))


@pytest.mark.parametrize(
    "line",
    [
        line if is_cheap(line) else pytest.param(line, marks=pytest.mark.everything)
        for line in distinct()
    ],
    ids=str,
)
def test_a_command_does_what_its_page_says(line: Line, tmp_path: Path) -> None:
    python = owner(line.needs)
    if python is None:
        pytest.skip(way_to(OWNERS[line.needs]))
    # Reports are written beside them.
    here = shutil.copytree(DOCS / "examples", tmp_path / "examples")
    words = shlex.split(line.text)[1:]
    if line.text.startswith(WATCH):  # the program is the reader's Python
        words = [python if word == "python" else word for word in words]
    elif python != sys.executable:
        words += ["--python", python]
    environment = {name: value for name, value in os.environ.items() if name != "GITHUB_ACTIONS"}
    with container_engine() as engine:
        done = subprocess.run(
            [COMMAND, *words],
            cwd=here,
            env=environment | engine,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == line.code, done.stdout + done.stderr
    printed = done.stderr if line.text.startswith(WATCH) else done.stdout
    assert missing(line.shown, printed) == [], printed


def test_output_shown_on_a_page_is_compared_with_the_printed_one() -> None:
    shown = "error CLS006 close-leaves\n  a.py:A [direct]: close() leaves 2 descriptors: ... log"
    printed = (
        "error CLS006\n  close-leaves\n a.py:A [direct]: close() leaves 1\n descriptors: x, log"
    )
    assert missing(shown, printed) == []
    assert missing("takes 7.2 KB\n▁▂▃ grows", "takes 7.1 KiB\n▁▁▁▁ grows") == ["takes # KB"]
    assert sum(bool(line.shown) for line in lines()) > 8


def test_there_are_commands_to_try() -> None:
    assert len([line for line in lines() if not line.needs]) > 10


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    targets = [link["target"] for link in _LINK.finditer(page.read_text())]
    assert [
        target for target in targets if "://" not in target and not (page.parent / target).exists()
    ] == []


def test_the_pages_of_rules_are_those_of_the_rules() -> None:
    spec = importlib.util.spec_from_file_location("docs_build", DOCS / "build.py")
    assert spec is not None and spec.loader is not None
    build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(build)
    there = {file.name: file.read_text() for file in (DOCS / "rules").glob("*.md")}
    assert there == build.pages(), "run `make docs`"


def test_nothing_has_to_be_filled_in_before_a_page_can_be_copied() -> None:
    shown = [*PAGES, *sorted((DOCS / "ci").iterdir()), ROOT / "action.yml"]
    assert [str(file) for file in shown if "OWNER/" in file.read_text()] == []


def test_the_hook_is_installed_where_it_runs() -> None:
    page = (DOCS / "formats.md").read_text()
    assert "stages: [pre-push]" in page
    assert "pre-commit install --hook-type pre-push" in page


TRANSLATED = sorted(page.name for page in (DOCS / "tutorials").glob("*.md"))


@pytest.mark.parametrize("name", TRANSLATED)
def test_a_tutorial_has_the_same_commands_in_both_languages(name: str) -> None:
    pages = [DOCS / folder / name for folder in ("tutorials", "zh")]
    ours, theirs = (
        [
            (line.text, line.code, line.needs)
            for line in lines()
            if line.page.endswith(f"{folder}/{name}")
        ]
        for folder in ("tutorials", "zh")
    )
    assert ours == theirs
    assert ours
    codes = [
        sorted(set(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)))
        for page in pages
    ]
    assert set(codes[1]) <= set(codes[0]), "code that is not in the English page"
