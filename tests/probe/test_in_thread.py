"""A life off the main thread: what is confirmed in the main thread before it is told."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.trajectory import Call
from envdoctor.probe.adapters.direct import DirectHost
from envdoctor.probe.comparison.in_thread import NAME, ThreadTrial
from envdoctor.probe.comparison.trajectory import Recorder, load
from envdoctor.probe.ownership import Ownership


class Walk:
    """Observes where it is, and is asked in the main thread or not."""

    action_space = None
    made = 0

    def __init__(self) -> None:
        type(self).made += 1

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, _action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        return 1, self.reward(), False, False, {}

    def reward(self) -> float:
        return 1.0

    def close(self) -> None: ...


def is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


class Zero(Walk):
    def reward(self) -> float:
        try:
            if not is_main():
                raise ValueError("signal only works in main thread")
        except ValueError:
            return 0.0
        return 1.0


class Raises(Walk):
    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        if not is_main():
            raise RuntimeError("no current event loop in thread")
        return super().reset(seed)


class RaisesLater(Walk):
    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        if type(self).made > 1:
            raise RuntimeError("the licence is used up")
        return super().reset(seed)


class Counts(Walk):
    def reward(self) -> float:
        return float(type(self).made)


class Bound(Walk):
    def __init__(self) -> None:
        super().__init__()
        self.thread = threading.get_ident()

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        if threading.get_ident() != self.thread:
            raise RuntimeError("made in another thread")
        return super().reset(seed)


class BoundByReset(Walk):
    """Belongs to the thread of its first reset(), as a browser that is started there."""

    def __init__(self) -> None:
        super().__init__()
        self.thread = 0

    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        self.thread = self.thread or threading.get_ident()
        return super().reset(seed)

    def reward(self) -> float:
        if threading.get_ident() != self.thread:
            raise RuntimeError("Cannot switch to a different thread")
        return 1.0


class FailsLater(Walk):
    """Its third step fails in any thread."""

    steps = 0

    def reward(self) -> float:
        self.steps += 1
        if self.steps > 2:
            raise RuntimeError("worn out")
        return 1.0


class ClosesWhereReset(BoundByReset):
    def reward(self) -> float:
        return 1.0

    def close(self) -> None:
        super().reward()


class Ends(Walk):
    def reset(self, seed: int | None = None) -> tuple[int, dict[str, Any]]:
        if not is_main():
            raise SystemExit(3)
        return super().reset(seed)


class Shell:
    """A traced environment as it looks to its host."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.reset, self.step, self.close = env.reset, env.step, env.close
        self.action_space = None


def told(kind: Callable[[], Any], folder: Path) -> dict[str, Any]:
    kind.made = 0  # type: ignore[attr-defined]

    def launch() -> DirectHost:
        return DirectHost(Shell(kind()), 0)

    alone = recorded(launch(), str(folder / "alone"))
    path = str(folder / "in-thread")
    return ThreadTrial(launch, 0, 2, path, alone, Ownership(frozenset([__file__]))).fact()


def recorded(host: DirectHost, path: str) -> list[Call]:
    host.recorder = Recorder(path)
    host.reset(0)
    host.step()
    host.step()
    host.close()
    host.recorder.save()
    return load(path)


def test_equal_trajectories_are_compared_to_the_last_call(tmp_path: Path) -> None:
    assert told(Walk, tmp_path) == {"calls": 3, "unknown": [], "difference": None}


def test_other_results_are_reported_with_the_error_that_was_caught(tmp_path: Path) -> None:
    found = told(Zero, tmp_path)
    assert found["difference"]["key"] == "reward"
    assert found["difference"]["values"] == ("1.0", "0.0")
    assert found["swallowed"]["error"] == "ValueError: signal only works in main thread"
    assert found["swallowed"]["place"]["function"] == "Zero.reward"


@pytest.mark.parametrize(("kind", "error"), [(Raises, "RuntimeError"), (Ends, "SystemExit")])
def test_a_call_that_fails_only_there_is_reported(kind: Any, error: str, tmp_path: Path) -> None:
    found = told(kind, tmp_path)
    assert (found["failed"], found["error"]["type"]) == ("reset", f"builtins.{error}")


@pytest.mark.parametrize(("kind", "reason"), [(RaisesLater, "fails"), (Counts, "reproducible")])
def test_difference_in_the_main_thread_too_is_skipped(
    kind: Any, reason: str, tmp_path: Path
) -> None:
    found = told(kind, tmp_path)
    assert list(found) == ["skipped"]
    assert reason in found["skipped"]


def test_an_instance_that_belongs_to_its_thread_is_reported(tmp_path: Path) -> None:
    found = told(Bound, tmp_path)
    assert (found["bound"], found["reset_elsewhere"]) == ("reset", False)
    assert found["difference"] is None


@pytest.mark.parametrize(("kind", "call"), [(BoundByReset, "step"), (ClosesWhereReset, "close")])
def test_instance_that_belongs_to_the_thread_of_its_reset_is_reported(
    kind: Any, call: str, tmp_path: Path
) -> None:
    found = told(kind, tmp_path)
    assert (found["bound"], found["reset_elsewhere"]) == (call, True)


def test_step_that_fails_in_any_thread_is_not_reported(tmp_path: Path) -> None:
    assert "bound" not in told(FailsLater, tmp_path)


@pytest.mark.parametrize("kind", [Walk, Zero, Raises, Ends, BoundByReset])
def test_no_thread_stays(kind: Any, tmp_path: Path) -> None:
    told(kind, tmp_path)
    assert NAME not in [thread.name for thread in threading.enumerate()]
