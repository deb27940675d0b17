"""A generator that the seed reaches is not blamed for what the last episode left."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.environment_aims import SetBack
from envdoctor.rules.engine.examples import (
    compared,
    direct_view,
    fact,
    random_events,
    random_resets,
    trace,
    vector_view,
)
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.evidence.comparisons import culprits
from envdoctor.rules.evidence.leftover import aim_of_setting_back, how_to_set_back, with_leftover

OWN = "self._np_random"
PLACE = {"name": "self.mg.load", "class": "Microgrid", "resets": False}


@pytest.mark.parametrize(
    ("source", "fresh", "blamed"),
    [
        (OWN, ("xa", "ya"), []),  # both were given the seed: the third reset drew more often
        (OWN, ("xa", "yb"), [OWN]),
        (OWN, ("xa",), [OWN]),
        ("self.rng", ("xa", "ya"), ["self.rng"]),  # one that begins with a number of its own
    ],
)
def test_generator_that_is_alike_in_fresh_instances_was_seeded(
    source: str, fresh: tuple[str, ...], blamed: list[str]
) -> None:
    events = [event for states in fresh for event in random_events(source, states)]
    reused = random_resets(source, "xa", "ab", "bc")
    view = direct_view(trace(*events, name="life"), reused)
    assert culprits(view, "reset") == blamed


def test_method_that_sets_what_lives_on_is_the_cure() -> None:
    view = with_leftover(direct_view(), **PLACE, setter="update_variables")
    assert how_to_set_back(view).endswith(
        "set back self.mg.load; Microgrid.update_variables() sets it, and is not called there."
    )
    assert aim_of_setting_back(view) == SetBack(
        "self.mg.load", setter="update_variables", owner="Microgrid"
    )
    assert aim_of_setting_back(with_leftover(direct_view(), **PLACE)) == SetBack("self.mg.load")


@pytest.mark.parametrize("is_known", [True, False])
def test_workers_that_play_the_same_give_way_to_what_is_known_to_live_on(is_known: bool) -> None:
    """No seed makes a difference where nothing is drawn, and an attribute goes on in each."""
    mirrored = compared("mirrored", False, varies=True)
    tried = with_leftover(direct_view(), **PLACE).optional_traces if is_known else ()
    view = replace(vector_view(mirrored), optional_alone=tried)
    (finding,) = all_rules()["VEC002"].judge(view)
    assert finding.explained_alone == (("DET001",) if is_known else ())


def test_one_method_that_sets_both_attributes_is_named_once() -> None:
    both = [{**PLACE, "setter": "update"}, {**PLACE, "name": "self.mg.pv", "setter": "update"}]
    tried = trace(fact("leftover", {"places": both}), name="leftover")
    view = replace(direct_view(), optional_traces=(tried,))
    assert "self.mg.load and self.mg.pv; Microgrid.update() sets them" in how_to_set_back(view)
    assert aim_of_setting_back(view) == SetBack("self.mg.load", setter="update", owner="Microgrid")
    other = trace(
        fact("leftover", {"places": [both[0], {**both[1], "setter": ""}]}), name="leftover"
    )
    view = replace(view, optional_traces=(other,))
    assert "update()" not in how_to_set_back(view)
    assert aim_of_setting_back(view) == SetBack()


def test_reset_that_would_set_back_many_attributes_is_named_with_its_way() -> None:
    names = ("qvel", "ctrl", "cube")
    places = [{"name": f"self.robot.sim.{each}", "class": "Sim", "resets": True} for each in names]
    tried = trace(fact("leftover", {"places": places}), name="leftover")
    view = replace(direct_view(), optional_traces=(tried,))
    assert how_to_set_back(view).endswith(
        "set back qvel, ctrl and cube of self.robot.sim; Sim has a reset(), which is not called:"
        " self.robot.sim.reset()."
    )


def test_reset_of_the_object_that_has_all_attributes_is_the_cure() -> None:
    both = [{**PLACE, "resets": True}, {**PLACE, "name": "self.mg.pv", "resets": True}]
    tried = trace(fact("leftover", {"places": both}), name="leftover")
    view = replace(direct_view(), optional_traces=(tried,))
    assert aim_of_setting_back(view) == SetBack("self.mg.load", resets=True)
    for other in ({"name": "self.grid.pv"}, {"name": "self.mg.pv", "resets": False}):
        places = [both[0], {**both[1], **other}]
        tried = trace(fact("leftover", {"places": places}), name="leftover")
        view = replace(direct_view(), optional_traces=(tried,))
        assert aim_of_setting_back(view) == SetBack()
