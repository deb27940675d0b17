"""Texts on replay storages, by values."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.analysis.replay_buffers import (
    FORECAST,
    MEMORY,
    NAME,
    NONE,
    TIME,
    growing,
    kind_of,
    measured,
    room_of,
    skipped,
    summarise,
)
from envdoctor.errors import UsageError
from envdoctor.model.facts import Known, PastCapacity, StorageForecast, StorageTurn
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.records import Fill
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.leak_session import QUICK
from envdoctor.plan.replay_buffers import DEFAULT, FILLED, LEAST, StorageRequest, affordable, store
from envdoctor.reporters._storages import verdict
from envdoctor.request import choices
from envdoctor.request.request import Request
from envdoctor.rules.engine.examples import fact, played_block, trace, verb
from envdoctor.rules.engine.judging import judge
from envdoctor.rules.engine.registry import catalogue
from envdoctor.rules.evidence.replay_buffers import filled, forecast, stored_view, turns
from envdoctor.rules.replay.buf002_grows_past_capacity import grows_past_capacity
from envdoctor.rules.replay.buf005_storage_files_left import storage_files_left
from envdoctor.run.examine import _asked

TOLD = {
    "place": "memory",
    "parts": {"observation": 1000},
    "rooms": {},
    "seconds": 1e-6,
    "missing": "",
    "refused": "",
}


@pytest.mark.parametrize(
    ("told", "memory", "capacity"),
    [
        (TOLD, 100_000_000, 25_000),  # a quarter of what is free
        (TOLD, 1 << 40, FILLED // 1000),
        ({**TOLD, "seconds": 0.014}, 1 << 40, 1000),  # fourteen seconds for one turn
        ({**TOLD, "place": "shared", "rooms": {"/dev/shm": 1_000_000}}, 1 << 40, 250),
        ({**TOLD, "parts": {"observation": 10**9}}, 1 << 20, 1),
        ({**TOLD, "seconds": 10.0}, 1 << 40, LEAST),
    ],
)
def test_as_many_are_filled_as_memory_and_time_allow(
    told: dict[str, Any], memory: int, capacity: int
) -> None:
    assert (
        min(affordable(StorageForecast.decode(told), StorageRequest(("torchrl-list",)), memory))
        == capacity
    )


def test_shared_memory_is_bounded_by_its_file_system() -> None:
    rooms = {"/dev/shm": 64}
    assert room_of(StorageForecast(place="shared", rooms=rooms), 1000) == 64
    assert room_of(StorageForecast(place="memory", rooms=rooms), 1000) == 1000
    assert room_of(StorageForecast(place="shared"), 1000) == 1000


def fill(stored: int, memory: int, heap: int = 0) -> dict[str, Any]:
    return {"stored": stored, "rose": {"memory": memory, "heap": heap}, "collected": {}}


def fills(*told: dict[str, Any]) -> list[Fill]:
    return [decoded(Fill, one) for one in told]


def test_allocation_made_once_is_not_part_of_a_transition() -> None:
    chunks = fills(fill(100, 5_000_000), fill(100, 5_100_000), fill(100, 5_200_000))
    assert measured(chunks, 300) == 1000
    # Pages that were there before.
    assert measured(fills(fill(100, 4096, 300_000), fill(100, 8192, 300_000)), 3000) == 100
    assert measured(fills(fill(100, 1000)), 100) is None


@pytest.mark.parametrize(
    ("rises", "kind"),
    [
        ((500, 400, 400), "grows"),
        ((500, 90, 0), "flat"),
        ((5000, 400, 90), "undecided"),
        ((400, 400), "undecided"),
    ],
)
def test_growth_is_what_rises_evenly_in_three_turns(rises: tuple[int, ...], kind: str) -> None:
    past = PastCapacity(
        turns=tuple(StorageTurn(1000, {"objects": rise}) for rise in rises),
        flat=rises[-1] <= 64,
        tolerated={"objects": 64},
    )
    assert kind_of(past) == kind
    assert bool(growing(past)) == (kind == "grows")


def test_a_storage_that_was_never_full_has_no_verdict() -> None:
    assert kind_of(PastCapacity(short=12)) == ""


def played(
    *facts: tuple[str, Any], control: bool = False, outcome: str = FINISHED
) -> list[Scenario]:
    """The scenarios that are played when each of them leaves these facts."""
    scenarios: list[Scenario] = []

    def play(scenario: Scenario) -> Trace:
        scenarios.append(scenario)
        return trace(
            *(fact(key, value) for key, value in facts),
            name=scenario.name,
            script=scenario.script,
            options=scenario.options,
        )

    store(play, StorageRequest(("torchrl-list",), 1000), 1 << 40)
    return scenarios


def test_nothing_is_asked_again_where_nothing_grows() -> None:
    scenarios = played(("forecast", TOLD), ("past", turns()))
    assert [scenario.name for scenario in scenarios] == [FORECAST, NAME]
    assert (
        scenarios[1].script == "stock:1000 fill:250 fill:250 fill:250 fill:250 past:1000 look empty"
    )


def test_growth_is_tried_with_the_null_environment_and_without_a_storage() -> None:
    scenarios = played(("forecast", TOLD), ("past", turns(objects=5000)))
    assert [
        (scenario.control, dict(scenario.options)["storage"]) for scenario in scenarios[2:]
    ] == [(True, "torchrl-list"), (False, NONE)]


@pytest.mark.parametrize(
    "why",
    [
        {"missing": "torchrl is not installed in this interpreter"},
        {**TOLD, "refused": "TypeError: no"},
    ],
)
def test_storage_that_cannot_be_filled_is_skipped(why: dict[str, Any]) -> None:
    assert len(played(("forecast", why))) == 1
    told = forecast(**{**why, "missing": why["missing"]})
    (one,) = skipped("Sick-v0", [told])
    assert (one.manager, one.reason) == ("torchrl-list", why.get("missing") or why.get("refused"))


def test_a_summary_says_how_far_it_was_filled() -> None:
    stocked = trace(
        verb("stock:1000"),
        fact("past", turns()),
        name=NAME,
        script="stock:1000",
        options=(("storage", "torchrl-list"),),
    )
    (one,) = summarise([forecast(asked=DEFAULT), stocked])
    assert (one.capacity, one.asked, one.kind) == (1000, DEFAULT, "flat")
    assert "1,000 of 10,000" in one.reduced


@pytest.mark.parametrize(
    ("limit", "reason"),
    [(MEMORY, "would take too much of the memory"), (TIME, "would take longer than --time-budget")],
)
def test_limited_storage_is_judged_as_far_as_it_was_filled(limit: str, reason: str) -> None:
    stocked = trace(
        verb("stock:1000"),
        fact("past", turns()),
        name=NAME,
        script="stock:1000",
        options=(("storage", "torchrl-list"), ("limit", limit)),
    )
    (one,) = summarise([forecast(asked=DEFAULT), stocked])
    assert one.reduced.startswith("filled with 1,000 of 10,000, ")
    assert reason in one.reduced
    text, _ = verdict(one)
    assert "transitions past the 1,000 that it was filled with. 10,000 would take" in text


def test_the_one_that_allows_less_is_named() -> None:
    asked: list[Scenario] = []

    def play(scenario: Scenario) -> Trace | None:
        asked.append(scenario)
        return forecast(**TOLD) if scenario.name == FORECAST else None

    for memory, limit in ((4000, MEMORY), (1 << 40, TIME)):
        store(play, StorageRequest(("torchrl-list",), seconds=0.001), memory)
        assert dict(asked[-1].options)["limit"] == limit


def test_growth_that_the_null_environment_shows_is_the_storages_own() -> None:
    grown = filled(past=turns(objects=2000))
    control = Trace(
        Scenario(NAME, grown.scenario.script, control=True, options=grown.scenario.options),
        grown.outcome,
        grown.events,
    )
    judgement = judge(
        "Sick-v0", Known(is_found=True), [forecast(), grown, control], [grows_past_capacity]
    )
    assert [(finding.blame, finding.severity) for finding in judgement.findings] == [
        ("manager", "note")
    ]


def test_a_storage_that_is_not_installed_passes_no_rule() -> None:
    from envdoctor.rules.replay.buf001_forecast_exceeds_memory import forecast_exceeds_memory

    rules = [forecast_exceeds_memory, grows_past_capacity]
    judgement = judge(
        "Sick-v0", Known(is_found=True), [forecast(missing="it is not installed")], rules
    )
    assert not judgement.passed
    assert {one.reason for one in judgement.skipped} == {"it is not installed"}
    both = judge(
        "Sick-v0",
        Known(is_found=True),
        [forecast(), filled(past=turns()), forecast("ding", missing="no")],
        rules,
    )
    assert [one.code for one in both.passed] == ["BUF001", "BUF002"]


def test_a_leak_of_every_reset_is_reported_once() -> None:
    """It grows without a storage as well, and the leak check names the line."""
    from envdoctor.rules.leak.lek001_python_objects_grow import python_objects_grow

    grown = filled(past=turns(objects=2000))
    alone = trace(
        *grown.events,
        name=NAME,
        script="stock:1000 past:1000",
        options=(("storage", NONE), ("beside", "torchrl-list")),
    )
    leaks = [played_block(cycles, {"objects": 2 * cycles}) for cycles in (7, 7, 7, 14, 28, 56, 112)]
    rules = [grows_past_capacity, python_objects_grow]
    both = judge("Sick-v0", Known(is_found=True), [*leaks, forecast(), grown, alone], rules)
    assert [finding.code for finding in both.findings] == ["LEK001"]
    only = judge("Sick-v0", Known(is_found=True), [forecast(), grown, alone], rules)
    assert [finding.code for finding in only.findings] == ["BUF002"]


def test_files_that_were_not_mapped_are_not_the_storages() -> None:
    left = {"files": {"$TMPDIR/run.log": 10}, "scratch": None}
    assert not list(
        storage_files_left.judge(
            stored_view(forecast("ding"), filled("ding", kept={"mapped": []}, emptied=left))
        )
    )


@pytest.mark.parametrize(
    "code, named", [("BUF001", "--storage NAME"), ("TRN001", "envdoctor watch -- COMMAND")]
)
def test_rules_on_what_is_not_played_are_silent(code: str, named: str) -> None:
    asked = {entry.code for entry in _asked(catalogue(), Request(()))}
    assert "CLS001" in asked
    assert not any(other.startswith(code[:3]) for other in asked)
    with pytest.raises(UsageError, match=named):
        _asked(tuple(entry for entry in catalogue() if entry.code == code), Request(()))


def test_choices() -> None:
    assert choices.storages() == ("ding", "sb3", "torchrl-list", "torchrl-memmap", "torchrl-tensor")
    assert choices.storage_request(None, None, 60.0) is None
    wish = choices.storage_request(["sb3,ding"], 7, 60.0)
    assert wish == StorageRequest(("sb3", "ding"), 7, 60.0)
    with pytest.raises(UsageError, match="did you mean torchrl-list"):
        choices.storage_request(["torchrl-lst"], None, 60.0)
    with pytest.raises(UsageError, match="name one"):
        choices.storage_request(None, 7, 60.0)
    assert choices.effort(None, 60.0, False, None, wish) == QUICK
    assert choices.effort(500, 60.0, False, None, wish).cap == 500
