"""Generators of numpy's: which of them the operating system seeded."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest

from envdoctor.model.page import OWN
from envdoctor.probe.live.streams import unseeded


class Arm:
    """One that holds something to draw from, and has drawn as often."""

    def __init__(self, generator: object, draws: int = 1) -> None:
        self.generator = generator
        for _ in range(draws):
            generator.random()  # type: ignore[attr-defined]


def is_unseeded(arm: Arm) -> bool:
    """Return whether a generator that it holds is the operating system's."""
    return bool(unseeded(arm) >> OWN & 1)


class Holder(Arm):
    """One below which another object holds it."""

    def __init__(self) -> None:
        self.arm = Arm(np.random.default_rng())


@pytest.mark.parametrize(
    "arm",
    [
        Arm(np.random.default_rng()),
        Arm(np.random.Generator(np.random.MT19937())),
        Arm(np.random.default_rng(np.random.SeedSequence().spawn(2)[1])),
        Holder(),
    ],
    ids=["default_rng()", "MT19937()", "spawned", "below"],
)
def test_generator_that_the_system_seeded_is_seen(arm: Arm) -> None:
    assert is_unseeded(arm)


@pytest.mark.parametrize(
    "arm",
    [
        Arm(np.random.default_rng(), draws=0),
        Arm(np.random.default_rng(0)),
        Arm(np.random.default_rng(2**63)),
        Arm(np.random.default_rng([3, 2**40])),
        Arm(np.random.default_rng(np.random.SeedSequence(7).spawn(2)[1])),
        Arm(np.random.default_rng(np.random.PCG64(5))),
        Arm(np.random.RandomState(3)),
        Arm(random.Random(3)),
    ],
    ids=["not drawn from", "0", "64 bits", "two seeds", "spawned", "PCG64", "older", "random"],
)
def test_seeded_generator_is_not_taken_for_the_systems(arm: Arm) -> None:
    assert not is_unseeded(arm)


GLOBAL = """
import numpy as np
from envdoctor.model.page import NUMPY
from envdoctor.probe.live.streams import is_seeded_globally, unseeded
np.random.random()
{}
assert is_seeded_globally() is {}
assert (unseeded(object()) >> NUMPY & 1) is {}
"""


@pytest.mark.parametrize(
    ("seeds", "seeded"),
    [
        ("", False),
        ("np.random.default_rng(3)", False),
        ("np.random.seed(3)", True),
        ("np.random.set_state(np.random.RandomState(3).get_state()); np.random.seed([3, 4])", True),
    ],
)
def test_global_generator_is_known_to_be_seeded(seeds: str, seeded: bool) -> None:
    code = GLOBAL.format(seeds, seeded, int(not seeded))
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
