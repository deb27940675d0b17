"""Instances and their lifecycles from journals, by values."""

from __future__ import annotations

import pytest

from envdoctor.analysis.instances import (
    AT_CLOSE,
    AT_DROP,
    BEFORE_CLOSE,
    COLLECTED,
    LATER,
    LEFT_ALIVE,
    NEVER,
    UNWATCHED,
    WITH_PROCESS,
    Closing,
    Instance,
    instances,
)
from envdoctor.model.events import Event
from envdoctor.model.finding import Location
from envdoctor.rules.engine.examples import fact, instance, raised, trace, verb


def span(name: str, began: float, ended: float) -> tuple[Event, Event]:
    return {**verb(name, "began"), "t": began}, {**verb(name), "t": ended}


def at(t: float, event: Event) -> Event:
    return {**event, "t": t}


VERBS = (*span("make", 1, 2), *span("reset", 3, 4), *span("close", 5, 6), *span("drop", 7, 8))
MADE = at(1.5, instance("made", type="sick.Sick", watched=True))
CLOSED = (at(5.1, instance("closing", resets=2)), at(5.2, instance("closed")))


def only(*events: Event) -> Instance:
    (found,) = instances(trace(*VERBS, *events))
    return found


@pytest.mark.parametrize(
    ("events", "finalized"),
    [
        ([*CLOSED, at(7.5, instance("finalized"))], AT_DROP),
        (
            [
                *CLOSED,
                at(7.5, instance("finalized")),
                fact("survivors", {"life": 0, "serials": [1]}),
            ],
            COLLECTED,
        ),
        ([*CLOSED, at(5.5, instance("finalized"))], AT_CLOSE),
        ([*CLOSED, at(6.5, instance("finalized"))], LATER),
        ([at(4.5, instance("finalized"))], BEFORE_CLOSE),
        ([*CLOSED], NEVER),
    ],
)
def test_finalization_has_its_time(events: list[Event], finalized: str) -> None:
    assert only(MADE, *events).finalized == finalized


def test_instances_that_cannot_be_watched_or_end_with_their_process_are_known() -> None:
    assert only(at(1.5, instance("made", watched=False))).finalized == UNWATCHED
    assert only(at(1.5, instance("made", pid=7, parent=False))).finalized == WITH_PROCESS


def test_the_last_one_is_left_to_the_exit() -> None:
    (one,) = instances(trace(*VERBS[:4], MADE, name="exit", script="make reset leave"))
    assert one.finalized == LEFT_ALIVE


def test_closing_call_and_its_error_are_known() -> None:
    failed = at(5.2, instance("close-raised", error=raised("ValueError", "no file")))
    assert only(MADE, CLOSED[0], failed).closings == (Closing("close", "ValueError: no file"),)
    assert only(
        MADE, *CLOSED, at(7.1, instance("closing")), at(7.2, instance("closed"))
    ).closings == (Closing("close"), Closing("drop"))
    assert only(MADE, CLOSED[0]).closings == (Closing("close", "it did not return"),)
    assert only(MADE).closings == ()


def test_every_reset_is_counted_though_only_the_first_are_written_down() -> None:
    resets = [at(3.5, instance("reset", resets=number)) for number in (1, 2, 3)]
    assert (only(MADE, *resets).resets, only(MADE, *resets).more_resets) == (3, True)
    one = only(MADE, *resets, at(5.1, instance("closing", resets=40)))
    assert (one.resets, one.more_resets) == (40, False)
    dropped = only(MADE, *resets, at(7.5, instance("finalized", resets=12)))
    assert (dropped.resets, dropped.more_resets) == (12, False)


def test_an_address_that_is_given_again_is_another_object() -> None:
    first = [MADE, *CLOSED, at(7.5, instance("finalized"))]
    second = at(9, instance("made", 2, id=1, base=2))
    found = instances(trace(*VERBS, *first, second))
    assert [one.address_of for one in found] == [None, 1]
    elsewhere = at(9, instance("made", 2, pid=9, id=1))
    assert instances(trace(*VERBS, *first, elsewhere))[1].address_of is None


def test_objects_that_took_the_place_of_the_innermost_one() -> None:
    swap = at(3.5, instance("reset", id=5, base=2, resets=1))
    again = at(3.9, instance("reset", id=1, base=3, resets=2))
    place = {"file": "env.py", "line": 7, "function": "Sick.reset"}
    built: Event = {
        "event": "inner",
        "t": 3.7,
        "pid": 1,
        "what": "made",
        "base": 3,
        "id": 1,
        "frame": place,
    }
    closed: Event = {"event": "inner", "t": 3.8, "pid": 1, "what": "closed", "base": 2, "id": 5}
    ended: Event = {"event": "inner", "t": 7.5, "pid": 1, "what": "finalized", "base": 3, "id": 1}
    one = only(
        MADE,
        swap,
        built,
        closed,
        again,
        at(3.95, instance("finalized")),
        *[{**event, "base": 3} for event in CLOSED],
        ended,
    )
    assert [
        (thing.serial, thing.address_of, thing.closed_during, thing.finalized)
        for thing in one.objects
    ] == [(1, None, "", True), (2, None, "reset", False), (3, 1, "", True)]
    assert [thing.made_at for thing in one.objects] == [
        None,
        None,
        Location("env.py", 7, "Sick.reset"),
    ]
    assert one.finalized == AT_DROP  # the last of them, not the first


def test_instance_that_could_not_be_made_did_not_live() -> None:
    assert instances(trace(instance("making"), instance("make-raised", error=raised()))) == ()


def test_the_environment_that_a_base_env_keeps_is_the_innermost_one() -> None:
    first = at(3.5, instance("reset", base=1, real=2, real_id=20, resets=1))
    again = at(3.9, instance("reset", base=1, real=3, real_id=30, resets=2))
    one = only(MADE, first, again)
    assert [(thing.serial, thing.id) for thing in one.objects] == [(2, 20), (3, 30)]


def test_close_that_began_again_before_it_came_back_is_one_of_two() -> None:
    again = at(5.3, instance("closing", resets=2))
    found = only(MADE, CLOSED[0], again, at(5.4, instance("closed")))
    assert found.closings == (Closing("close"), Closing("close"))
