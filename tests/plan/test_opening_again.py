"""Scenarios for instances beyond one launch."""

from __future__ import annotations

import json
from typing import Any

from envdoctor.model.facts import Described, Survey, SurveyedManager
from envdoctor.model.finding import ENVIRONMENT, NOTE, UNKNOWN, Finding, Remedy
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, TIMED_OUT, Outcome, Trace
from envdoctor.plan import scenarios as planning
from envdoctor.plan.follow_ups import follow_ups
from envdoctor.plan.relaunches import controls, is_hopeless, opened_again

ALL: dict[str, Any] = {"relaunches": True, "retries": True}
KNOWN = SurveyedManager(relaunches=True, retries=True)
PLACE = ("ding-subproc", "fork")


def names(known: dict[str, Any], **described: Any) -> list[str]:
    manager = SurveyedManager(**known)
    return [scenario.name for scenario in opened_again(*PLACE, manager, Described(**described))]


def finding(**fields: Any) -> Finding:
    values = {"severity": "error", "blame": UNKNOWN, "evidence": {"scenario": "renewed"}, **fields}
    return Finding(
        code="VEC008",
        name="n",
        message="m",
        remedy=Remedy("r"),
        manager=PLACE[0],
        start_method=PLACE[1],
        **values,
    )


def test_managers_are_asked_for_what_they_can_do() -> None:
    assert names({}) == []
    assert names({"relaunches": True}) == ["relaunch"]
    assert names(ALL) == ["relaunch", "retried", "renewed"]
    assert names(ALL, reset_parameters={"level": 0}) == [
        "relaunch",
        "retried",
        "renewed",
        "parameters",
    ]


def test_parameters_survive_the_way_to_the_probe() -> None:
    *_, scenario = opened_again(
        *PLACE, KNOWN, Described(reset_parameters={"level": 0, "town": None})
    )
    arrived = Scenario.from_dict(json.loads(json.dumps(scenario.as_dict())))
    assert dict(dict(arrived.options)["reset_param"]) == {"level": 0, "town": None}


def test_only_the_first_start_method_and_only_managers_that_retry() -> None:
    known = {
        "available": True,
        "reason": "",
        "apis": ["ding"],
        "start_methods": ["fork", "spawn"],
        **ALL,
    }
    scenarios, _ = planning.managed(
        "crane.py",
        Survey.decode({"managers": {"ding-subproc": known}}),
        Described(api="ding"),
        (),
        (),
    )
    again = [
        scenario.place
        for scenario in scenarios
        if scenario.name in ("relaunch", "retried", "renewed")
    ]
    assert again == [PLACE] * 3


def test_the_null_environment_is_played_where_nobody_knows_whose_it_is() -> None:
    played = [
        Trace(scenario, Outcome(FINISHED)) for scenario in opened_again(*PLACE, KNOWN, Described())
    ]
    (control,) = controls([finding()], played)
    assert (control.name, control.place, control.control) == ("renewed", PLACE, True)
    assert dict(control.options)["retry_type"] == "renew"
    for known in (finding(blame=ENVIRONMENT), finding(severity=NOTE), finding(evidence={})):
        assert list(controls([known], played)) == []
    wanted = follow_ups([finding()], played)
    assert [(scenario.name, scenario.control) for scenario in wanted] == [
        ("life", True),
        ("renewed", True),
    ]


def test_place_whose_plain_life_hung_is_not_tried_again() -> None:
    relaunch, *_ = opened_again(*PLACE, KNOWN, Described())
    life = planning.vector_life(*PLACE)
    hung, well = Trace(life, Outcome(TIMED_OUT)), Trace(life, Outcome(FINISHED))
    assert is_hopeless(relaunch, [hung])
    assert not is_hopeless(relaunch, [well])
    assert not is_hopeless(relaunch, [Trace(planning.PLAIN, Outcome(TIMED_OUT))])
    assert not is_hopeless(life, [hung])
