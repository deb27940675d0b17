"""The control."""

from __future__ import annotations

from envdoctor.probe.frameworks import null


def episode(seed: int) -> list[object]:
    """Return the first observation, and those after a reset without a seed."""
    made = null.environment("")
    return [
        float(made.reset(seed=seed)[0][0]),
        float(made.reset()[0][0]),
        float(made.step(0)[0][0]),
    ]


def test_null_environment_keeps_its_seed_after_a_reset_without_one() -> None:
    assert episode(3) == episode(3)
    assert episode(3) != episode(4)
    assert len(set(episode(3))) == 3
