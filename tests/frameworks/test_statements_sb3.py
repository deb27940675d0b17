"""Statements of envdoctor on Stable-Baselines3's vectorizers, tried with the version that is
installed (2.9.2 when this was written).

ENVDOCTOR_SB3_PYTHON names an interpreter that has it.
"""

from __future__ import annotations

import sys

import pytest

from tests.frameworks.statements import fixtures
from tests.frameworks.test_sb3 import PYTHON, needs_sb3

HEAD = """
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

def launch(count=2, bad=None, method="fork", **acts):
    return SubprocVecEnv(factories(count, bad, **acts), start_method=method)

def step(envs):
    return outcome(lambda: envs.step(numpy.zeros(envs.num_envs, int)), SHORT)
"""

pytestmark = [
    needs_sb3,
    pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
    pytest.mark.everything,
]


holder, told = fixtures(PYTHON, HEAD)


def test_dummy_a_failing_close_keeps_the_others_open(told):
    seen = told("""
        envs = DummyVecEnv([lambda: Env(close=fail), Env])
        envs.reset()
        tell(close=outcome(envs.close), closing=logged("closing"))
    """)
    assert (seen["close"], seen["closing"]) == ("RuntimeError", 1)


def test_dummy_closes_at_each_call_of_close(told):
    seen = told(
        "envs = DummyVecEnv([Env, Env]); envs.close(); envs.close();"
        " tell(closing=logged('closing'))"
    )
    assert seen["closing"] == 4


def test_dummy_refuses_one_instance_for_two(told):
    assert (
        told("one = Env(); tell(launch=outcome(lambda: DummyVecEnv([lambda: one, lambda: one])))")[
            "launch"
        ]
        == "ValueError"
    )


def test_subproc_builds_none_in_the_parent(told):
    seen = told(
        "launch(3).reset(); tell(parent=logged('made', True), workers=logged('made', False))"
    )
    assert (seen["parent"], seen["workers"]) == (0, 3)


@pytest.mark.parametrize(
    ("worker", "seen_as"), [(0, ("EOFError", "ConnectionResetError")), (1, ("hangs",))]
)
def test_subproc_forked_a_later_worker_that_dies_hangs_the_parent(told, worker, seen_as):
    """The first one inherited its siblings' ends of their pipes, and keeps them open."""
    seen = told(f"envs = launch(bad={worker}, step=die); envs.reset(); tell(step=step(envs))")
    assert seen["step"] in seen_as


def test_subproc_forked_a_later_constructor_that_fails_hangs_the_parent(told):
    assert (
        told("tell(launch=outcome(lambda: launch(bad=1, make=fail), SHORT))")["launch"] == "hangs"
    )


@pytest.mark.parametrize(("act", "call"), [("step=die", "step"), ("make=fail", "launch")])
def test_subproc_from_the_fork_server_it_raises(told, act, call):
    seen = told(f"""
        multiprocessing.set_forkserver_preload(["stable_baselines3.common.vec_env.subproc_vec_env"])
        def play():
            envs = launch(bad=1, method="forkserver", {act})
            envs.reset()
            envs.step(numpy.zeros(2, int))
        tell(seen=outcome(play))
    """)
    assert seen["seen"] in ("EOFError", "ConnectionResetError", "BrokenPipeError"), call


def test_subproc_an_error_in_step_is_an_end_of_file_and_nothing_is_closed(told):
    seen = told("""
        envs = launch(bad=0, step=fail)
        envs.reset()
        tell(step=step(envs), gone=until(lambda: state(envs.processes[0]) == "Z"), closing=logged("closing"))
    """)
    assert (seen["step"], seen["gone"], seen["closing"]) == ("EOFError", True, 0)
    assert "on purpose" in seen["stderr"]


@pytest.mark.parametrize(
    ("worker", "method", "close"),
    [(0, "fork", ("EOFError", "BrokenPipeError")), (1, "forkserver", ("hangs",))],
)
def test_subproc_after_a_crash_close_fails_or_hangs_and_the_others_live(
    told, worker, method, close
):
    """With the first worker it fails; with a later one it waits for an answer of the first that
    was read already.
    """
    seen = told(f"""
        multiprocessing.set_forkserver_preload(["stable_baselines3.common.vec_env.subproc_vec_env"])
        envs = launch(bad={worker}, method={method!r}, step=die)
        envs.reset()
        broke = step(envs)
        tell(step=broke, close=outcome(envs.close, SHORT), closed=envs.closed, other=state(envs.processes[{1 - worker}]))
    """)
    assert seen["step"] == "EOFError"
    assert seen["close"] in close
    assert (seen["closed"], seen["other"]) == (False, "S")


def test_subproc_an_error_in_close_is_lost(told):
    seen = told("""
        envs = launch(bad=1, close=fail)
        envs.reset()
        tell(close=outcome(envs.close), codes=[process.exitcode for process in envs.processes], second=outcome(envs.close))
    """)
    assert (seen["close"], seen["codes"], seen["second"]) == ("ok", [0, 1], "ok")
    assert "on purpose" in seen["stderr"]


def test_subproc_a_close_that_hangs_hangs_the_parent(told):
    assert (
        told(
            "envs = launch(bad=1, close=sleep_for_ever); envs.reset();"
            " tell(close=outcome(envs.close, SHORT))"
        )["close"]
        == "hangs"
    )


def test_subproc_a_closed_one_pins_two_descriptors_a_worker_until_it_is_collected(told):
    seen = told("rises, rest = pinned_by(launch); tell(rises=rises, rest=rest)")
    assert (seen["rises"], seen["rest"]) == ([4, 4, 4], 0)
