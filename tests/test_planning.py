"""What is played, and what the first findings make worth playing."""

from __future__ import annotations

import pytest

from envdoctor import planning
from envdoctor.model.finding import ENVIRONMENT, INTERACTION, NOTE, UNKNOWN, Finding, Remedy
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, Outcome, Trace

GYMNASIUM = {"dialect": "gymnasium", "lacks": []}
SURVEY = {
    "managers": {
        "gymnasium-async": {"available": True, "reason": "", "start_methods": ["fork", "forkserver", "spawn"], "dialects": ["gymnasium"]},
        "gymnasium-sync": {"available": True, "reason": "", "start_methods": [None], "dialects": ["gymnasium"]},
        "other": {"available": False, "reason": "other is not installed", "start_methods": [None], "dialects": ["gymnasium"]},
    }
}


def managed(managers: tuple[str, ...] = (), methods: tuple[str, ...] = (), dialect: str = "gymnasium") -> tuple[list[object], list[str]]:
    scenarios, skipped = planning.managed("Env-v0", SURVEY, {**GYMNASIUM, "dialect": dialect}, managers, methods)
    return [scenario.place for scenario in scenarios], [f"{one.manager}: {one.reason}" for one in skipped]


def finding(code: str, manager: str = "direct", method: str | None = None, **fields: str) -> Finding:
    return Finding(code=code, name="n", message="m", remedy=Remedy("r"), manager=manager, start_method=method, **{"severity": "error", **fields})


def test_every_script_can_be_parsed() -> None:
    scenarios = [planning.SURVEY, planning.PLAIN, *planning.direct(GYMNASIUM)]
    assert all(scenario.verbs for scenario in scenarios)
    assert len({scenario.name for scenario in scenarios}) == len(scenarios)
    assert "check" not in {scenario.name for scenario in planning.direct({"dialect": "duck"})}


def test_every_place_by_default() -> None:
    places, skipped = managed()
    assert places == [("gymnasium-async", "fork"), ("gymnasium-async", "forkserver"), ("gymnasium-async", "spawn"), ("gymnasium-sync", None)]
    assert skipped == ["other: other is not installed"]


@pytest.mark.parametrize(
    ("managers", "methods", "places"),
    [
        (("direct",), (), []),
        (("gymnasium-sync",), ("spawn",), [("gymnasium-sync", None)]),
        (("gymnasium-async",), ("spawn", "fork"), [("gymnasium-async", "fork"), ("gymnasium-async", "spawn")]),
    ],
)
def test_selected_places(managers: tuple[str, ...], methods: tuple[str, ...], places: list[object]) -> None:
    assert managed(managers, methods) == (places, [])


def test_what_is_no_gymnasium_environment_is_examined_without_a_manager() -> None:
    places, skipped = managed(dialect="duck")
    assert places == []
    assert all("it needs a gymnasium.Env" in reason for reason in skipped[:2])


def test_one_who_hosts_in_its_own_process_lives_twice() -> None:
    assert planning.vector_life("gymnasium-sync", None).script.count("make") == 2
    assert planning.vector_life("gymnasium-async", "fork").script.count("make") == 1


@pytest.mark.parametrize(
    ("findings", "names"),
    [
        ([finding("CLS006"), finding("CLS007")], [("takings", ("direct", None), False)]),
        ([finding("CLS006", "gymnasium-sync", blame=ENVIRONMENT)], []),
        ([finding("CLS006", "gymnasium-sync", blame=UNKNOWN)], [("life", ("gymnasium-sync", None), True)]),
        ([finding("CLS006", "gymnasium-sync", blame=UNKNOWN, severity=NOTE)], []),
        (
            [finding("VEC001", "gymnasium-async", "spawn", blame="interaction")],
            [("without-shared-memory", ("gymnasium-async", "spawn"), False)],
        ),
        ([finding("PRC001", "gymnasium-async", method, blame=UNKNOWN) for method in ("fork", "fork", "spawn")], [
            ("life", ("gymnasium-async", "fork"), True), ("life", ("gymnasium-async", "spawn"), True),
        ]),
    ],
)  # fmt: skip
def test_follow_ups(findings: list[Finding], names: list[object]) -> None:
    scenarios = planning.follow_ups(findings, [])
    assert [(scenario.name, scenario.place, scenario.control) for scenario in scenarios] == names
    traces = [Trace(scenario, Outcome(FINISHED)) for scenario in scenarios]
    assert planning.follow_ups(findings, traces) == ()  # nothing is played twice


def test_the_cure_is_played_with_its_option() -> None:
    (scenario,) = planning.follow_ups([finding("VEC001", "gymnasium-async", "fork", blame="interaction")], [])
    assert scenario.options == (("shared_memory", False),)
    assert Scenario.from_dict(scenario.as_dict()) == scenario


def test_the_cure_that_a_finding_names_is_tried_where_it_was_found() -> None:
    cure = finding("REG004", "sb3-subproc", "forkserver", blame=INTERACTION).but(evidence={"cure": "named:walkers"})
    (scenario,) = planning.follow_ups([cure], [])
    assert (scenario.name, scenario.place, scenario.options) == ("cured", ("sb3-subproc", "forkserver"), (("cure", "named:walkers"),))
    assert planning.follow_ups([cure], [Trace(scenario, Outcome(FINISHED))]) == ()
