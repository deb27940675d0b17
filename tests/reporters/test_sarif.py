"""SARIF: by our own schema of what we write, by what GitHub demands, and by the official schema
where one is given.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from syrupy.assertion import SnapshotAssertion

from envdoctor.model.finding import Location
from envdoctor.model.remedy import Change
from envdoctor.reporters._anchors import Anchor, inside
from envdoctor.reporters.sarif import render
from envdoctor.rules.engine.registry import all_rules
from tests.reporters.official import json_schema
from tests.reporters.reports import ALL
from tests.reporters.sample import ROOT, SAMPLE, hostile, with_any_text

VALIDATOR = Draft202012Validator(
    json.loads(
        Path(__file__).with_name("schemas").joinpath("sarif_as_written.schema.json").read_text()
    )
)


def run_of(text: str) -> Any:
    """The one run of a document that GitHub would take."""
    document = json.loads(text)
    VALIDATOR.validate(document)
    (run,) = document["runs"]
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        (location,) = result["locations"]
        uri = unquote(location["physicalLocation"]["artifactLocation"]["uri"])
        assert not uri.startswith("/"), "GitHub takes only what is below the root"
        assert ".." not in uri.split("/")
    return run


def with_changes(*changes: Change) -> Any:
    """The result of a finding whose remedy makes these changes."""
    first = SAMPLE.findings[0]
    finding = first.but(remedy=replace(first.remedy, changes=changes))
    run = run_of(render(replace(SAMPLE, findings=(finding,)), root=ROOT))
    return run["results"][0]


def applied(text: str, replacements: list[Any]) -> str:
    """Read a text as a reader of SARIF does. Regions end before their last column."""
    lines = text.splitlines(keepends=True)
    for one in sorted(replacements, key=lambda one: -one["deletedRegion"]["startLine"]):
        region = one["deletedRegion"]
        assert region["startColumn"] == region["endColumn"] == 1
        at = slice(region["startLine"] - 1, region["endLine"] - 1)
        lines[at] = [one["insertedContent"]["text"]]
    return "".join(lines)


def test_the_changes_of_a_remedy_are_a_fix() -> None:
    inside_ = f"{ROOT}/arm.py"
    changes = (
        Change(inside_, 2, 1, ("    two", "    more"), "Arm.close()"),
        Change(inside_, 4, 0, ("four",), ""),
    )
    (fix,) = with_changes(*changes)["fixes"]
    (file,) = fix["artifactChanges"]
    assert file["artifactLocation"]["uri"] == "arm.py"
    text = "1\n2\n3\n"
    assert applied(text, file["replacements"]) == "1\n    two\n    more\n3\nfour\n"


def test_changes_outside_of_the_repository_are_no_fix() -> None:
    changes = (Change(f"{ROOT}/arm.py", 2, 1, ("x",), ""), Change("/lib/base.py", 1, 0, ("y",), ""))
    assert "fixes" not in with_changes(*changes)


def result(code: str) -> Any:
    """The result of the sample with that code."""
    (found,) = [
        one for one in run_of(render(SAMPLE, root=ROOT))["results"] if one["ruleId"] == code
    ]
    return found


@pytest.mark.parametrize("name", ALL)
def test_documents_obey_the_schema(name: str) -> None:
    run_of(render(ALL[name], root=ROOT, exit_code=1))


@pytest.mark.parametrize("name", [*ALL, "sample"])
def test_documents_obey_the_official_schema(name: str) -> None:
    json_schema("sarif-schema-2.1.0.json").validate(
        json.loads(render({**ALL, "sample": SAMPLE}[name], root=ROOT, exit_code=1))
    )


def test_document(snapshot: SnapshotAssertion) -> None:
    assert render(SAMPLE, root=ROOT, exit_code=1) == snapshot


def test_one_line_to_mend_is_one_result() -> None:
    found = result("CLS006")
    assert found["properties"]["places"] == "direct; gymnasium-sync; gymnasium-async, fork"
    assert len(set(found["properties"]["fingerprints"])) == 3


@pytest.mark.parametrize(
    "file", ["[path]/numpy/random.py", "~/lab/arm.py", "<string>", "/srv/arm.py", "../arm.py"]
)
def test_in_an_anonymous_report_only_the_projects_own_files_are_inside(file: str) -> None:
    assert inside(Location("src/arm.py", 3), ".") == Anchor("src/arm.py", 3)
    assert inside(Location(file, 3), ".") is None


def test_location_outside_the_repository_falls_back_to_a_file_inside() -> None:
    located = {
        code: result(code)["locations"][0]["physicalLocation"]
        for code in ("CLS006", "MAK002", "LEK005")
    }
    assert {
        code: (at["artifactLocation"]["uri"], at["region"]["startLine"])
        for code, at in located.items()
    } == {
        "CLS006": ("src/warehouse/envs/forklift.py", 88),
        # No place of its own: where its subject is defined.
        "MAK002": ("src/warehouse/envs/forklift.py", 31),
        "LEK005": ("pyproject.toml", 1),  # a library's
    }
    assert "cartpole.py:77" in result("LEK005")["message"]["text"]


def test_only_a_stand_in_brings_the_hash_that_github_would_take_from_the_line() -> None:
    assert "primaryLocationLineHash" not in result("CLS006")["partialFingerprints"]
    assert result("LEK005")["partialFingerprints"]["primaryLocationLineHash"]


def test_the_hash_does_not_depend_on_the_places_that_were_played() -> None:
    hashes = set()
    for manager in ("direct", "gymnasium-sync"):
        findings = tuple(
            one.but(manager=manager) for one in SAMPLE.findings if one.code == "LEK005"
        )
        (only,) = run_of(render(replace(SAMPLE, findings=findings), root=ROOT))["results"]
        hashes.add(only["partialFingerprints"]["primaryLocationLineHash"])
    assert len(hashes) == 1


def test_ignored_finding_is_suppressed_with_its_reason() -> None:
    assert result("CLS006")["suppressions"] == []
    reasons = {
        code: result(code)["suppressions"][0]["justification"]
        for code in ("CLS003", "CLS005", "DET001")
    }
    assert reasons == {"CLS003": "closed once only", "CLS005": "in the baseline", "DET001": "below"}
    assert [result(code)["baselineState"] for code in ("CLS006", "CLS005")] == ["new", "unchanged"]


def test_finding_worse_than_its_baseline_says_so() -> None:
    worse = replace(
        SAMPLE,
        findings=tuple(
            one.but(status_reason="it was 1") if one.code == "LEK005" else one
            for one in SAMPLE.findings
        ),
    )
    (found,) = [
        one for one in run_of(render(worse, root=ROOT))["results"] if one["ruleId"] == "LEK005"
    ]
    assert found["baselineState"] == "updated"
    assert "\nwhy it fails: it was 1\n" in found["message"]["text"]


def test_without_a_baseline_nothing_is_new() -> None:
    assert not any(
        "baselineState" in one for one in run_of(render(ALL["sick"], root=ROOT))["results"]
    )


def test_open_ones_come_first() -> None:
    counted = [not one["suppressions"] for one in run_of(render(SAMPLE, root=ROOT))["results"]]
    assert counted == sorted(counted, reverse=True)


def test_the_help_is_the_manual_page() -> None:
    rules = {
        rule["id"]: rule for rule in run_of(render(SAMPLE, root=ROOT))["tool"]["driver"]["rules"]
    }
    assert rules["CLS006"]["help"]["text"] == all_rules()["CLS006"].manual
    assert (
        "```\ndef close(self):\n    if self._file is not None:"
        in rules["CLS006"]["help"]["markdown"]
    )


@pytest.mark.parametrize("code", all_rules())
def test_every_page_becomes_markdown(code: str) -> None:
    from markdown_it import MarkdownIt

    from envdoctor.reporters.sarif import as_markdown

    page = as_markdown(all_rules()[code].manual)
    tokens = MarkdownIt("commonmark").parse(page)
    assert [
        token.content
        for at, token in enumerate(tokens)
        if at and tokens[at - 1].type == "heading_open"
    ] == ["What it does", "Why it matters", "How to fix it"]
    assert not {child.type for token in tokens for child in token.children or ()} & {
        "html_inline",
        "strong_open",
        "em_open",
        "link_open",
    }
    words = "".join(all_rules()[code].manual.split("\n", 1)[1].split()).replace("`", "")
    assert "".join(page.replace("#", "").replace("`", "").split()) == words.replace("#", "")


def test_a_rule_that_this_version_does_not_know_has_its_name() -> None:
    rules = run_of(render(hostile("x"), root=ROOT))["tool"]["driver"]["rules"]
    assert {
        "id": "XYZ001",
        "name": "unheard-of",
        "shortDescription": {"text": "unheard-of"},
    } in rules


def test_an_interrupted_run_says_so() -> None:
    assert (
        run_of(render(ALL["interrupted"], exit_code=130))["invocations"][0]["executionSuccessful"]
        is False
    )


@with_any_text
def test_any_text(text: str) -> None:
    document = render(hostile(text), root=ROOT)
    assert all(" " <= character <= "~" or character == "\n" for character in document)
    assert "##[" not in document
    run = run_of(document)
    for one in run["results"]:
        assert "](" not in one["message"]["text"], "SARIF would make a link of it"
        assert not [
            character
            for character in one["message"]["text"]
            if character < " " and character != "\n"
        ]
