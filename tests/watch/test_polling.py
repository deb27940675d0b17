"""A trainer that does nothing but sleep and look, by values."""

from __future__ import annotations

import sys

import pytest

from envdoctor.model.training_instances import Calls, Instances

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")

TRAINER, WORKER, MISSED = 1, 2, 3.0
STATES = {"z": True, "-": None, "r": False}


def polled(
    asleep: str,
    *,
    writes: int = 0,
    own_steps: int = 0,
    asked: float = 10.5,
    waits: int = 100,
    cpu: float = 0.0,
) -> tuple[float, int, int, bool] | None:
    """The result of a look a second: `z` where the main thread slept, `-` where it ran, and `r`
    where it read something.
    """
    from envdoctor.watch.outside import Pulse
    from envdoctor.watch.polling import Polls

    polls = Polls()
    for now, state in enumerate(asleep):
        steps = Calls(now * own_steps, now * own_steps)
        instances = (
            Instances(TRAINER, 1, "arm.Arm", step=steps),
            Instances(WORKER, 1, "arm.Arm", reset=Calls(now * 7, now * 7)),
        )
        seen = Pulse(now * waits, now * writes, STATES[state], now * cpu)
        polls.take(seen, TRAINER, instances, float(now))
    seen_last = polls.polling(asked, MISSED)
    if seen_last is None:
        return None
    return seen_last.seconds, seen_last.wakes, seen_last.resets, seen_last.asked


def test_trainer_that_only_sleeps_and_wakes_polls() -> None:
    assert polled(11 * "z") == (10.0, 1000, 70, True)


@pytest.mark.parametrize("asleep", ["zz-zzz-zz-z", "zzrzzzrzzrz", "z--z-----zz"])
def test_trainer_that_runs_or_reads_at_some_looks_polls(asleep: str) -> None:
    """A machine that is busy keeps it ready to run."""
    assert polled(asleep) == (10.0, 1000, 70, True)


@pytest.mark.parametrize(
    ("asleep", "how"),
    [
        ("z----------", {}),
        ("zrrrrrrrrrr", {}),
        (11 * "z", {"writes": 1}),
        (11 * "z", {"own_steps": 20}),
        ("zzz", {}),
        (11 * "z", {"cpu": 0.6}),
    ],
    ids=[
        "it computes",
        "it reads",
        "it sends orders",
        "it paces its own environment",
        "few looks",
        "it computes between naps",
    ],
)
def test_trainer_that_does_something_does_not_poll(asleep: str, how: dict[str, float]) -> None:
    seen = polled(asleep, **how)
    assert seen is None or seen[0] < 5.0


def test_request_to_end_before_it_polled_is_not_in_it() -> None:
    assert polled(11 * "z", asked=0.0) == (10.0, 1000, 70, False)
    assert polled(11 * "z", asked=20.0) == (10.0, 1000, 70, False)
