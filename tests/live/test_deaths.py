"""A parent of a dead worker gets EOFError, or waits without end. The report names the cause."""

from __future__ import annotations

import pytest

from tests.support.deaths import SHORT, death
from tests.support.zoo import examine, messages_of

ASYNC = "gymnasium-async"
WAITS = "waits for ever for it"


@pytest.mark.everything
@pytest.mark.parametrize("method", ["fork", "forkserver", "spawn"])
def test_a_crash_in_a_worker(method: str) -> None:
    finding = death(
        "Segfault",
        ASYNC,
        method,
        "PRC003",
        "worker 1 died of SIGSEGV in step()",
        f"started by {method} {WAITS} in close()",
    )
    assert "dying.py" in finding["evidence"]["stacks"]
    assert "Fatal Python error: Segmentation fault" in finding["evidence"]["stacks"]


@pytest.mark.everything
def test_an_exit_in_a_worker_and_its_last_words() -> None:
    finding = death("Exit", ASYNC, "fork", "PRC003", "worker 1 ended with exit code 3 in step()")
    assert "the licence server does not answer" in finding["evidence"]["stderr"]


@pytest.mark.everything
def test_a_killed_worker() -> None:
    assert (
        "memory"
        in death("Killed", ASYNC, "fork", "PRC003", "worker 1 died of SIGKILL in step()")["remedy"][
            "text"
        ]
    )


@pytest.mark.everything
def test_a_worker_without_memory() -> None:
    death("Memory", ASYNC, "fork", "VEC008", "step() raises MemoryError")


@pytest.mark.everything
def test_an_error_in_a_worker_is_the_only_one_that_is_reported() -> None:
    """The other worker ends with exit code 1 when it cannot answer any more."""
    death("Raises", ASYNC, "fork", "VEC008", "step() raises IndexError: no map for this worker")


@pytest.mark.everything
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_an_exception_that_does_not_pickle(method: str) -> None:
    end = "worker 1 raised ArmLostError: the arm does not answer in step()"
    finding = death(
        "losing.py:Unpicklable",
        ASYNC,
        method,
        "PRC003",
        end,
        WAITS,
        "does not pickle",
        also=("VEC006",),
    )
    assert finding["location"]["function"] == "fail"
    assert "async_vector_env.py" in finding["evidence"]["stacks"]


@pytest.mark.everything
def test_a_close_that_hangs() -> None:
    assert (
        "dying.py"
        in death("CloseHangs", ASYNC, "fork", "CLS004", "close() hangs in dying.py")["evidence"][
            "stacks"
        ]
    )


@pytest.mark.everything
def test_a_mortal_that_does_not_die() -> None:
    exit_code, document = examine("dying.py:Mortal", "--managers", ASYNC, *SHORT)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
