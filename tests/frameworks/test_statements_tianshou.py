"""Statements of envdoctor on Tianshou's vectorized environments, tried with the version that is
installed (2.0.1 when this was written).

ENVDOCTOR_TIANSHOU_PYTHON names an interpreter that has it.
"""

from __future__ import annotations

import sys

import pytest

from tests.frameworks.statements import fixtures
from tests.frameworks.test_tianshou import PYTHON, needs_tianshou

HEAD = """
from tianshou.env import DummyVectorEnv, ShmemVectorEnv, SubprocVectorEnv

def launch(kind=SubprocVectorEnv, bad=None, **acts):
    return kind(factories(2, bad, **acts))

def step(envs):
    return outcome(lambda: envs.step(numpy.zeros(len(envs), int)))

def states(envs):
    return [state(worker.process) for worker in envs.workers]
"""

pytestmark = [
    needs_tianshou,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.everything,
]


holder, told = fixtures(PYTHON, HEAD)


def test_subproc_a_failing_step_is_an_end_of_file_and_nothing_is_closed(told):
    seen = told("""
        envs = launch(bad=1, step=fail)
        envs.reset()
        broke = step(envs)
        gone = until(lambda: states(envs)[1] == "Z")
        tell(step=broke, gone=gone, closing=logged("closing"), states=states(envs))
    """)
    assert (seen["step"], seen["gone"], seen["closing"]) == ("EOFError", True, 0)
    assert "on purpose" in seen["stderr"]


def test_subproc_a_worker_that_failed_stays_a_zombie_until_the_next_start(told):
    seen = told("""
        envs = launch(bad=1, step=fail)
        envs.reset()
        step(envs)
        until(lambda: states(envs)[1] == "Z")
        close = outcome(envs.close)
        closed, after = logged("closing"), states(envs)
        multiprocessing.get_context("fork").Process(target=int).start()
        tell(close=close, closed=closed, after=after, later=states(envs))
    """)
    assert (seen["close"], seen["closed"]) == ("ok", 1)
    assert (seen["after"], seen["later"]) == (["", "Z"], ["", ""])


def test_subproc_waits_for_workers_that_did_not_fail(told):
    seen = told("""
        envs = launch()
        envs.reset()
        close = outcome(envs.close)
        tell(close=close, closed=logged("closed"), after=states(envs))
    """)
    assert (seen["close"], seen["closed"], seen["after"]) == ("ok", 2, ["", ""])


def test_shmem_builds_one_more_for_each_worker_and_closes_it(told):
    seen = told("""
        envs = launch(ShmemVectorEnv)
        parent = logged("made", True), logged("closed", True), logged("made", False)
        envs.close()
        tell(parent=parent, workers=logged("closed", False))
    """)
    assert (seen["parent"], seen["workers"]) == ([2, 2, 2], 2)
