"""Resources that a function of actions keeps, and those that the environment beside it keeps: by
values.
"""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.actions import ActionSource
from envdoctor.model.facts import Known
from envdoctor.model.finding import ERROR, Finding, Location, Remedy, Skipped
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import Subject
from envdoctor.rules.engine.judging import Judgement
from envdoctor.verdict.diagnosis import KEEPS, MIXED, without_functions

ENV, POLICY = "/home/me/env.py", "/home/me/pol.py"
OF_FILE = ActionSource("pol.py:act", name="act", path=POLICY)
OF_MODULE = ActionSource("me.pol:act", name="act", module="me.pol")


def frame(file: str, function: str = "act") -> dict[str, Any]:
    return {"file": file, "line": 3, "function": function}


def found(code: str, place: str = ENV, function: str = "Env", **evidence: Any) -> Finding:
    return Finding(
        code,
        "name",
        ERROR,
        "message",
        Remedy(""),
        "env.py:Env",
        DIRECT,
        location=Location(place, 2, function),
        evidence=evidence,
    )


def judged(*findings: Finding, source: ActionSource | None = OF_FILE, env: str = ENV) -> Judgement:
    subject = Subject("env.py:Env", "file", path=env, action=source)
    known = {"source": frame(env, "Env"), "methods": {"step": frame(env, "Env.step")}}
    return without_functions(Judgement(findings), subject, Known.decode(known))


@pytest.mark.parametrize(
    "finding",
    [
        found("CLS006", taken_at=[frame(POLICY)]),
        found("CLS006", taken_at=[frame(POLICY, "helper")]),
        found("SFX004", POLICY, "act"),
        found("LEK001", POLICY, "act", meter="objects", lines=[frame(POLICY)], held_in="pol.seen"),
        found("LEK003", meter="heap", holders=[{"chain": "native"}, {"chain": "pol.seen[1].x"}]),
    ],
)
def test_resource_of_the_function_of_actions_is_not_a_finding(finding: Finding) -> None:
    judgement = judged(finding)
    assert judgement.findings == ()
    assert judgement.skipped == (Skipped(finding.code, "env.py:Env", DIRECT, KEEPS),)
    assert judged(finding, source=None).findings == (finding,)
    assert judged(finding, source=ActionSource("1", 1)).findings == (finding,)


@pytest.mark.parametrize(
    "finding",
    [
        found("CLS006", taken_at=[frame(POLICY), frame(ENV, "Env.reset")]),
        found("CLS006"),
        found("LEK001", meter="objects", lines=[frame(ENV, "Env.step")], held_in="pol.seen"),
        found("LEK001", meter="objects", held_in="policies.seen"),
        found("SFX004", "/home/me/other/pol2.py", "act"),
        found("XYZ001", taken_at="pol.py", lines=3, holders=["pol.seen"], records={}),
    ],
)
def test_resource_of_the_environment_is_a_finding(finding: Finding) -> None:
    assert judged(finding).findings == (finding,)
    assert judged(finding).skipped == ()


def test_in_one_file_only_the_lines_of_the_function_are_its_own() -> None:
    own, other = found("CLS006", taken_at=[frame(POLICY)]), found("CLS007", POLICY, "Env.step")
    held = found("LEK001", meter="objects", held_in="pol.seen")
    assert judged(own, other, held, env=POLICY).findings == (other, held)


def test_a_module_is_known_by_its_path() -> None:
    own, other = found("CLS006", "/home/me/pol.py", "act"), found("CLS007", "/home/my/pol.py", "a")
    assert judged(own, other, source=OF_MODULE).findings == (other,)
    assert judged(found("LEK001", held_in="me.pol.seen"), source=OF_MODULE).findings == ()


def test_growth_without_a_place_is_not_distinguished() -> None:
    own = found("LEK001", POLICY, "act", meter="objects", held_in="pol.seen")
    nowhere, named = found("LEK012", meter="data"), found("LEK001", meter="a", held_in="Env.seen")
    judgement = judged(own, nowhere, named)
    assert judgement.findings == (named,)
    assert judgement.skipped == (Skipped("LEK012", "env.py:Env", DIRECT, MIXED),)
    assert judged(nowhere).findings == (nowhere,)
