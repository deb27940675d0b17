"""Annotations, read as GitHub's runner reads them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from envdoctor.model.finding import ERROR, NOTE, Remedy
from envdoctor.reporters.github import SHOWN, command, render
from tests.reporters.reports import ALL, finding, report
from tests.reporters.sample import ROOT, SAMPLE, hostile, with_any_text

KNOWN = {"error", "warning", "notice"}
TRICKY = st.sampled_from(":,%\r\n=0AD2C3 ;]") | st.characters()


@dataclass
class Read:
    """A command as the runner understands it."""

    name: str
    properties: dict[str, str]
    data: str


def read(line: str) -> Read | None:
    """Read a line of a log as the runner does: spaces before it do not matter, `::` ends the
    properties, escapes are taken back.
    """
    name, _, rest = line.lstrip()[2:].partition("::")
    name, _, properties = name.partition(" ")
    if not line.lstrip().startswith("::") or name not in KNOWN:
        return None
    pairs = dict(pair.split("=", 1) for pair in properties.split(",") if "=" in pair)
    return Read(name, {key: _plain(value, ":,") for key, value in pairs.items()}, _plain(rest, ""))


def _plain(text: str, more: str) -> str:
    for character in f"\r\n{more}%":  # the percent sign last, as the runner does
        text = text.replace(f"%{ord(character):02X}", character)
    return text


def commands(text: str) -> list[Read]:
    found = [read(line) for line in text.splitlines()[:-1]]
    assert None not in found
    assert read(text.splitlines()[-1]) is None
    return [one for one in found if one]


def test_document(snapshot: SnapshotAssertion) -> None:
    assert render(SAMPLE, root=ROOT) == snapshot


@settings(deadline=None)
@example("a::b", "c::error::d", "e,file=f")
@given(st.text(TRICKY), st.text(TRICKY, min_size=1), st.text(TRICKY, min_size=1))
def test_escaped_command_is_read_back_unchanged(data: str, file: str, title: str) -> None:
    line = command("error", {"file": file, "title": title}, data)
    assert "\n" not in line
    assert "\r" not in line
    assert read(line) == Read("error", {"file": file, "title": title}, data)


@pytest.mark.parametrize("name", ALL)
def test_every_line_but_the_last_is_a_command(name: str) -> None:
    commands(render(ALL[name], root=ROOT))


def test_a_line_of_the_repository_is_named_and_no_other() -> None:
    placed = {
        one.properties["title"][:6]: one.properties.get("file")
        for one in commands(render(SAMPLE, root=ROOT))
    }
    assert placed["CLS006"] == "src/warehouse/envs/forklift.py"
    assert placed["LEK005"] is None
    assert placed["MAK002"] is None


def test_only_open_findings_are_reported() -> None:
    assert not {"CLS003", "CLS005", "DET001"} & {
        one.properties["title"][:6] for one in commands(render(SAMPLE, root=ROOT))
    }


def test_annotations_over_the_limit_of_github_are_counted() -> None:
    errors = [finding("CLS001", message=f"this {'x' * number}") for number in range(13)]
    notes = [
        finding("MAK003", severity=NOTE, message=f"that {'x' * number}") for number in range(11)
    ]
    text = render(report(*errors, *notes))
    told = commands(text)
    assert [one.name for one in told] == ["error"] * SHOWN + ["notice"] * SHOWN
    assert text.splitlines()[-1].endswith(
        "3 errors, 1 note left out: GitHub shows 10 of a kind for each step"
    )


def test_a_case_that_fits_leaves_nothing_out() -> None:
    text = render(
        report(
            *[
                finding("CLS001", severity=ERROR, message=f"this {'x' * number}")
                for number in range(SHOWN)
            ]
        )
    )
    assert len(commands(text)) == SHOWN
    assert "left out" not in text


@with_any_text
def test_any_text(text: str) -> None:
    document = render(hostile(text), root=ROOT)
    assert not [character for character in document if character < " " and character != "\n"]
    assert [one.name for one in commands(document)] == ["error", "notice"] or text == ""


@pytest.mark.parametrize(("verified", "shown"), [(True, True), (None, False), (False, False)])
def test_code_that_was_verified_is_in_the_annotation(verified: bool | None, shown: bool) -> None:
    code = ("# after line 7 of arm.py", "    self.log.close()")
    sick = replace(finding(), remedy=Remedy("close it:", code, verified=verified))
    (annotation,) = commands(render(report(sick), root=ROOT))
    assert ("self.log.close()" in annotation.data) is shown
