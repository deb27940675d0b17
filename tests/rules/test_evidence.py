"""What rules read out of traces and say in common, by values."""

from __future__ import annotations

import pytest

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import INSTANCE, WHOLE
from envdoctor.model.events import Event
from envdoctor.model.facts import Known
from envdoctor.model.faults import PREFIX
from envdoctor.model.remedy import OwnRandom
from envdoctor.model.scenario import RENEWED, Scenario
from envdoctor.model.trace import FINISHED, SIGNALLED, Outcome, Trace
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    instance,
    raised,
    trace,
    vector_view,
    verb,
)
from envdoctor.rules.engine.judging import build_views
from envdoctor.rules.evidence.acquisitions import site_of
from envdoctor.rules.evidence.comparisons import cure
from envdoctor.rules.evidence.framework_checkers import told_directly
from envdoctor.rules.evidence.relaunches import failures
from envdoctor.rules.evidence.side_by_side import not_reproducible
from envdoctor.rules.leak.lek011_grows_until_collected import _cure as cure_of_cycles
from envdoctor.rules.processes.prc004_needs_children_in_daemon_worker import verified
from envdoctor.rules.wording.growth import cleanup

UNDER = {"manager": "gymnasium-async", "start_method": "spawn"}


def life_under() -> Trace:
    return trace(verb("make"), verb("close"), **UNDER)


def leak(*operations: str, side: str = WHOLE) -> Leak:
    return Leak("descriptors", side, "cycle", 1.0, 231, dict.fromkeys(operations, 1.0))


def taken(verb_: str, line: int) -> Event:
    return {
        "event": "acquisition",
        "t": 0.0,
        "pid": 1,
        "what": "descriptor",
        "verb": verb_,
        "target": f"self.file{line}",
        "frame": {"file": "arm.py", "line": line, "function": "Arm.open"},
    }


def taking(*lines: Event) -> Trace:
    return trace(*lines, name="acquisitions")


def test_line_that_takes_is_that_of_the_operation_that_grows() -> None:
    view = direct_view(taking(taken("make", 7), taken("reset", 9)))
    places = {
        name: site_of(view, "descriptor", leak(name)) for name in ("create", "cycle", "reset")
    }
    lines = {name: site.frame.line for name, site in places.items() if site is not None}
    assert lines == {"create": 7, "cycle": 7, "reset": 9}


def test_line_that_takes_is_unknown_where_several_may_be() -> None:
    view = direct_view(taking(taken("reset", 7), taken("reset", 9)))
    assert site_of(view, "descriptor", leak("reset")) is None


def test_only_line_that_takes_needs_no_operation() -> None:
    site = site_of(direct_view(taking(taken("reset", 7))), "descriptor", leak("step"))
    assert site is not None
    assert site.target == "self.file7"


def test_what_an_open_instance_keeps_goes_in_reset() -> None:
    view = direct_view()
    assert cleanup(view, leak("reset", side=INSTANCE)) == "Sick.reset()"
    assert cleanup(view, leak("reset", side=WHOLE)) == "Sick.close()"
    assert cleanup(view, leak("reset"), "render") == "Sick.render()"
    assert cleanup(view, leak("call")) == "Sick()"


@pytest.mark.parametrize(
    ("source", "text", "aim"),
    [
        ("self._np_random", "pass the seed on in the first line of Sick.reset()", True),
        ("numpy.random", "draw in Sick from the instance's own generator, self.np_random", True),
        ("torch", "give Sick a torch.Generator of its own, seed it in Sick.reset()", False),
        ("self.rng", "make self.rng anew in Sick.reset() where a seed is given", True),
        ("os.urandom", "look in Sick for what the seed does not reach", False),
    ],
)
def test_cure_follows_from_the_source_of_randomness(source: str, text: str, aim: bool) -> None:
    words, aimed = cure(direct_view(), [source])
    assert words.startswith(text)
    assert aimed == (OwnRandom(source) if aim else None)


def retried(*events: Event) -> Trace:
    failure = verb("reset", "raised", error=raised("ValueError", "no map"))
    return trace(*events, failure, name=RENEWED, script="make reset close", **UNDER)


def test_failure_of_a_manager_made_anew_is_reported() -> None:
    (failure,) = failures(vector_view(life_under(), retried()))
    assert (failure.name, failure.call, failure.text) == (RENEWED, "reset", "ValueError: no map")


def test_failure_after_a_close_that_raised_is_left_to_the_rules_on_close() -> None:
    close = instance("close-raised", error=raised())
    assert list(failures(vector_view(life_under(), retried(close)))) == []


def test_failure_is_not_reported_where_the_life_did_not_go_well() -> None:
    failed = trace(verb("step", "raised"), **UNDER)
    assert list(failures(vector_view(failed, retried()))) == []


def side_by_side(differs: bool, name: str) -> Trace:
    difference = {
        "call": "reset",
        "step": 0,
        "key": "observation",
        "what": "value",
        "place": None,
        "values": ["1", "2"],
    }
    alone = {"calls": 21, "unknown": [], "difference": difference if differs else None}
    return trace(fact("side-by-side", {"alone": alone, "instances": []}), name=name)


def test_instances_that_are_not_reproducible_alone_are_not_compared() -> None:
    reason = "what two instances return could not be compared: alone, it is not reproducible"
    proof, both = side_by_side(True, "undisturbed"), side_by_side(True, "two-at-once")
    assert not_reproducible(direct_view(both)).startswith(reason)
    assert not_reproducible(direct_view(side_by_side(False, "two-at-once"), proof)) != ""
    assert not_reproducible(direct_view(both, side_by_side(False, "undisturbed"))) == ""


@pytest.mark.parametrize(
    ("events", "outcome", "text"),
    [
        ((verb("step"),), FINISHED, " (verified: works with daemon=False)"),
        ((), FINISHED, " (tried: then something else fails, too)"),
        ((verb("step"),), SIGNALLED, " (tried: then something else fails, too)"),
        (
            (verb("step"), verb("close", "raised")),
            FINISHED,
            " (tried: then something else fails, too)",
        ),
    ],
)
def test_cure_of_daemonic_workers_is_verified_by_a_whole_play(
    events: tuple[Event, ...], outcome: str, text: str
) -> None:
    assert verified(trace(*events, outcome=outcome)) == text


def test_cure_of_daemonic_workers_that_was_not_played_says_nothing() -> None:
    assert verified(None) == ""


@pytest.mark.parametrize(
    ("of_function", "handles", "text"),
    [
        (False, True, "Close it in Sick.close(), and in Sick.reset() before another one takes"),
        (False, False, "cut the cycle in Sick when it is of no use any more: clear attributes"),
        (True, True, "Close it before Sick() returns: what is closed waits for nothing."),
        (
            True,
            False,
            (
                "Cut the cycle before Sick() returns: clear attributes that refer back, or make"
                " them weak references."
            ),
        ),
    ],
)
def test_cure_of_reference_cycles(of_function: bool, handles: bool, text: str) -> None:
    played = (trace(name="first-call"),) if of_function else ()
    assert cure_of_cycles(direct_view(*played), handles).startswith(text)


def checked(kind: str) -> Trace:
    said = {"checker": "gymnasium", "version": "1", "kind": kind, "message": "", "error": None}
    return trace(fact("check", said), name="check")


def test_contract_is_broken_directly_where_a_checker_or_a_call_raises() -> None:
    assert told_directly(direct_view(checked("raised")))
    assert told_directly(direct_view(trace(verb("reset", "raised"))))
    assert told_directly(direct_view(checked("warned"), trace(verb("step", "raised"))))
    assert not told_directly(direct_view(checked("warned"), trace(verb("close", "raised"))))


def test_views_know_the_plays_with_faults_of_their_own_place() -> None:
    here, elsewhere = (
        Trace(
            Scenario(f"{PREFIX}raises@0", "make reset", "gymnasium-async", method, control=True),
            Outcome(FINISHED),
            (),
        )
        for method in ("spawn", "fork")
    )
    (view,) = build_views("Sick-v0", Known(), [life_under(), here, elsewhere])
    assert (view.faults, view.control) == ((here,), None)
