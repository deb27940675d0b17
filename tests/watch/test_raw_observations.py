"""Policies that learned from normalized observations, and are given those of an environment."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from envdoctor.probe.live import raw_observations
from envdoctor.probe.live.raw_observations import ENOUGH, follow_policies

LIBRARY = """
class Policy:
    def __init__(self, normalizer=None, steps=0):
        self.normalizer, self.steps = normalizer, steps

    def predict(self, observation, deterministic=False):
        return 1

    def save(self, path):
        pass


class Normalizer:
    def __init__(self, venv, norm_obs=True):
        self.venv, self.norm_obs = venv, norm_obs

    def reset(self):
        return self.normalize_obs(self.venv.reset())

    def normalize_obs(self, obs):
        return [obs, 0.5]


class Vectorizer:
    def __init__(self, envs):
        self.envs = envs

    def reset(self):
        return [each.reset() for each in self.envs]


class Workers:
    def reset(self):
        return [0.0]


class Monitor:
    def __init__(self, env):
        self.env = env

    def reset(self):
        return self.env.reset()
"""
ARM = """
from library import *

class Arm:
    def reset(self):
        return [4.0]

    def step(self, action):
        return [2.0], 0.0, False, {}


class Scaled(Monitor):
    def reset(self):
        return [self.env.reset()[0] / 2]


def scaled(obs):
    return [each / 2 for each in obs]


def play(policy, env, times=%d):
    obs = env.reset()
    for _ in range(times):
        action = policy.predict(obs)
        obs, reward, done, info = env.step(action)


def look(policy, env, times=%d):
    for _ in range(times):
        obs = env.reset()
        policy.predict(obs)


training = Normalizer(Vectorizer([Monitor(Arm())]))
""" % (ENOUGH, ENOUGH)
HOOKS = SimpleNamespace(
    POLICIES={
        "library": (
            ("Policy.predict", "predicts"),
            ("Policy.save", "saves"),
            ("Normalizer.normalize_obs", "normalizes"),
        )
    },
    POLICY_NAMES=("normalizer", "norm_obs", "steps", "normalize_obs", "Monitor", "Vectorizer"),
)


class Watched:
    """A process in which policies are played."""

    def __init__(self) -> None:
        self.hook = SimpleNamespace(load=lambda name: sys.modules[name], complain=pytest.fail)
        self.events: list[dict[str, object]] = []

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""
        self.events.append({"what": what, **keys})

    def is_users(self, file: str) -> bool:
        """Return whether a file is the script."""
        return file.endswith("train.py")


@pytest.fixture
def watched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    """One with a library of policies."""
    __import__("envdoctor.probe.live.missing_keys")
    monkeypatch.setattr(raw_observations, "_known", {})
    library = ModuleType("library")
    file = tmp_path / "library.py"
    file.write_text(LIBRARY, encoding="utf-8")
    exec(compile(LIBRARY, str(file), "exec"), vars(library))
    monkeypatch.setitem(sys.modules, "library", library)
    process = Watched()
    follow_policies(process, HOOKS, library)  # type: ignore[arg-type]
    return process


def _events(watched: Watched, text: str, folder: Path) -> list[dict[str, object]]:
    file = folder / "train.py"
    file.write_text(ARM + text, encoding="utf-8")
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), {})
    return watched.events


@pytest.mark.parametrize(
    "text",
    [
        "play(Policy(training), Arm())",
        "look(Policy(training), Monitor(Arm()))",
        "look(Policy(training), Vectorizer([Arm()]))",
        "Policy(training, 400).save('x')\nlook(Policy(None, 400), Arm())",
        (
            "policy, vecnorm = Policy(training), None\n"
            "for _ in range(30):\n    obs = Arm().reset()\n    env = Arm()\n    obs = env.reset()\n"
            "    if vecnorm is not None:\n        obs = vecnorm.normalize_obs(obs)\n"
            "    policy.predict(obs)"
        ).replace("    obs = Arm().reset()\n", ""),
    ],
)
def test_observations_as_they_are_are_journaled(
    text: str, watched: Watched, tmp_path: Path
) -> None:
    (event,) = _events(watched, text, tmp_path)
    names = (event["what"], event["type"], event["method"], event["by"])
    assert names == ("evaluates", "Normalizer", "Arm", "Policy")
    assert str(tmp_path / "train.py") in str(event["frame"])


@pytest.mark.parametrize(
    "text",
    [
        "look(Policy(training), training)",
        "look(Policy(), Arm())",
        "look(Policy(Normalizer(Vectorizer([Arm()]), norm_obs=False)), Arm())",
        "look(Policy(Normalizer(Workers())), Arm())",
        "look(Policy(training), Scaled(Arm()))",
        "look(Policy(training), Workers())",
        f"look(Policy(training), Arm(), {ENOUGH - 1})",
        "look(Policy(None, 400), Arm())",
        (
            "Policy(training, 400).save('x')\nPolicy(None, 400).save('y')\n"
            "look(Policy(None, 400), Arm())"
        ),
        (
            "env, policy = Arm(), Policy(training)\nfor _ in range(40):\n"
            "    obs = scaled(env.reset())\n    policy.predict(obs)"
        ),
        (
            "env, policy = Arm(), Policy(training)\nfor _ in range(40):\n"
            "    obs = env.reset()\n    obs = scaled(obs)\n    policy.predict(obs)"
        ),
        (
            "env, policy = Arm(), Policy(training)\nfor _ in range(40):\n"
            "    obs = env.reset()\n    policy.predict(scaled(obs))"
        ),
        (
            "env, policy = Arm(), Policy(training)\nfor _ in range(40):\n"
            "    obs = env.reset()\n    obs = training.normalize_obs(obs)\n    policy.predict(obs)"
        ),
    ],
)
def test_other_observations_are_left_alone(text: str, watched: Watched, tmp_path: Path) -> None:
    assert _events(watched, text, tmp_path) == []
