"""Keys that are missing in what an environment returned."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.probe.live.boot import Hook
from envdoctor.probe.live.error_details import Detail, detail_of
from envdoctor.probe.live.raised import _entries
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died

ENVIRONMENT = """
class Walkers:
    def reset(self):
        return {"walker_0": 0.5}

    def step(self, actions):
        info = {"speed": 1.0}
        return {"walker_0": 0.5, "walker_1": 0.5}, 0.0, False, [info, {}]


class Critic:
    def __init__(self, agents):
        self.agents, self.names = {"walker_0": 1.0}, agents

    def value(self, observations):
        return [observations[agent] for agent in self.names]


env, critic = Walkers(), Critic(["walker_0", "walker_1"])
"""


class Loading:
    """What loads modules of ours: they are imported here already."""

    def load(self, name: str) -> object:
        """Return the module."""
        __import__(name)
        return sys.modules[name]


def _detail(text: str, tmp_path: Path) -> Detail:
    """The circumstance of the KeyError of a script."""
    file = tmp_path / "train.py"
    file.write_text(ENVIRONMENT + text, encoding="utf-8")
    with pytest.raises(KeyError) as raised:
        exec(compile(file.read_text(), str(file), "exec"), {"__name__": "__main__"})
    entries = list(_entries(raised.value))[1:]
    return detail_of(cast(Hook, Loading()), raised.value, entries)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            "observations = env.reset()\ncritic.value(observations)",
            ["reset", "Walkers", "1", "'walker_0'"],
        ),
        (
            "observations, total = env.reset(), 0.0\nobservations['walker_1']",
            ["reset", "Walkers", "1", "'walker_0'"],
        ),
        (
            "seen, reward, done, infos = env.step(0)\nprint(infos[0]['episode'])",
            ["step", "Walkers", "1", "'speed'"],
        ),
        (
            "seen, *_, infos = env.step(0)\nkey = 'episode'\ninfos[1][key]",
            ["step", "Walkers", "0"],
        ),
        (
            (
                "def play():\n    seen = env.reset()\n    while True:\n        seen['walker_3']\n"
                "        seen, *_ = env.step(0)\nplay()"
            ),
            ["reset/step", "Walkers", "1", "'walker_0'"],
        ),
    ],
)
def test_call_that_returned_the_dict_is_named(text: str, names: list[str], tmp_path: Path) -> None:
    detail = _detail(text, tmp_path)
    assert (detail["kind"], detail["names"]) == ("key", names)
    assert cast(dict[str, object], detail["frame"])["file"] == str(tmp_path / "train.py")


@pytest.mark.parametrize(
    "text",
    [
        "settings = {'gamma': 0.9}\nsettings['walker_1']",
        "critic.agents['walker_1']",
        "observations = dict(env.reset())\nobservations['walker_1']",
        "raise KeyError('walker_1')",
        "raise KeyError",
        "values = {}\nobservations = env.reset()\nvalues[observations['walker_0']]",
        "observations = env.reset()\nobservations['walker_0'], {}['walker_1']",
        "def lose(seen):\n    seen.pop('walker_1')\nlose(env.reset())",
        "import json\nobservations = env.reset()\njson.JSONDecoder().__dict__['walker_1']",
    ],
)
def test_other_keys_are_left_alone(text: str, tmp_path: Path) -> None:
    assert _detail(text, tmp_path) == {}


AT, CALL = Location("/train.py", 30, "value"), Location("/train.py", 25, "rollout")


def _finding(key: str, names: tuple[str, ...], steps: int) -> tuple[str, str]:
    error = Raised("KeyError", key, AT, detail=ErrorDetail("key", names, CALL))
    arm = Instances(1, 1, "arm.Walkers", reset=Calls(1, 1), step=Calls(steps, steps))
    process = TrainingProcess(1, code=1, raised=error)
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 0.4, (process,), (arm,))))
    return finding.message, finding.remedy.text


@pytest.mark.parametrize(
    ("key", "names", "steps", "words", "cure"),
    [
        (
            "'walker_1'",
            ("reset/step", "Walkers", "1", "'walker_0'"),
            0,
            (
                ": reset() of Walkers, called at train.py:25, returned a dict without it, which has"
                " 'walker_0' alone"
            ),
            "let reset() return what all agents see.",
        ),
        (
            "'walker_1'",
            ("reset/step", "Walkers", "1", "'walker_0'"),
            7,
            ": reset() or step() of Walkers, called at train.py:25, returned a dict without it",
            "read what is there only: `if 'walker_1' in ...`. Many environments leave out agents",
        ),
        (
            "'episode'",
            ("step", "Walkers", "5", "'a'", "'b'", "'c'"),
            7,
            "returned a dict without it, which has 'a', 'b', 'c' and 2 more",
            (
                "look whether it is there: `if 'episode' in info`. RecordEpisodeStatistics, or"
                " Monitor, sets it where an episode has ended."
            ),
        ),
        ("'final'", ("step", "Walkers", "0"), 7, "which is empty", "read what is there only"),
    ],
)
def test_cure_follows_from_the_key(
    key: str, names: tuple[str, ...], steps: int, words: str, cure: str
) -> None:
    message, remedy = _finding(key, names, steps)
    assert words in message
    assert remedy.startswith(cure)
