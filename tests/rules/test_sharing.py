"""State that two instances share is named, and how each gets its own."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.environment_aims import SharedPlace
from envdoctor.model.facts import CalledLibrary, SharedState
from envdoctor.rules.engine.examples import direct_view
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
