"""One recorded case, examined again by the installed command, and what must be true of its report."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.recorded.catalogue import Case
from tests.recorded.playing import folder_of
from tests.support.zoo import examine, messages_of

#: Those whose source says enough for code: it is applied to a copy, played, and shown.
CURED = {
    "API010",
    "CLS001",
    "CLS002",
    "CLS003",
    "CLS006",
    "CLS007",
    "CLS008",
    "CLS009",
    "CLS010",
    "CLS012",
    "CLS014",
    "CLS022",
    "DET001",
    "DET002",
    "PRC001",
    "SFX004",
    "VEC002",
    "VEC003",
    "VEC006",
}


def examined(case: Case, *more: str) -> dict[str, Any]:
    """The report on a case, whose exit code fits it. Skips the test where its interpreter is not
    installed.
    """
    python: tuple[str, ...] = ()
    if case.interpreter:
        if case.interpreter not in os.environ:
            pytest.skip(way_to(case.interpreter))
        python = ("--python", os.environ[case.interpreter])
    words = (*python, *more, *case.words)  # a command that is watched comes last
    with folder_of(case) as folder:
        exit_code, document = examine(*words, cwd=folder, command=case.command)
    severities = {finding["severity"] for finding in document["findings"]}
    own = [one["training"]["code"] for one in document["subjects"] if one.get("training")]
    expected = int("error" in severities)
    if any(own):  # a training that fails has its own: 136 where SIGFPE killed it
        expected = 128 - own[0] if own[0] < 0 else own[0]
    assert exit_code == expected, messages_of(document)
    return document


def cured(case: Case) -> bool:
    """Return whether the remedy of a case is code that must work."""
    return case.family == "zoo" and bool(CURED.intersection(case.says))


def assert_as_expected(case: Case, *more: str, tries: bool = True) -> None:
    """A sick environment has its code and a remedy, a healthy one passes its rule, and neither has
    another error or warning. Remedies that must work are tried, unless that is not asked for.
    """
    verifies = tries and cured(case)
    plays_all = verifies or not case.says or case.command == "watch"
    document = examined(case, *more, *(() if plays_all else ("--no-try-remedies",)))
    expected = {*case.says, *case.may}
    findings = [entry for entry in document["findings"] if entry["severity"] != "note"]
    assert [entry["code"] for entry in findings if entry["code"] not in expected] == [], (
        messages_of(document)
    )
    assert {*case.passes} <= {entry["code"] for entry in document["passed"]}, (
        "silent, but not judged"
    )
    reasons = {(entry["code"], entry["reason"]) for entry in document["skipped"]}
    assert {(code, f"explained by {by}") for code, by in case.gives_way} <= reasons
    for code in case.says:
        first = next((entry for entry in document["findings"] if entry["code"] == code), None)
        assert first, messages_of(document)
        assert first["remedy"]["text"]
        if verifies and code in CURED:
            assert first["remedy_verified"], first["remedy"]
