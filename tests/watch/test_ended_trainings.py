"""Ends of trainings, and containers that get longer, through the installed command."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.zoo import examine

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")

WALK = """
import gymnasium as gym
import numpy as np

class Walk(gymnasium.Env):
    observation_space = gym.spaces.Box(-9.0, 9.0, (1,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, {parameters}):
        self.steps = 0
        return np.zeros(1, np.float32), {{}}

    def step(self, action):
        self.steps += 1
        if self.steps > 3:
            raise ZeroDivisionError("no mass")
        return np.zeros(1, np.float32), 0.0, False, False, {{}}
""".replace("class Walk(gymnasium.Env)", "class Walk(gym.Env)")
SEEDED = "*, seed=None, options=None"
WORKERS = """
def main():
    envs = gym.vector.AsyncVectorEnv([Walk, Walk])
    envs.reset(seed=1)
    for _ in range(9):
        envs.step(envs.action_space.sample())

if __name__ == "__main__":
    main()
"""


def finding_of(code: str, script: str, folder: Path) -> dict[str, Any]:
    """The finding of a rule on a training."""
    (folder / "train.py").write_text(script)
    _, document = examine("--", "python", "train.py", cwd=folder, command="watch")
    (finding,) = (each for each in document["findings"] if each["code"] == code)
    return finding


def test_line_of_the_worker_that_raised_is_named(tmp_path: Path) -> None:
    script = WALK.format(parameters=SEEDED) + WORKERS
    line = 1 + script.splitlines().index('            raise ZeroDivisionError("no mass")')
    finding = finding_of("TRN004", script, tmp_path)
    assert finding["location"]["line"] == line
    assert (
        "which step() of Walk raised in a worker and the trainer got at train"
        in (finding["message"])
    )


@pytest.mark.parametrize(
    ("parameters", "end", "sentence", "cure"),
    [
        (SEEDED, "o, i = env.reset()\no, r, d, i = env.step(0)", "five values", "terminated"),
        (SEEDED, "o, r, d, t, i = env.step(0)[:4]", "", "mend what raises"),
        ("", "env.reset(seed=1)", "reset() of Walk does not take", "seed=None"),
    ],
    ids=["four values", "another line", "no seed"],
)
def test_older_interface_is_named_where_it_ended_a_training(
    parameters: str, end: str, sentence: str, cure: str, tmp_path: Path
) -> None:
    script = WALK.format(parameters=parameters) + f"env = Walk()\nenv.steps = 0\n{end}\n"
    finding = finding_of("TRN004", script, tmp_path)
    assert sentence in finding["message"]
    assert cure in finding["remedy"]["text"]
