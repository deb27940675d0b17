"""Gymnasium's own environments, and some that live on it, as they are installed.

Most are installed only where somebody needs them: ENVDOCTOR_RL_PYTHON names an interpreter that has
more than this one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from tests.support.zoo import ENVS, examine, messages_of

PYTHON = os.environ.get("ENVDOCTOR_RL_PYTHON", sys.executable)

BUILT_IN = [
    "CartPole-v1",
    "Blackjack-v1",
    "FrozenLake-v1",
    "Acrobot-v1",
    "CliffWalking-v1",
    "Pendulum-v1",
    "MountainCar-v0",
    "Taxi-v4",
]

# By default: forkserver is played where a finding makes it worth it.
EVERYWHERE = {
    ("direct", None),
    ("gymnasium-sync", None),
    ("gymnasium-async", "fork"),
    ("gymnasium-async", "spawn"),
}


@cache
def has(module: str) -> bool:
    """Return whether the interpreter has a module. A child process looks, because a search for a
    submodule imports its parent.
    """
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return (
        subprocess.run(
            [PYTHON, "-c", code], capture_output=True, timeout=600, check=False
        ).returncode
        == 0
    )


def need(module: str) -> None:
    if not has(module):
        pytest.skip(f"{module} is not installed for {PYTHON}")


def examined(*arguments: str) -> tuple[int, dict[str, Any]]:
    need("gymnasium")
    return examine(*arguments, "--python", PYTHON)


def places(document: dict[str, Any]) -> set[tuple[str, str | None]]:
    return {
        (place["manager"], place["start_method"]) for place in document["subjects"][0]["managers"]
    }


def codes(document: dict[str, Any], *severities: str) -> set[str]:
    return {
        finding["code"] for finding in document["findings"] if finding["severity"] in severities
    }


@pytest.mark.everything
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_environments_are_healthy(name: str) -> None:
    exit_code, document = examined(name)
    assert messages_of(document, "error", "warning") == []
    assert (exit_code, document["summary"]["verdict"]) == (0, "healthy")
    assert places(document) == EVERYWHERE
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}


@pytest.mark.everything
@pytest.mark.parametrize(
    ("module", "spec", "true"),
    [
        # Each reset() leaves a contact listener of the old world behind.
        ("Box2D", "LunarLander-v3", {"LEK003"}),
        ("mujoco", "HalfCheetah-v5", set()),
        ("ale_py", "ale_py:ALE/Breakout-v5", set()),
    ],
)
def test_simulators_have_no_other_illness_than_is_known(
    module: str, spec: str, true: set[str]
) -> None:
    need(module)
    _, document = examined(spec)
    assert codes(document, "error", "warning") <= true, messages_of(document)
    assert places(document) == EVERYWHERE


@pytest.mark.everything
def test_an_id_whose_package_only_the_script_imports() -> None:
    need("ale_py")
    exit_code, document = examined(
        "ALE/Breakout-v5", "--import", "ale_py", "--managers", "gymnasium-async"
    )
    assert (exit_code, codes(document, "error", "warning")) == (1, {"REG003", "REG004"})
    assert {
        command for finding in document["findings"] for command in finding["remedy"]["commands"]
    } == {
        'envs = gymnasium.vector.AsyncVectorEnv([lambda: gymnasium.make("ale_py:ALE/Breakout-v5")]'
        f' * 4, context="{method}")'
        for method in ("spawn", "forkserver")
    }
    assert all(
        "Verified: works" in finding["remedy"]["text"]
        for finding in document["findings"]
        if finding["severity"] == "error"
    )


@pytest.mark.everything
def test_an_id_whose_package_nobody_imports() -> None:
    need("minigrid")
    exit_code, document = examined("MiniGrid-Empty-5x5-v0")
    assert (exit_code, codes(document, "error", "warning")) == (1, {"REG001"})
    assert (
        "envdoctor check minigrid:MiniGrid-Empty-5x5-v0"
        in document["findings"][0]["remedy"]["commands"]
    )


@pytest.mark.everything
def test_spaces_that_shared_memory_cannot_hold() -> None:
    """The remedy was tried, and says so."""
    need("minigrid")
    exit_code, document = examined(
        "minigrid:MiniGrid-Empty-5x5-v0",
        "--managers",
        "gymnasium-async",
        "--start-methods",
        "spawn",
    )
    assert (exit_code, codes(document, "error", "warning")) == (1, {"VEC001"})
    (finding,) = [one for one in document["findings"] if one["code"] == "VEC001"]
    assert "shared_memory=False" in " ".join(
        [finding["remedy"]["text"], *finding["remedy"]["commands"]]
    )
    (cure,) = [
        scenario
        for scenario in document["scenarios"]
        if scenario["name"] == "without-shared-memory"
    ]
    assert cure["outcome"] == "finished"
    assert "verified" in finding["remedy"]["text"]


@pytest.mark.everything
def test_words_that_shared_memory_loses() -> None:
    """AsyncVectorEnv goes on showing the texts of an empty memory, silently; the pasted line
    shows those of the environment.
    """
    _, document = examine(
        "instructed.py:Instructed",
        "--managers",
        "gymnasium-sync,gymnasium-async",
        "--start-methods",
        "fork",
        "--ignore",
        "LEK",
    )
    assert codes(document, "error", "warning", "note") == {"VEC004"}
    (finding,) = document["findings"]
    assert (finding["manager"], finding["blame"], finding["severity"]) == (
        "gymnasium-async",
        "interaction",
        "warning",
    )
    assert (
        "observation['mission'] is 'go75' alone and '0000000000000000' under the manager"
        in finding["message"]
    )
    script = "\n".join(
        [
            "import gymnasium",
            "from instructed import Instructed",
            *finding["remedy"]["commands"],
            "print(envs.reset(seed=0)[0]['mission'][0])",
            "envs.close()",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ENVS,
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert done.stdout == "go75\n"


@pytest.mark.everything
def test_two_obstacles_one_behind_the_other() -> None:
    """Only without shared memory do workers come so far that they do not know the id; the cure
    that is tried has both.
    """
    need("minigrid")
    arguments = (
        "--import",
        "minigrid",
        "--managers",
        "gymnasium-async",
        "--start-methods",
        "spawn",
    )
    exit_code, document = examined("MiniGrid-Empty-5x5-v0", *arguments)
    assert (exit_code, codes(document, "error", "warning")) == (1, {"REG003"})
    (finding,) = [one for one in document["findings"] if one["code"] == "REG003"]
    assert finding["remedy"]["text"].endswith("Verified: works with gymnasium-async, spawn.")
    (line,) = finding["remedy"]["commands"]
    assert '"minigrid:MiniGrid-Empty-5x5-v0"' in line
    assert "shared_memory=False" in line


@pytest.mark.everything
def test_a_window_that_nobody_asked_for_is_a_note() -> None:
    """Closing one CartPole ends pygame for the other: an illness of those who watch two at once."""
    need("pygame")
    exit_code, document = examined("CartPole-v1", "--managers", "direct", "--select", "MAK,CLS")
    (finding,) = document["findings"]
    assert (exit_code, finding["code"], finding["severity"]) == (0, "MAK005", "note")
    assert finding["message"].endswith('with render_mode="human" only')
    assert document["summary"]["verdict"] == "healthy"


@pytest.mark.everything
def test_a_window_that_was_asked_for_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    need("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    exit_code, document = examined(
        "CartPole-v1", "--managers", "direct", "--select", "MAK", "-k", 'render_mode="human"'
    )
    assert (exit_code, codes(document, "error")) == (1, {"MAK005"})


@pytest.mark.everything
def test_an_argument_that_asks_for_pictures() -> None:
    """Rendering without a screen."""
    need("pygame")
    exit_code, document = examined(
        "CartPole-v1", "-k", 'render_mode="rgb_array"', "--managers", "direct,gymnasium-sync"
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    life, *_ = [scenario for scenario in document["scenarios"] if scenario["name"] == "life"]
    assert " render " in life["script"]
