"""Knowledge of RLlib's runner, by values."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pytest

from envdoctor.frameworks import Launch, launch_id_lines, launch_lines
from envdoctor.frameworks.rllib import DEFECTS, endless, kept_by_registry, only_logged
from envdoctor.model.facts import Restarts
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import fact, instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.registry import all_rules

RUNNER, REMOTE = "rllib-env-runner", "rllib-remote"
ERROR = {
    **raised("builtins.OSError", "no level left"),
    "frames": [{"file": "/home/me/arm.py", "line": 12, "function": "reset", "text": ""}],
    "user": 0,
}


def played(*restarts: Restarts) -> Trace:
    told = [fact("restarts", asdict(one)) for one in restarts]
    return trace(instance("reset-raised", error=ERROR), *told, manager=RUNNER, start_method=None)


def at(seconds: float, event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "t": seconds}


def test_restarts_that_had_to_be_ended_are_the_frameworks() -> None:
    assert endless(played(Restarts(2, 2), Restarts(40, 2, endless=True))) == (
        "OSError: no level left at /home/me/arm.py:12; 40 instances built in one call for 2, where"
        " it was ended here"
    )


def test_restarts_that_come_to_an_end_are_no_defect() -> None:
    assert endless(played(Restarts(2, 2))) == ""
    assert endless(played()) == ""


def two_launches(freed_at: float) -> Trace:
    return trace(
        at(1.0, verb("make", "began")),
        at(2.0, fact("survivors", {"life": 0, "serials": [1, 2]})),
        at(3.0, verb("make", "began")),
        at(freed_at, instance("finalized", 1)),
        at(freed_at, instance("finalized", 2)),
        manager=RUNNER,
        start_method=None,
    )


def test_instances_freed_by_the_next_runner_were_kept_by_the_registry() -> None:
    shown = kept_by_registry(two_launches(3.5))
    assert shown == "2 instances alive until another runner was built"


def test_instances_kept_by_an_environment_are_not_blamed_on_the_registry() -> None:
    assert kept_by_registry(two_launches(2.5)) == ""
    assert kept_by_registry(trace(verb("make"), manager=RUNNER, start_method=None)) == ""


def test_each_defect_is_of_its_own_manager() -> None:
    assert {one.manager for one in DEFECTS} == {RUNNER, REMOTE}


def test_a_launch_names_the_runner() -> None:
    assert launch_lines(RUNNER, Launch("make_env", instances=2)) == (
        "from ray.tune import register_env",
        'register_env("mine", lambda _: make_env())',
        "from ray.rllib.algorithms.algorithm_config import AlgorithmConfig",
        "from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner",
        'config = AlgorithmConfig().environment("mine")',
        "config = config.env_runners(num_envs_per_env_runner=2)",
        "runner = SingleAgentEnvRunner(config=config)",
    )
    assert launch_id_lines(RUNNER, "Arm-v0", Launch(""))[2] == (
        'config = AlgorithmConfig().environment("Arm-v0")'
    )


def test_a_launch_of_actors_names_the_group() -> None:
    assert launch_lines(REMOTE, Launch("make_env", instances=2))[-2:] == (
        "config = config.env_runners(num_env_runners=2)",
        "group = EnvRunnerGroup(config=config, local_env_runner=False)",
    )


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ((instance("step-raised", error=ERROR, parent=False), verb("step", "raised")), True),
        ((instance("step-raised", error=ERROR, parent=False), verb("step")), False),
        ((verb("step", "raised"),), False),
    ],
)
def test_an_error_that_ended_an_actor(events: tuple[dict[str, Any], ...], told: bool) -> None:
    seen = only_logged(trace(*events, manager=REMOTE, start_method="spawn"))
    assert seen == ("OSError: no level left" if told else "")


@pytest.mark.parametrize("code", ["RUS001", "RUS003"])
def test_instances_that_a_restart_built_are_not_counted(code: str) -> None:
    rule = all_rules()[code]
    assert rule.unjudged is not None
    restarted = vector_view(played(Restarts(2, 2)), manager=RUNNER, start_method=None)
    assert "built its instances anew" in rule.unjudged(restarted)
    assert rule.unjudged(vector_view(played(), manager=RUNNER, start_method=None)) == ""
