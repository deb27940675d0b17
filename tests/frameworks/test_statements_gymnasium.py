"""Statements of envdoctor on Gymnasium's vectorizers, tried with the version that is installed
(1.4.0 when this was written).
"""

from __future__ import annotations

import os
import sys

import pytest

from tests.frameworks.statements import fixtures
from tests.interpreters import has

PYTHON = os.environ.get("ENVDOCTOR_RL_PYTHON", sys.executable)
HEAD = """
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

def launch(count=2, bad=None, arguments={}, **acts):
    return AsyncVectorEnv(factories(count, bad, **acts), context="fork", **arguments)
"""

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.skipif(
        not has(PYTHON, "gymnasium"),
        reason=f"no gymnasium for {PYTHON}",
    ),
]


holder, told = fixtures(PYTHON, HEAD)


# SyncVectorEnv


def test_sync_a_failing_constructor_leaves_the_earlier_instances_open(told):
    seen = told(
        "tell(raised=outcome(lambda: SyncVectorEnv([Env, Env, lambda: Env(make=fail)])),"
        " made=logged('made'), closing=logged('closing'))"
    )
    assert (seen["raised"], seen["made"], seen["closing"]) == ("RuntimeError", 2, 0)


def test_sync_a_failing_close_keeps_the_others_open_and_is_repeated(told):
    seen = told("""
        envs = SyncVectorEnv([lambda: Env(close=fail), Env])
        envs.reset()
        first = outcome(envs.close)
        closed, closing = envs.closed, logged("closing")
        tell(first=first, closed=closed, closing=closing, second=outcome(envs.close), again=logged("closing"))
    """)
    assert (seen["first"], seen["closed"], seen["closing"]) == ("RuntimeError", False, 1)
    assert (seen["second"], seen["again"]) == ("RuntimeError", 2)


# AsyncVectorEnv: what is built where


def test_async_builds_one_more_in_the_parent_and_closes_it(told):
    seen = told(
        "launch(3); tell(parent=logged('made', True), workers=logged('made', False),"
        " closed=logged('closed', True))"
    )
    assert (seen["parent"], seen["workers"], seen["closed"]) == (1, 3, 1)


def test_async_with_different_observations_builds_all_in_the_parent_and_closes_one(told):
    seen = told("""
        launch(3, arguments={"observation_mode": "different"})
        tell(parent=logged("made", True), closed=logged("closed", True))
    """)
    assert (seen["parent"], seen["closed"]) == (4, 1)


# AsyncVectorEnv: close


def test_async_an_error_in_close_is_lost(told):
    seen = told("""
        envs = launch(bad=1, close=fail)
        envs.reset()
        tell(close=outcome(envs.close), codes=[process.exitcode for process in envs.processes])
    """)
    assert (seen["close"], seen["codes"]) == ("ok", [0, 1])
    assert "on purpose" in seen["stderr"]


@pytest.mark.parametrize("arguments", ["", "timeout=1"])
def test_async_a_close_that_hangs_hangs_the_parent(told, arguments):
    seen = told(f"""
        envs = launch(bad=1, close=sleep_for_ever)
        envs.reset()
        tell(close=outcome(lambda: envs.close({arguments}), 2.5))
    """)
    assert seen["close"] == "hangs"


def test_async_terminate_closes_no_environment(told):
    seen = told("""
        envs = launch()
        envs.reset()
        tell(close=outcome(lambda: envs.close(terminate=True)), codes=[process.exitcode for process in envs.processes],
             closing=logged("closing", False))
    """)
    assert (seen["close"], seen["codes"], seen["closing"]) == ("ok", [-15, -15], 0)


def test_async_a_closed_one_pins_descriptors_until_it_is_collected(told):
    seen = told("rises, rest = pinned_by(launch); tell(rises=rises, rest=rest)")
    assert (seen["rises"], seen["rest"]) == ([6, 6, 6], 0)


# AsyncVectorEnv: failures in workers


def test_async_an_exception_that_does_not_pickle_hangs_the_parent(told):
    seen = told("""
        class Lost(Exception):
            def __init__(self):
                self.lock = threading.Lock()
        def lose():
            raise Lost
        envs = launch(bad=1, step=lose)
        envs.reset()
        tell(step=outcome(lambda: envs.step([0, 0]), SHORT))
    """)
    assert seen["step"] == "hangs"


@pytest.mark.parametrize(
    ("raising", "seen_as"),
    [
        ("subprocess.CalledProcessError(3, 'simulator')", "TypeError"),
        ("SystemExit(3)", "EOFError"),
        ("RuntimeError('real')", "RuntimeError"),
    ],
)
def test_async_what_the_parent_sees_of_an_exception(told, raising, seen_as):
    seen = told(f"""
        import subprocess
        def fault():
            raise {raising}
        envs = launch(bad=1, step=fault)
        envs.reset()
        tell(step=outcome(lambda: envs.step([0, 0])), alive=envs.processes[0].is_alive())
    """)
    assert (seen["step"], seen["alive"]) == (seen_as, True)


def test_async_an_error_of_a_constructor_is_seen_as_a_lost_connection(told):
    seen = told("tell(launch=outcome(lambda: launch(bad=1, make=fail)))")
    assert seen["launch"] in ("ConnectionResetError", "EOFError", "BrokenPipeError")
    assert "on purpose" in seen["stderr"]


@pytest.mark.parametrize(
    ("worker", "close"), [(0, ("EOFError", "BrokenPipeError")), (1, ("hangs",))]
)
def test_async_after_a_killed_worker_close_fails_or_hangs(told, worker, close):
    """With the first worker it fails at once; with a later one it asks the first again for an
    answer that was read already.
    """
    seen = told(f"""
        envs = launch(bad={worker}, step=die)
        envs.reset()
        step = outcome(lambda: envs.step([0, 0]))
        end = outcome(envs.close, SHORT)
        tell(step=step, close=end, dead=state(envs.processes[{worker}]), other=state(envs.processes[{1 - worker}]))
    """)
    assert seen["step"] in ("EOFError", "BrokenPipeError", "ConnectionResetError")
    assert seen["close"] in close
    assert (seen["dead"], seen["other"]) == ("Z", "S")


@pytest.mark.parametrize("worker", [0, 1])
def test_async_terminate_ends_what_a_killed_worker_left(told, worker):
    """The remedy says so."""
    seen = told(f"""
        envs = launch(bad={worker}, step=die)
        envs.reset()
        outcome(lambda: envs.step([0, 0]))
        for process in envs.processes:
            process.terminate()
        tell(ended=until(lambda: all(process.exitcode is not None for process in envs.processes)))
    """)
    assert seen["ended"]


def test_async_after_a_time_out_the_next_step_is_stale(told):
    seen = told("""
        gate = multiprocessing.get_context("fork").Event()
        envs = launch(bad=1, step=gate.wait)
        envs.reset()
        envs.step_async([0, 0])
        late = outcome(lambda: envs.step_wait(timeout=0.1))
        gate.set()
        envs.step_async([0, 0])
        tell(late=late, rewards=list(envs.step_wait()[1]))
    """)
    assert (seen["late"], seen["rewards"]) == ("TimeoutError", [1.0, 1.0])


def test_async_a_worker_killed_with_the_permit_starves_the_others(told):
    seen = told("""
        import inspect
        if "max_concurrency" not in inspect.signature(AsyncVectorEnv).parameters:
            tell(skipped=True)
        from gymnasium.vector.async_vector_env import AsyncState
        envs = launch(3, bad=0, step=die, arguments={"max_concurrency": 1})
        envs.reset()
        envs.parent_pipes[0].send(("step", 0))  # what step_async() does, with a moment in between
        until(lambda: state(envs.processes[0]) == "Z")
        for pipe in envs.parent_pipes[1:]:
            pipe.send(("step", 0))
        envs._state = AsyncState.WAITING_STEP
        answered = [pipe.poll(SHORT) for pipe in envs.parent_pipes[1:]]
        tell(answered=answered, step=outcome(lambda: envs.step_wait(timeout=1)))
    """)
    if "skipped" in seen:
        pytest.skip("this version has no max_concurrency")
    assert seen["answered"] == [False, False]
    assert seen["step"] in ("EOFError", "TimeoutError")


def test_async_an_idle_worker_of_a_killed_parent_closes_its_environment(told):
    seen = told("""
        child = os.fork()
        if child == 0:
            envs = launch()
            envs.reset()
            os.kill(os.getpid(), signal.SIGKILL)
        os.waitpid(child, 0)
        tell(closed=until(lambda: logged("closed") == 3))
    """)
    assert seen["closed"]


# Random numbers


def test_forked_workers_share_the_global_state_of_numpy_but_not_their_own(told):
    seen = told("""
        class Drawing(Env):
            def step(self, action):
                told = super().step(action)
                return (*told[:4], {"both": [numpy.random.random(), self.np_random.random()]})
        envs = AsyncVectorEnv([Drawing, Drawing, Drawing], context="fork")
        envs.reset(seed=1)
        both = envs.step([0, 0, 0])[4]["both"]
        tell(shared=len({pair[0] for pair in both}), own=len({pair[1] for pair in both}))
    """)
    assert (seen["shared"], seen["own"]) == (1, 3)


# The checker


def test_the_checker_never_closes_what_it_is_given(told):
    seen = told("""
        from gymnasium.utils.env_checker import check_env
        gymnasium.register("Statement-v0", entry_point=Env)
        check_env(gymnasium.make("Statement-v0").unwrapped)
        tell(made=logged("made"), closing=logged("closing"))
    """)
    assert (seen["made"], seen["closing"]) == (2, 2)  # the second is closed twice, the first never
