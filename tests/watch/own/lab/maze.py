"""Environments of a project that inherits from no framework."""

import random
from abc import ABC, abstractmethod
from dataclasses import dataclass


class Base(ABC):
    def __init__(self, size: int, seed=None) -> None:
        self.size = size
        self.random = random.Random(seed)

    @abstractmethod
    def reset(self): ...

    @abstractmethod
    def step(self, action): ...


class Maze(Base):
    def reset(self):
        self.position = self.random.randrange(self.size)
        return self.position

    def step(self, action):
        self.position += action
        done = not 0 <= self.position < self.size
        return self.position, float(done), done, {}


class LoggedMaze:
    """What takes an environment."""

    def __init__(self, env) -> None:
        self.env = env

    def reset(self):
        return self.env.reset()

    def step(self, action):
        observation, reward, done, info = self.env.step(action)
        return observation, reward, done, info


@dataclass
class Point:
    x: int
    y: int = 0
