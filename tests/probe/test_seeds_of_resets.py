"""With which seed a reset() began that may never come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from envdoctor.probe.heartbeat import following
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.tracing.instrument import InstanceLog, traced


class Walk:
    """Raises with the seed 13."""

    action_space = None

    def reset(self, *, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        if seed == 13:
            raise ValueError("no such level")
        return 0, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 1, 0.0, False, False, {}


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal"
    path.touch()
    return path


def log(journal: Path) -> InstanceLog:
    return InstanceLog(Journal(str(journal)), 1, True, Ownership())


def told(journal: Path) -> list[tuple[str, int | None, int | None]]:
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    return [(event["what"], event.get("seed"), event.get("resets")) for event in events]


def test_seed_is_journaled_before_a_reset(journal: Path) -> None:
    env = traced(Walk(), log(journal))
    env.reset(seed=7)
    env.reset()
    begun = [event for event in told(journal) if event[0] == "resetting"]
    assert begun == [("resetting", 7, 0), ("resetting", 7, 1)]


def test_later_resets_are_journaled_with_other_seeds_only(journal: Path) -> None:
    env = traced(Walk(), log(journal))
    for seed in (7, 7, 7, 7, None, 8):
        env.reset(seed=seed)
    events = [event for event in told(journal) if event[0] in ("resetting", "was-reset")]
    assert events[-3:] == [("resetting", 7, 0), ("resetting", 8, 0), ("was-reset", None, None)]


def test_reset_that_a_checker_makes_is_followed_by_its_end(journal: Path) -> None:
    env = Walk()
    with following(env, log(journal)):
        env.reset(seed=7)
        with pytest.raises(ValueError, match="level"):
            env.reset(seed=13)
    assert [event[:2] for event in told(journal)] == [
        ("resetting", 7),
        ("was-reset", None),
        ("resetting", 13),
        ("was-reset", None),
    ]
    assert "reset" not in vars(env)
