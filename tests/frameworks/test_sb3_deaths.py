"""The ends of workers under Stable-Baselines3, which shows all of them as EOFError, or hangs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.frameworks.test_sb3 import PYTHON, needs_sb3
from tests.support.deaths import death

FORKED = (
    "SubprocVecEnv started by fork waits for ever for it (a sibling holds the other end of its"
    " pipe)"
)

pytestmark = [needs_sb3, pytest.mark.everything]


def under_sb3(name: str, method: str, code: str, *words: str, timeout: str = "6") -> dict[str, Any]:
    return death(
        name,
        "sb3-subproc",
        method,
        code,
        *words,
        arguments=("--python", PYTHON, "--timeout", timeout),
    )


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("Segfault", "worker 1 died of SIGSEGV in step()"),
        ("Exit", "worker 1 ended with exit code 3 in step()"),
        ("Killed", "worker 1 died of SIGKILL in step()"),
        ("Memory", "worker 1 raised MemoryError in step()"),
        ("Raises", "worker 1 raised IndexError: no map for this worker in step()"),
    ],
)
def test_a_forked_worker_that_is_waited_for(name: str, end: str) -> None:
    finding = under_sb3(name, "fork", "PRC003", f"{end}; {FORKED}")
    assert "subproc_vec_env.py" in finding["evidence"]["stacks"]
    assert "forkserver" in finding["remedy"]["commands"][0]


def test_a_crash_in_a_worker_of_the_fork_server() -> None:
    finding = under_sb3(
        "Segfault", "forkserver", "PRC003", "worker 1 died of SIGSEGV in step()", timeout="30"
    )
    assert "dying.py" in finding["evidence"]["stacks"]


def test_an_error_in_a_spawned_worker() -> None:
    under_sb3(
        "Raises",
        "spawn",
        "VEC008",
        "step() raises IndexError: no map for this worker",
        timeout="30",
    )


def test_a_close_that_hangs() -> None:
    under_sb3("CloseHangs", "fork", "CLS004", "close() hangs in dying.py")
