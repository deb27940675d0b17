"""JUnit XML: its grammar, what counts as failed, and that it stays XML whatever is said in it."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest
from syrupy.assertion import SnapshotAssertion

from envdoctor.model.finding import Passed
from envdoctor.reporters.junit import render
from tests.reporters.official import xml_schema
from tests.reporters.reports import ALL, SPEC, finding, report
from tests.reporters.sample import OTHER, ROOT, SAMPLE, hostile, with_any_text

#: element: its attributes, those that it must have, and what may stand in it. The part of
#: junit-10.xsd that we write.
GRAMMAR: dict[str, tuple[set[str], set[str], set[str]]] = {
    "testsuites": ({"name", "time", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "time", "tests", "failures", "errors", "skipped"},
        {"name", "tests", "failures", "errors"},
        {"properties", "testcase"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": ({"name", "classname"}, {"name"}, {"skipped", "failure", "system-out"}),
    "failure": ({"type", "message"}, set(), set()),
    "skipped": ({"type", "message"}, set(), set()),
    "system-out": (set(), set(), set()),
}


def parsed(text: str) -> ET.Element:
    """The document, which obeys the grammar and counts what it holds."""
    root = ET.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in root.iter():
        known, needed, inside = GRAMMAR[element.tag]
        assert needed <= set(element.attrib) <= known
        assert {child.tag for child in element} <= inside
    for suite in root:
        assert int(suite.attrib["tests"]) == len(suite.findall("testcase"))
        assert int(suite.attrib["failures"]) == len(suite.findall("testcase/failure"))
        assert int(suite.attrib["skipped"]) == len(suite.findall("testcase/skipped"))
        names = [(case.get("classname"), case.get("name")) for case in suite.findall("testcase")]
        assert len(set(names)) == len(names), "GitLab takes two cases of one name for one"
    return root


def case(root: ET.Element, name: str, place: str = "direct") -> ET.Element:
    (found,) = [
        one
        for one in root.iter("testcase")
        if one.attrib["name"] == name and f"[{place}]" in one.attrib["classname"]
    ]
    return found


@pytest.mark.parametrize("name", ALL)
def test_documents_obey_the_grammar(name: str) -> None:
    parsed(render(ALL[name], root=ROOT))


@pytest.mark.parametrize("name", [*ALL, "sample"])
def test_documents_obey_the_schema_of_jenkins(name: str) -> None:
    xml_schema("junit-10.xsd").validate(render({**ALL, "sample": SAMPLE}[name], root=ROOT))


def test_document(snapshot: SnapshotAssertion) -> None:
    assert render(SAMPLE, root=ROOT) == snapshot


def test_a_suite_for_each_subject() -> None:
    assert [suite.get("name") for suite in parsed(render(SAMPLE))] == [SPEC, OTHER]


def test_passed_rule_is_an_empty_case() -> None:
    assert list(case(parsed(render(SAMPLE)), "CLS001 close-raises")) == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("LEK001 python-objects-grow", "memray is not installed there"),
        ("CLS003 second-close-raises", "ignored: closed once only"),
        ("CLS005 close-slow", "baselined"),
    ],
)
def test_uncounted_rule_is_skipped_with_its_reason(name: str, reason: str) -> None:
    skipped = case(parsed(render(SAMPLE)), name).find("skipped")
    assert skipped is not None
    assert skipped.get("message") == reason


def test_a_manager_that_was_not_played_is_one_case() -> None:
    assert (
        case(parsed(render(ALL["healthy"])), "every rule", "sb3-subproc").find("skipped")
        is not None
    )


@pytest.mark.parametrize(("fail_on", "failed"), [("error", 5), ("warning", 6), ("note", 7)])
def test_a_case_fails_as_the_command_does(fail_on: str, failed: int) -> None:
    root = parsed(render(SAMPLE, fail_on=fail_on))
    assert root.get("failures") == str(failed)
    assert (case(root, "MAK002 constructor-takes-resources").find("failure") is None) is (
        fail_on != "note"
    )
    assert "3 descriptors" in "".join(case(root, "MAK002 constructor-takes-resources").itertext())


def test_several_findings_of_one_rule_in_one_place_are_one_case() -> None:
    root = parsed(
        render(
            report(
                finding(message="first"),
                finding(message="second"),
                passed=(Passed("CLS006", SPEC, "direct"),),
            )
        )
    )
    failure = case(root, "CLS006 close-leaves-descriptors").find("failure")
    assert failure is not None
    assert failure.get("message") == "first (and 1 more)"
    assert "second" in (failure.text or "")


def test_ignored_finding_beside_an_open_one_is_in_system_out() -> None:
    accepted = finding(message="known", status="ignored", status_reason="why")
    one = case(
        parsed(render(report(finding(message="first"), accepted))),
        "CLS006 close-leaves-descriptors",
    )
    assert [child.tag for child in one] == ["failure", "system-out"]
    assert "ignored: why" in (one.findtext("system-out") or "")


def test_subjects_without_a_report_are_reported_too() -> None:
    assert len(parsed(render(replace(SAMPLE, subjects=())))) == 2


@with_any_text
def test_any_text(text: str) -> None:
    document = render(hostile(text), root=ROOT)
    parsed(document)
    assert not [character for character in document if character < " " and character != "\n"]
    assert not [
        line for line in document.splitlines() if "##[" in line or line.strip().startswith("::")
    ]
