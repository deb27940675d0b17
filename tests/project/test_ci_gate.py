"""The page on gating does what it says, and a gate's own remedy opens it again."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import envdoctor
from tests.support.pasting import paste
from tests.support.zoo import COMMAND, PATIENCE

PAGE = Path(envdoctor.__file__).parents[1] / "docs" / "ci-gate.md"
BLOCK = re.compile(
    r"^```(?P<kind>\w+)(?: (?P<key>file|exit)=(?P<value>\S+))?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


#: Who commits on the page.
COMMITTER = {
    f"GIT_{role}_{what}": "ana@example.org"
    for role in ("AUTHOR", "COMMITTER")
    for what in ("NAME", "EMAIL")
}


def run(
    repository: Path, *words: str, program: str = str(COMMAND)
) -> subprocess.CompletedProcess[str]:
    environment = COMMITTER | {
        name: value
        for name, value in os.environ.items()
        if name not in ("FORCE_COLOR", "GITHUB_ACTIONS", "COLUMNS")
    }
    return subprocess.run(
        [program, *words],
        cwd=repository,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def write(repository: Path, name: str, text: str) -> None:
    (repository / name).parent.mkdir(exist_ok=True)
    (repository / name).write_text(text)


def patch(repository: Path, name: str, diff: str) -> None:
    old = "".join(line[1:] + "\n" for line in diff.splitlines() if line.startswith("-"))
    new = "".join(line[1:] + "\n" for line in diff.splitlines() if line.startswith("+"))
    text = (repository / name).read_text()
    assert text.count(old) == 1
    (repository / name).write_text(text.replace(old, new))


def calm(text: str) -> str:
    """Without what a run takes, which is never the same: a slow machine asks for blocks of
    cycles one by one.
    """
    return re.sub(r"\d+\.\d+ s\b|(?<=in )\d+(?= scenarios)", "#", text)


def sessions(text: str) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block, with the lines that are shown of its output."""
    for part in text.split("$ ")[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown.splitlines()


def holds(output: str, shown: list[str]) -> bool:
    """Return whether the lines are in the output in this order. `...` is any number of lines."""
    pattern = "".join(
        "(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in map(calm, shown)
    )
    return re.fullmatch(pattern, calm(output)) is not None


def unwrapped(output: str) -> str:
    return re.sub(r"\n  (?=\S)", " ", output)


@pytest.mark.everything
def test_the_page(tmp_path: Path) -> None:
    commands = 0
    for block in BLOCK.finditer(PAGE.read_text()):
        kind, value, text = block["kind"], block["value"], block["text"]
        if kind == "console":
            for command, shown in sessions(text):
                name, *words = [word.strip('"') for word in re.findall(r'"[^"]*"|\S+', command)]
                assert name in ("envdoctor", "git")
                program = str(COMMAND) if name == "envdoctor" else name
                done = run(tmp_path, *words, program=program)
                assert holds(done.stdout, shown) or holds(unwrapped(done.stdout), shown), (
                    command,
                    done.stdout,
                    done.stderr,
                )
                assert done.returncode == int(value), (command, done.stdout, done.stderr)
                commands += 1
        elif value and kind == "diff":
            patch(tmp_path, value, text)
        elif value:
            write(tmp_path, value, text)
        elif kind == "toml":
            assert text in (tmp_path / ".envdoctor-baseline.toml").read_text()
    assert commands == 14


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    for block in BLOCK.finditer(PAGE.read_text()):
        if block["key"] == "file" and block["kind"] != "diff":
            write(tmp_path, block["value"], block["text"])
    return tmp_path


NEW = """
    def reset(self, *, seed=None, options=None):
        self.camera = open("/dev/zero")
        return super().reset(seed=seed, options=options)

    def close(self):
"""


@pytest.mark.everything
def test_a_new_leak_closes_the_gate_and_its_remedy_opens_it(repository: Path) -> None:
    """In an environment that was well. The remedy is taken from the report, as a person would
    paste it.
    """
    assert run(repository, "baseline").returncode == 0
    assert run(repository, "check", "--save", "before.jsonl").returncode == 0
    source = repository / "warehouse" / "envs.py"
    well = source.read_text()
    head = '    """Take parcels from a shelf."""\n'
    source.write_text(well.replace(head, head + NEW + "        pass\n"))
    assert run(repository, "check", "--save", "after.jsonl", "-qq").returncode == 1
    assert run(repository, "gate", "before.jsonl").returncode == 0
    judged = run(repository, "gate", "after.jsonl", "--format", "json")
    assert judged.returncode == 1
    new = [
        finding
        for finding in json.loads(judged.stdout)["findings"]
        if finding["status"] == "open" and finding["severity"] == "error"
    ]
    assert {finding["subject"] for finding in new} == {"warehouse.envs:Shelf"}
    mended = next(finding["remedy"]["commands"] for finding in new if finding["code"] == "CLS006")
    assert "self.camera.close()" in "\n".join(mended)
    paste(source.parent, mended)
    cured = run(repository, "check", "--format", "json")
    open_ = [
        finding for finding in json.loads(cured.stdout)["findings"] if finding["status"] == "open"
    ]
    assert cured.returncode == 0, open_
