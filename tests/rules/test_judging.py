"""Blame, reasons to skip, and rules that crash."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from envdoctor.model.facts import Known
from envdoctor.model.finding import ENVIRONMENT, INTERACTION, MANAGER, UNKNOWN
from envdoctor.model.trace import Trace
from envdoctor.rules.close.cls022_close_stops_in_wrapper import EXAMPLES as STOPPING
from envdoctor.rules.engine import registry
from envdoctor.rules.engine.examples import (
    LIFE,
    direct_view,
    life_trace,
    raised,
    reading,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.judging import Judgement, _place, judge, why_not_judged
from envdoctor.rules.engine.registry import (
    DIRECT_ONLY,
    IN_PROCESS,
    VECTOR_ONLY,
    Rule,
    all_rules,
    rule,
)
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.replay_buffers import forecast

FOUND = Known(is_found=True, env_class="sick.Sick")
ASYNC = {"manager": "gymnasium-async"}


@pytest.fixture(autouse=True)
def _rules_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "RULES", dict(registry.RULES))


def played(*ill: str, **place: object) -> Trace:
    """A life in which some verbs raised."""
    return trace(
        *[
            verb(word, "raised" if word in ill else "ended", at=at)
            for at, word in enumerate(LIFE.split())
        ],
        **place,
    )


def close_raises(**options: object) -> Rule:
    @rule("ZZZ001", "close-raises", **options)
    def judge_it(view: View) -> Iterator:
        if any(one.verbs("close", "raised") for one in view.traces):
            yield judge_it.finding("close() raises", "mend it.")

    return judge_it


def descriptors(**options: object) -> Rule:
    @rule("ZZZ002", "leaves-descriptors", sensors=("descriptors",), **options)
    def judge_it(view: View) -> Iterator:
        left = view.left("descriptors", "held")
        if left:
            yield judge_it.finding(f"leaves {sorted(left.values())}", "close them.")

    return judge_it


def verdict(rule_: Rule, *traces: Trace) -> Judgement:
    return judge("Sick-v0", FOUND, traces, [rule_])


def blames(judgement: Judgement) -> list[tuple[str, str | None, str, str]]:
    return [(one.manager, one.start_method, one.blame, one.severity) for one in judgement.findings]


def test_without_a_manager_it_is_the_environment() -> None:
    assert blames(verdict(close_raises(), played("close"))) == [
        ("direct", None, ENVIRONMENT, "error")
    ]


def test_finding_without_a_manager_too_is_the_environments() -> None:
    judgement = verdict(
        close_raises(), played("close"), played("close", start_method="spawn", **ASYNC)
    )
    assert [blame for _, _, blame, _ in blames(judgement)] == [ENVIRONMENT, ENVIRONMENT]


def test_nobody_is_blamed_before_the_control() -> None:
    judgement = verdict(close_raises(), played(), played("close", start_method="spawn", **ASYNC))
    assert blames(judgement) == [("gymnasium-async", "spawn", UNKNOWN, "error")]


def test_finding_of_the_control_too_is_the_managers_and_only_a_note() -> None:
    judgement = verdict(
        close_raises(),
        played(),
        played("close", start_method="spawn", **ASYNC),
        played("close", start_method="spawn", control=True, **ASYNC),
    )
    assert blames(judgement) == [("gymnasium-async", "spawn", MANAGER, "note")]


def test_finding_that_the_control_lacks_is_of_both_together() -> None:
    judgement = verdict(
        close_raises(),
        played(),
        played("close", start_method="spawn", **ASYNC),
        played(start_method="spawn", control=True, **ASYNC),
    )
    assert blames(judgement) == [("gymnasium-async", "spawn", INTERACTION, "error")]


def test_a_managers_own_trait_is_reported_once() -> None:
    traces = [
        played("close", start_method=method, control=control, **ASYNC)
        for method in ("fork", "spawn")
        for control in (False, True)
    ]
    assert blames(verdict(close_raises(), played(), *traces)) == [
        ("gymnasium-async", "fork", MANAGER, "note")
    ]


def test_a_rule_that_blames_itself_is_believed() -> None:
    @rule("ZZZ001", "its-own", blames_itself=True)
    def judge_it(_: View) -> Iterator:
        yield judge_it.finding("no", "yes.", blame=INTERACTION)

    assert blames(verdict(judge_it, played(start_method="fork", **ASYNC))) == [
        ("gymnasium-async", "fork", INTERACTION, "error")
    ]


def test_processes_that_outlive_a_manager_of_one_process_need_no_pair() -> None:
    """Alone, an instance is reset once: that a second reset() forgets what the first one began
    is seen only here.
    """

    def left(control: bool, **processes: str) -> Trace:
        events = [verb(word, at=at) for at, word in enumerate(LIFE.split())]
        points = [
            reading(point, {"processes": {} if point == "before" else processes})
            for point in ("before", "held", "collected")
        ]
        return trace(*events, *points, manager="gymnasium-sync", control=control)

    orphans = registry.all_rules()["PRC001"]
    assert [
        blame for _, _, blame, _ in blames(verdict(orphans, played(), left(False, p7="simulator")))
    ] == [UNKNOWN]
    assert [
        blame
        for _, _, blame, _ in blames(
            verdict(orphans, played(), left(False, p7="simulator"), left(True))
        )
    ] == [ENVIRONMENT]


def under_sync(held: dict[str, str], control: bool) -> Trace:
    events = [verb(word, at=at) for at, word in enumerate(LIFE.split())]
    points = [reading("before", {"descriptors": {}}), reading("held", {"descriptors": held})]
    return trace(*events, *points, manager="gymnasium-sync", control=control)


def test_counts_are_less_those_of_the_control() -> None:
    """One pipe is the manager's, the other one the environment's: each is told to whom it
    belongs.
    """
    plain = life_trace(before={"descriptors": {}}, held={"descriptors": {}})
    theirs, both = {"5": "pipe:[5]"}, {"5": "pipe:[7]", "6": "/tmp/level"}
    judgement = verdict(
        descriptors(), plain, under_sync(both, control=False), under_sync(theirs, control=True)
    )
    assert [(one.message, one.blame, one.severity) for one in judgement.findings] == [
        ("leaves ['/tmp/level']", INTERACTION, "error"),
        ("leaves ['pipe:[5]']", MANAGER, "note"),
    ]


@pytest.mark.parametrize(
    ("where", "places"),
    [
        (DIRECT_ONLY, {("direct", None)}),
        (
            VECTOR_ONLY,
            {("gymnasium-sync", None), ("gymnasium-async", "fork"), ("gymnasium-async", "spawn")},
        ),
        (IN_PROCESS, {("direct", None), ("gymnasium-sync", None)}),
    ],
)
def test_rule_is_judged_in_its_places(where: str, places: set[tuple[str, str | None]]) -> None:
    traces = [
        played(),
        played(manager="gymnasium-sync"),
        played(start_method="fork", **ASYNC),
        played(start_method="spawn", **ASYNC),
    ]
    judgement = verdict(close_raises(where=where), *traces)
    assert {(one.manager, one.start_method) for one in judgement.passed} == places
    assert (judgement.findings, judgement.skipped) == ((), ())


def test_a_rule_for_one_start_method() -> None:
    traces = [played(), played(start_method="fork", **ASYNC), played(start_method="spawn", **ASYNC)]
    assert [
        one.start_method for one in verdict(close_raises(start_methods=("spawn",)), *traces).passed
    ] == ["spawn"]


@pytest.mark.parametrize(
    ("options", "life", "reason"),
    [
        ({"needs": ("reopen",)}, played(), "not played: reopen"),
        ({"verb": "close"}, trace(verb("make")), "close was never reached"),
        (
            {"verb": "close"},
            trace(verb("close", "began"), outcome="timed-out", verb="close"),
            "close() hangs, so the rest was not played",
        ),
        (
            {"verb": "close drop"},
            trace(verb("make", "raised", error=raised("ValueError")), verb("drop")),
            "the constructor raises ValueError, so the rest was not seen",
        ),
        ({"verb": "close drop"}, trace(verb("close"), verb("drop")), ""),
        (
            {"sensors": ("ports",)},
            life_trace(before={"threads": {}}, held={"threads": {}}),
            "the sensor ports gave no reading",
        ),
    ],
)
def test_skipped_rule_has_its_reason(options: dict[str, object], life: Trace, reason: str) -> None:
    judgement = verdict(close_raises(**options), life)
    assert [one.reason for one in judgement.skipped] == ([reason] if reason else [])
    assert judgement.findings == ()
    assert len(judgement.passed) == (not reason)  # what was not judged has not passed


@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        ((), "DI-engine is not installed"),
        (("TypeError: no",), "none of the replay storages could be filled"),
    ],
)
def test_storages_that_were_not_filled_for_several_reasons(
    refused: tuple[str, ...], reason: str
) -> None:
    traces = [
        forecast("ding", missing="DI-engine is not installed"),
        *(forecast("sb3", refused=why) for why in refused),
    ]
    (skipped,) = verdict(close_raises(needs=("storage",)), played(), *traces).skipped
    assert skipped.reason == reason


def test_rule_without_its_reading_is_skipped_with_the_reason() -> None:
    judgement = judge(
        "Sick-v0",
        replace(FOUND, unjudged={"source": "the source is too new"}),
        [played("close")],
        [close_raises(about="source")],
    )
    assert [one.reason for one in judgement.skipped] == ["the source is too new"]
    assert (judgement.findings, judgement.passed) == ((), ())


def test_a_sensor_with_nothing_to_count_here_is_said_to_be_so() -> None:
    """A machine without a GPU, and one whose driver cannot be asked."""
    survey = replace(FOUND, sensors={"gpu-memory": "no driver"})
    rules = [close_raises(about="gpu-memory")]
    for absent in (("gpu-memory",), ()):
        seen = replace(survey, absent=absent)
        (skipped,) = judge("Sick-v0", seen, [played("close")], rules).skipped
        assert (skipped.reason, skipped.nothing_to_count) == ("no driver", bool(absent))


def test_a_rule_that_crashes_is_a_finding_and_hides_no_other() -> None:
    @rule("ZZZ003", "crashes")
    def judge_it(_: View) -> Iterator:
        raise ZeroDivisionError("no")
        yield

    judgement = judge("Sick-v0", FOUND, [played("close")], [judge_it, close_raises()])
    assert [one.code for one in judgement.findings] == ["DOC003", "ZZZ001"]
    assert "ZZZ003" in judgement.findings[0].message
    assert "ZeroDivisionError" in judgement.findings[0].message


def test_two_rules_cannot_have_one_code() -> None:
    close_raises()
    with pytest.raises(ValueError, match="two rules claim ZZZ001"):
        close_raises()


@pytest.mark.parametrize("lost", ["before", "imported"])
def test_rule_on_side_effects_does_not_pass_without_readings_around_the_import(lost: str) -> None:
    rule = all_rules()["SFX002"]
    there = {"directory": {"directory": "/lab"}}
    life = life_trace(before=there, made=there, reset=there, held=there)
    readings = {"before": there, "imported": there}
    complete = life_trace("survey", **readings)
    incomplete = life_trace("survey", **{**readings, lost: {}})
    assert why_not_judged(rule, direct_view(complete, life)) == ""
    assert why_not_judged(rule, direct_view(incomplete, life)) == (
        "the sensor directory was not read around the import"
    )


@pytest.mark.parametrize(
    ("is_seen_alone", "remedy"),
    [(True, "let Recorder.close() call"), (False, "end it in Maze.close()")],
)
def test_process_that_a_wrapper_keeps_from_its_end_is_for_that_wrapper(
    is_seen_alone: bool, remedy: str
) -> None:
    orphans = registry.all_rules()["PRC001"]
    view = replace(vector_view(), other_places=STOPPING[0].view.traces)
    finding = orphans.finding("1 process lives on", "end it in Maze.close()")
    placed = _place(finding, orphans, view, False, is_seen_alone)
    assert placed.remedy.text.startswith(remedy)
