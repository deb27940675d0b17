"""One environment with two sets of arguments, through the installed command."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.support.packages import run

MAZE = """\
import gymnasium as gym


class Maze(gym.Env):
    observation_space = gym.spaces.Discrete(2)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, size):
        self.log = open(__file__) if size > 3 else None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 0, 0.0, False, False, {}
"""
SETS = """\
select = ["CLS006"]
managers = ["direct"]

[[subject]]
spec = "maze.py:Maze"
kwargs = { size = 3 }

[[subject]]
spec = "maze.py:Maze"
kwargs = { size = 4 }

[[subject]]
spec = "maze.py:Maze"
kwargs = { size = 5 }
"""
LEAKING = ["maze.py:Maze(size=4)", "maze.py:Maze(size=5)"]


def test_findings_of_two_sets_are_two_findings(tmp_path: Path) -> None:
    (tmp_path / "maze.py").write_text(MAZE)
    (tmp_path / "envdoctor.toml").write_text(SETS)
    check = (sys.executable, "-m", "envdoctor", "check", "--no-try-remedies")
    report = json.loads(run((*check, "--format", "json", "--save", "run"), tmp_path, code=1))
    assert [each["spec"] for each in report["subjects"]] == ["maze.py:Maze(size=3)", *LEAKING]
    findings = report["findings"]
    assert [each["subject"] for each in findings] == LEAKING
    assert len({each["fingerprint"] for each in findings}) == 2

    again = (sys.executable, "-m", "envdoctor", "report", "run", "--format", "json")
    saved = json.loads(run(again, tmp_path))
    assert [each["fingerprint"] for each in saved["findings"]] == [
        each["fingerprint"] for each in findings
    ]

    alone = json.loads(
        run((*check, "maze.py:Maze", "-k", "size=4", "--format", "json"), tmp_path, code=1)
    )
    assert [each["fingerprint"] for each in alone["findings"]] == [findings[0]["fingerprint"]]
