"""The environments and trainings of a project, by the texts of its files."""

from __future__ import annotations

import pytest

from envdoctor.discovery.contents import (
    CLASS,
    FACTORY,
    ID,
    NOTEBOOK,
    Contents,
    Environment,
    contents_of,
    latest_first,
)
from envdoctor.discovery.files import SourceFile


def of(text: str, path: str = "arm.py", module: str = "arm") -> SourceFile:
    return SourceFile(path, ".", module, text)


def specs(*files: SourceFile) -> list[str]:
    return [each.spec for each in contents_of(files).environments]


STEPS = """
    def reset(self, *, seed=None, options=None): ...
    def step(self, action): ...
"""


def source(header: str, base: str, more: str = "") -> str:
    return f"{header}\nclass Arm({base}):{STEPS}{more}"


@pytest.mark.parametrize(
    ("header", "base", "framework"),
    [
        ("import gymnasium as gym", "gym.Env", "Gymnasium"),
        ("import gymnasium as gym", "gym.Env[int, int]", "Gymnasium"),
        ("from gymnasium import Env as Base", "Base", "Gymnasium"),
        ("from gymnasium.envs.mujoco import MujocoEnv", "MujocoEnv", "Gymnasium"),
        ("import gym", "gym.Env", "Gym"),
        ("from ding.envs import BaseEnv", "BaseEnv", "DI-engine"),
        ("from pettingzoo import ParallelEnv", "ParallelEnv", "PettingZoo"),
        ("from pettingzoo import AECEnv", "AECEnv", "PettingZoo"),
        ("import dm_env", "dm_env.Environment", "dm_env"),
        ("from minigrid.minigrid_env import MiniGridEnv", "MiniGridEnv", ""),
    ],
)
def test_class_of_each_framework_is_found(header: str, base: str, framework: str) -> None:
    (environment,) = contents_of([of(source(header, base))]).environments
    assert (environment.kind, environment.spec, environment.line) == (CLASS, "arm.py:Arm", 2)
    assert environment.framework.lower().startswith(framework.lower())


@pytest.mark.parametrize(
    "text",
    [
        source("import gymnasium", "gymnasium.Wrapper"),
        source("from stable_baselines3.common.vec_env import VecEnv", "VecEnv"),
        source("import torch", "torch.nn.Module"),
        source("", "object"),
        "import gymnasium\nclass Base(gymnasium.Env):\n    pass",
        source("import gymnasium\nfrom abc import abstractmethod", "gymnasium.Env")
        + "\n    @abstractmethod\n    def draw(self): ...",
        source("import gymnasium", "gymnasium.Env")
        + "\n    def observe(self):\n        raise NotImplementedError",
        "class Arm(gymnasium.Env",
        "import gymnasium\nclass Arm(Arm):\n    pass",
    ],
)
def test_class_that_cannot_be_examined_is_left_out(text: str) -> None:
    assert specs(of(text)) == []


SHAPED = """
class {name}({base}):
    def __init__(self, size): ...
    def reset(self): ...
    def step(self{action}):
        if self.over:
            return {result}
"""


@pytest.mark.parametrize(
    ("changes", "is_found"),
    [
        ({}, True),
        ({"base": "ABC"}, True),
        ({"base": "Simulation"}, False),
        ({"name": "MazeWrapper"}, False),
        ({"name": "_Maze"}, False),
        ({"action": ""}, False),
        ({"action": ", *actions"}, True),
        ({"result": "observation"}, False),
        ({"result": "1, 2"}, False),
        ({"result": "observation, reward, done"}, True),
    ],
)
def test_class_without_a_base_is_known_by_its_methods(
    changes: dict[str, str], is_found: bool
) -> None:
    usual = {"name": "Maze", "base": "", "action": ", action", "result": "1, 2, True, {}"}
    text = "from abc import ABC\nclass Simulation: ...\n" + SHAPED.format(**{**usual, **changes})
    environments = contents_of([of(text)]).environments
    assert [(each.kind, each.needs) for each in environments] == [(CLASS, ("size",))] * is_found


def test_class_without_a_base_comes_after_environments() -> None:
    shaped = SHAPED.format(name="Maze", base="", action=", action", result="1, 2, True, {}")
    based = source("import gymnasium", "gymnasium.Env")
    assert specs(of(shaped, "maze.py", "maze"), of(based)) == ["arm.py:Arm"]


def test_environment_that_cannot_draw_is_found() -> None:
    text = source("import gymnasium", "gymnasium.Env")
    assert specs(of(text + "\n    def render(self):\n        raise NotImplementedError")) == [
        "arm.py:Arm"
    ]


def test_class_is_followed_through_the_modules_of_a_package() -> None:
    base = (
        "import gymnasium\nclass Base(gymnasium.Env):\n    def __init__(self, size, *, mode): ..."
    )
    files = [
        of("from .base import Base", "rob/__init__.py", "rob"),
        of(base, "rob/base.py", "rob.base"),
        of(source("from . import Base", "Base"), "rob/arms/one.py", "rob.one"),
    ]
    (environment,) = contents_of(files).environments
    assert (environment.spec, environment.needs) == ("rob.one:Arm", ("size", "mode"))


def test_method_that_a_class_leaves_is_found_in_another_one() -> None:
    stub = "\n    def observe(self):\n        raise NotImplementedError('by the subclass')"
    text = source("import gymnasium", "gymnasium.Env", stub)
    assert specs(of(f"{text}\nclass Two(Arm):\n    def observe(self): ...")) == ["arm.py:Two"]


REGISTERED = """
from gymnasium.envs.registration import register
register(id="Arm-v0", entry_point="rob.arms:Arm", kwargs={"size": 3})
register("Arm-v1", "rob.arms:Arm")
register(f"Arm-{2}", "rob.arms:Arm")
"""


def test_registered_ids_are_named_with_the_module_that_registers_them() -> None:
    arms = source("import gymnasium", "gymnasium.Env", "    def __init__(self, size): ...")
    files = [of(REGISTERED, "rob/__init__.py", "rob"), of(arms, "rob/arms.py", "rob.arms")]
    project = contents_of(files)
    assert [(each.kind, each.spec, each.needs) for each in project.environments] == [
        (ID, "rob:Arm-v0", ()),
        (ID, "rob:Arm-v1", ("size",)),
        (ID, "rob:Arm-2", ("size",)),
        (CLASS, "rob.arms:Arm", ("size",)),
    ]
    ids = ["rob:Arm-v0", "rob:Arm-v1", "rob:Arm-2"]
    assert [each.spec for each in project.examined] == ids


@pytest.mark.parametrize(
    ("body", "is_found"),
    [
        ("return gymnasium.make('CartPole-v1')", True),
        ("return Arm()", True),
        (
            "env = Arm()\n    if size:\n        env = gymnasium.wrappers.TimeLimit(env, 9)\n    return env",
            True,
        ),
        ("def thunk():\n        return Arm()\n    return thunk", False),
        ("return 3", False),
    ],
)
def test_factory_returns_an_environment(body: str, is_found: bool) -> None:
    text = source("import gymnasium", "gymnasium.Env")
    text += f"\ndef make_env(size=3):\n    {body}"
    kinds = [each.kind for each in contents_of([of(text)]).environments]
    assert kinds == [CLASS, *([FACTORY] if is_found else [])]


TRAINING = """
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import SubprocVecEnv as Workers
if __name__ == "__main__":
    PPO("MlpPolicy", Workers([make] * 4)).learn(100)
"""


def test_training_script_names_its_vectorizer() -> None:
    (training,) = contents_of([of(TRAINING, "train.py")]).trainings
    assert (training.file, training.line) == ("train.py", 5)
    assert (training.managers, training.trainers) == (("sb3-subproc",), ("Stable-Baselines3",))


def test_module_that_only_defines_is_no_training() -> None:
    assert contents_of([of(TRAINING.partition("if")[0])]) == Contents(files=1)


def test_cell_of_a_notebook_is_found() -> None:
    cell = SourceFile("arm.ipynb", "", "", source("import gymnasium", "gymnasium.Env"))
    (environment,) = contents_of([cell]).environments
    assert (environment.kind, environment.spec) == (NOTEBOOK, "arm.ipynb:Arm")


def test_last_change_comes_first_and_an_id_goes_with_its_class() -> None:
    arm, hand, made = (
        Environment(CLASS, "a:Arm", ".", "a.py", 1, entry="a.Arm"),
        Environment(CLASS, "h:Hand", ".", "h.py", 1, entry="h.Hand"),
        Environment(ID, "ids:Hand-v0", ".", "ids.py", 1, entry="h.Hand"),
    )
    contents = Contents(3, (arm, made, hand))
    assert latest_first(contents, {"h.py": 0, "ids.py": 1}).environments == (made, hand, arm)
    assert latest_first(contents, {}).environments == (arm, made, hand)
