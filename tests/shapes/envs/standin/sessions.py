"""A talk of OpenEnv's kind without OpenEnv."""

import random
from dataclasses import dataclass

import illnesses
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action


@dataclass
class Say(Action):
    message: str = "so"


@dataclass
class Heard:
    draw: float = 0.0
    done: bool = False
    reward: float = 0.0

    def model_dump(self):
        return dict(vars(self))


class Talk(Environment):
    """Insists on an action of its class."""

    def __init__(self):
        self.random = random.Random()

    def _begin(self):
        """For those that take something."""

    def _moved(self):
        """For those that keep something."""

    def reset(self, seed=None, episode_id=None):
        if seed is not None:
            self.random.seed(seed)
        self._begin()
        self.steps = 0
        return Heard(self.random.random())

    def step(self, action: Say, timeout_s=None):
        assert isinstance(action, Say), action
        self._moved()
        self.steps += 1
        return Heard(self.random.random(), self.steps == 9, 0.5)


class Healthy(illnesses.Healthy, Talk):
    pass


class Leaving(illnesses.Leaving, Talk):
    pass


illnesses.twins(globals(), Talk)
