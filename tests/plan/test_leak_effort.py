"""The effort of a leak check is a number of cycles and steps: how quick the machine is changes
nothing, as far as the time goes.
"""

from __future__ import annotations

import pytest

from envdoctor.analysis.growth.side_reading import sides_of
from envdoctor.analysis.growth.verdicts import LEAK
from envdoctor.plan.leak_check import check_leaks
from envdoctor.plan.leak_session import QUICK, Effort
from tests.plan.test_leak_check import FakeProbe, Source, objects

#: One machine, and others that are slower: seconds of a create, a reset and a step.
MACHINES = {
    "quick": (0.0005, 0.0001, 0.00001),
    "twice as slow": (0.001, 0.0002, 0.00002),
    "nine times as slow": (0.0045, 0.0009, 0.00009),
}


def _followed(seconds: tuple[float, float, float], effort: Effort, episode: int) -> FakeProbe:
    probe = FakeProbe((objects(reset=1),), seconds=seconds)
    check_leaks(probe, effort, episode=episode)
    return probe


@pytest.mark.parametrize(
    ("effort", "episode", "followed"),
    [
        (QUICK, 500, True),
        (QUICK, 1000, True),
        (QUICK, 2000, False),
        (Effort(), 2000, True),
        (Effort(), 20_000, False),
    ],
    ids=["check 500", "check 1,000", "check 2,000", "leak 2,000", "leak 20,000"],
)
@pytest.mark.parametrize("seconds", MACHINES.values(), ids=list(MACHINES))
def test_whole_episodes_are_followed_by_their_steps(
    seconds: tuple[float, float, float], effort: Effort, episode: int, followed: bool
) -> None:
    assert bool(_followed(seconds, effort, episode).scripts("leak-episodes")) is followed


def test_episodes_whose_steps_are_slow_are_left_out() -> None:
    assert _followed((0.0005, 0.0001, 0.01), QUICK, 1000).scripts("leak-episodes") == []


@pytest.mark.parametrize("create", [0.002, 0.03, 0.1], ids=["quick", "slow", "slower"])
def test_growth_is_followed_until_it_is_decided(create: float) -> None:
    """Of objects and of their memory, 63 cycles decide: not fewer where a create takes longer."""
    probe = FakeProbe((objects(create=1),), seconds=(create, 0.0001, 0.00001))
    check_leaks(probe, QUICK)
    lifecycles = sides_of(probe.traces)[0]
    assert lifecycles.cycles >= 63
    assert lifecycles.grows("objects").kind == LEAK
    assert probe.scripts("leak-open"), "resets of an open instance find no room beside that"


def test_filling_beside_a_leak_needs_no_cycles_of_its_own() -> None:
    """One container that is full after some hundred resets, and one that never is."""
    filling = Source((0, 0.05, 0), {"tracked": 1}, lasting=False, bound=30)
    leak = Source((0, 1, 0), {"objects": 1}, holder="self.trail", lasting=False)
    alone, both = FakeProbe((leak,)), FakeProbe((leak, filling))
    for probe in (alone, both):
        check_leaks(probe, QUICK)
    assert both.scripts("leak-open-causes") == alone.scripts("leak-open-causes")


def test_new_states_are_looked_at_once_where_nothing_grows_with_them() -> None:
    probe = FakeProbe()
    check_leaks(probe, Effort())
    assert probe.scripts("leak-new-states") == [
        "open:seeds warm:3x1x20 block:7x1x20 block:7x1x20 block:7x1x20 shut"
    ]


def test_new_states_are_followed_where_something_grows_with_them() -> None:
    """What one seed shows as well is no reason."""
    both = FakeProbe((objects(reset=1, lasting=False),))
    new = FakeProbe((objects(reset=1, lasting=False, states=True),))
    for probe in (both, new):
        check_leaks(probe, Effort())
    assert len(both.scripts("leak-new-states")) == 1
    assert [script.split()[2] for script in new.scripts("leak-new-states")] == [
        "block:7x1x20",
        "suspects:7x1x20",
    ]


def test_new_states_are_left_out_where_resets_are_slow() -> None:
    probe = FakeProbe(seconds=(0.01, 1.0, 0.001))
    check_leaks(probe, Effort())
    assert probe.scripts("leak-new-states") == []


def test_a_check_meets_no_new_states() -> None:
    probe = FakeProbe()
    check_leaks(probe, QUICK)
    assert probe.scripts("leak-new-states") == []
