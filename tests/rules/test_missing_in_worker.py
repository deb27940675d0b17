"""The cure of an environment that workers do not know: for its id, its manager, and what was
seen when it was tried.
"""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.model.finding import Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view, verb
from envdoctor.rules.registration.reg004_missing_in_forkserver_worker import (
    missing_in_forkserver_worker,
)
from envdoctor.rules.remedies.missing_in_worker import examples_of

NO_NAME = raised("gymnasium.error.NameNotFound", "Environment `Walker` doesn't exist.")
WALKERS = {"id": "Walker-v0", "registered_by": "walkers"}


def unknown(name: str = "life") -> Trace:
    failed = instance("make-raised", pid=7, parent=False, error=NO_NAME)
    return trace(
        instance("made"),
        failed,
        verb("make", "raised", error=raised("EOFError", "")),
        name=name,
        start_method="forkserver",
    )


def found(*more: Trace, manager: str = "sb3-subproc", **survey: Any) -> Finding:
    view = vector_view(unknown(), *more, manager=manager, start_method="forkserver", **survey)
    (finding,) = missing_in_forkserver_worker.judge(view)
    return finding


@pytest.mark.parametrize(
    ("manager", "survey", "cure", "last"),
    [
        (
            "sb3-subproc",
            WALKERS,
            "named:walkers",
            'envs = make_vec_env("walkers:Walker-v0", n_envs=4, vec_env_cls=SubprocVecEnv)',
        ),
        (
            "gymnasium-async",
            WALKERS,
            "named:walkers",
            (
                "envs = gymnasium.vector.AsyncVectorEnv([lambda:"
                ' gymnasium.make("walkers:Walker-v0")] * 4, context="forkserver")'
            ),
        ),
        (
            "sb3-subproc",
            {"id": "Walker-v0", "registered_by": "__main__"},
            "carried",
            "envs = SubprocVecEnv([make_env] * 4)",
        ),
        (
            "sb3-subproc",
            {"imports": ["walkers"]},
            "imported:walkers",
            "envs = SubprocVecEnv([make_env] * 4)",
        ),
        ("sb3-subproc", {}, "", "envs = SubprocVecEnv([make_env] * 4)"),
        (
            "torchrl-parallel",
            {"imports": ["walkers"]},
            "imported:walkers",
            'envs = ParallelEnv(4, make_wrapped, mp_start_method="forkserver")',
        ),
        (
            "torchrl-parallel",
            {"imports": ["walkers"], "api": "torchrl"},
            "imported:walkers",
            'envs = ParallelEnv(4, make_env, mp_start_method="forkserver")',
        ),
    ],
    ids=[
        "make_vec_env",
        "gymnasium",
        "the script registered it",
        "a callable",
        "nobody knows who registers it",
        "wrapped",
        "in need of no wrapper",
    ],
)
def test_the_cure_fits(manager: str, survey: dict[str, Any], cure: str, last: str) -> None:
    finding = found(manager=manager, **survey)
    assert finding.evidence["cure"] == cure
    assert finding.remedy.commands[-1] == last
    assert "erified" not in finding.remedy.text


def test_a_factory_of_torchrls_own_makes_what_it_made() -> None:
    finding = found(manager="torchrl-parallel", imports=["walkers"], api="torchrl")
    assert "    return GymEnv(...)  # as before" in finding.remedy.commands
    assert not any("GymWrapper" in line for line in finding.remedy.commands)


def test_cure_is_promised_where_it_was_seen_to_work() -> None:
    finding = found(trace(verb("make"), verb("step:5"), name="cured"), **WALKERS)
    assert finding.remedy.text.endswith(" Verified: works with sb3-subproc, forkserver.")
    assert finding.evidence["cure_verified"]


def test_cure_is_not_promised_where_another_error_follows() -> None:
    finding = found(
        trace(verb("make", "raised", error=raised("ValueError", "no shared memory")), name="cured"),
        **WALKERS,
    )
    assert finding.remedy.text.endswith(
        " Tried with sb3-subproc, forkserver: that alone is not enough (ValueError: no shared"
        " memory)."
    )
    assert finding.remedy.commands


def test_lines_that_do_not_help_are_not_printed() -> None:
    finding = found(unknown("cured"), **WALKERS)
    assert "that alone is not enough (NameNotFound" in finding.remedy.text
    assert finding.remedy.commands == ()


@pytest.mark.parametrize("start_method", ["spawn", "forkserver"])
def test_examples_are_of_workers_of_the_start_method(start_method: str) -> None:
    examples = examples_of(start_method)
    assert {each.view.start_method for each in examples} == {start_method}
    assert all(start_method in message for each in examples for message in each.expected)
    assert [bool(each.expected) for each in examples] == [True, True, False, False]
