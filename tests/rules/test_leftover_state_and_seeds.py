"""A generator that the seed reaches is not blamed for what the last episode left."""

from __future__ import annotations

import pytest

from envdoctor.rules.engine.examples import direct_view, random_events, random_resets, trace
from envdoctor.rules.evidence.comparisons import culprits

OWN = "self._np_random"


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
