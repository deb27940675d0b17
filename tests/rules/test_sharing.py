"""Two instances at once: state that they share, addresses in use, and calls that one breaks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.model.environment_aims import SharedPlace
from envdoctor.model.errors import ErrorValue
from envdoctor.model.events import Event
from envdoctor.model.facts import CalledLibrary, SharedState
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.evidence.copies import copy_troubles
from envdoctor.rules.evidence.used_addresses import ADDRESS_IN_USE, is_used_by_another
from envdoctor.rules.processes.prc002_zombies_after_manager_close import zombies_after_manager_close
from envdoctor.rules.wording.sharing import own_instead, shared_evidence, what_is_shared

VIEW = direct_view(env_class="rig.Env")
BY_DEFAULT = SharedPlace("default", "body of Env.__init__()", "self.body", "/home/me/rig.py", 7)
GIVEN = SharedPlace("module", "rig.BODIES", "self.bodies")
OF_CLASS = SharedPlace("class", "rig.World.bodies")
OF_MODULE = SharedPlace("module", "rig.TIME")
HELD = SharedPlace("held", "self.rig", "self.rig")
BULLET = CalledLibrary("pybullet", "/home/me/rig.py", 9)


@pytest.mark.parametrize(
    ("place", "words", "remedy"),
    [
        (BY_DEFAULT, "the default argument body of Env.__init__(), rig.py:7", "give body the"),
        (GIVEN, "rig.BODIES, which both hold as self.bodies", "let Env.__init__() copy"),
        (OF_CLASS, "rig.World.bodies, which the class keeps", "make bodies in World.__init__()"),
        (OF_MODULE, "rig.TIME, which the module keeps", "make TIME in Env.__init__()"),
        (HELD, "the object that both hold as self.rig", "let Env.__init__() copy"),
    ],
)
def test_place_is_named_with_its_remedy(place: SharedPlace, words: str, remedy: str) -> None:
    shared = SharedState((place,), (BULLET,))
    assert what_is_shared(shared).startswith(f"; both change {words}")
    cure = own_instead(VIEW, shared)
    assert cure is not None
    assert cure.text.startswith(remedy)


def test_library_is_named_where_nothing_else_is_shared() -> None:
    shared = SharedState((), (BULLET,))
    assert "both call pybullet (rig.py:9)" in what_is_shared(shared)
    cure = own_instead(VIEW, shared)
    assert cure is not None
    assert "each call of pybullet" in cure.text


@pytest.mark.parametrize(
    "shared", [SharedState(), SharedState((), (BULLET, CalledLibrary("mujoco", "/a.py", 1)))]
)
def test_nothing_is_named_where_nothing_is_certain(shared: SharedState) -> None:
    assert what_is_shared(shared) == ""
    assert own_instead(VIEW, shared) is None


def test_evidence_has_libraries_only_without_places() -> None:
    evidence: dict[str, Any] = shared_evidence(SharedState((OF_CLASS,), (BULLET,)))
    assert list(evidence) == ["shared"]
    assert list(shared_evidence(SharedState((), (BULLET,)))) == ["libraries"]


IN_USE = ErrorValue.decode(ADDRESS_IN_USE)
OTHER = raised("ValueError", "no map")


@pytest.mark.parametrize(
    ("beside", "error", "is_used"),
    [
        (ADDRESS_IN_USE, IN_USE, True),
        (OTHER, IN_USE, False),
        (ADDRESS_IN_USE, ErrorValue.decode(OTHER), False),
        (ADDRESS_IN_USE, None, False),
    ],
)
def test_address_is_that_of_another_instance_where_two_cannot_have_it(
    beside: dict[str, object], error: ErrorValue | None, is_used: bool
) -> None:
    both = trace(verb("make"), verb("reset@1", "raised", at=3, error=beside), name="two-at-once")
    assert is_used_by_another(direct_view(both), error) is is_used


def test_address_that_is_free_for_two_is_not_explained() -> None:
    both = trace(verb("make"), verb("make", at=1), verb("reset@1", at=3), name="two-at-once")
    assert not is_used_by_another(direct_view(both), IN_USE)
    assert not is_used_by_another(direct_view(), IN_USE)


UNCHANGED = {"calls": 9, "unknown": [], "difference": None}
STEP = verb("step:3", "raised", at=4, error=raised(function="step"))
COPIED = (verb("make"), verb("reset", at=1), verb("step:3", at=2), verb("copy", at=3), STEP)


@pytest.mark.parametrize(
    ("alone", "events", "is_the_copys"),
    [
        ((verb("make"), verb("step:20", at=2)), COPIED, True),
        ((verb("make"), verb("step:20", "raised", at=2)), COPIED, False),
        ((verb("make"), verb("step:20", at=2)), COPIED[:3] + COPIED[4:], False),
    ],
    ids=["comes back alone", "raises alone", "was not copied"],
)
def test_call_is_broken_by_the_copy(
    alone: tuple[Event, ...], events: tuple[Event, ...], is_the_copys: bool
) -> None:
    same = {"alone": UNCHANGED, "instances": [UNCHANGED]}
    facts = (fact("copied", {"failed": None}), fact("side-by-side", same))
    copied = trace(*events, *facts, name="copied")
    view = replace(direct_view(trace(*alone)), optional_traces=(copied,))
    assert bool([each.message for each in copy_troubles(view)]) is is_the_copys


def test_life_without_readings_leaves_no_zombies() -> None:
    assert not list(zombies_after_manager_close.judge(direct_view(trace(verb("make")))))
