"""Statements of envdoctor on RLlib's runner, tried with the version that is installed (Ray 2.60.0
when this was written).

ENVDOCTOR_RAY_PYTHON names an interpreter that has it.
"""

from __future__ import annotations

import pytest

from tests.frameworks.statements import fixtures
from tests.frameworks.test_rllib_runner import PYTHON, needs_rllib

HEAD = """
import logging
from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.tune import register_env

class Told(Env):
    "As RLlib builds a class: with its configuration."
    ACTS = {}

    def __init__(self, config):
        super().__init__(**self.ACTS)

def runner(name=None, restarts=False, number=2, **acts):
    "Of a registered name, or of the class."
    Told.ACTS = acts
    if name:
        register_env(name, Told)
    config = AlgorithmConfig().environment(env=name or Told)
    config = config.env_runners(num_envs_per_env_runner=number)
    config = config.fault_tolerance(restart_failed_sub_environments=restarts)
    return SingleAgentEnvRunner(config=config)

def sample(one, steps=20):
    return one.sample(num_timesteps=steps, random_actions=True)

class Enough(BaseException):
    "What ends it from outside."

def at_most(number):
    def make():
        if logged("made") >= number:
            raise Enough
    return make

def fifth():
    "An act of step() that fails the fifth time, for the instances that live."
    counted = collections.Counter()
    def act():
        counted["steps"] += 1
        if counted["steps"] % 5 == 0:
            raise ValueError("out of range")
    return act

logging.disable(logging.CRITICAL)
"""

pytestmark = [needs_rllib, pytest.mark.everything]


holder, told = fixtures(PYTHON, HEAD)


@pytest.mark.parametrize(("name", "closed"), [("None", 0), ("'mine'", 2)])
def test_a_runner_that_is_dropped_closes_nothing_where_a_class_was_given(told, name, closed):
    seen = told(f"""
        one = runner({name})
        sample(one)
        del one
        gc.collect()
        tell(made=logged("made"), closed=logged("closed"))
    """)
    assert (seen["made"], seen["closed"]) == (2, closed)


def test_a_reset_that_always_fails_ends_in_a_recursion_error_that_does_not_name_it(told):
    """After 971 restarts, here of two instances each."""
    seen = told("""
        try:
            sample(runner(restarts=True, reset=fail))
        except Exception as error:
            tell(kind=type(error).__name__, text=str(error), made=logged("made"))
    """)
    assert (seen["kind"], "on purpose" in seen["text"]) == ("RecursionError", False)
    assert 1000 < seen["made"] < 3000


def test_a_step_that_fails_early_is_restarted_without_an_end(told):
    seen = told("""
        one = runner(restarts=True, make=at_most(200), step=fifth())
        tell(sample=outcome(lambda: sample(one)), made=logged("made"))
    """)
    assert (seen["sample"], seen["made"]) == ("Enough", 200)


def test_without_restarts_the_error_is_a_cause(told):
    seen = told("""
        try:
            sample(runner(step=fifth()))
        except Exception as error:
            tell(kind=type(error).__name__, text=str(error), cause=repr(error.__cause__))
    """)
    assert (seen["kind"], seen["text"]) == ("RuntimeError", "")
    assert seen["cause"] == "ValueError('out of range')"
