"""A game with several illnesses, each of which asks for a scenario of its own."""

from __future__ import annotations

import gc
import os
import random
import socket

import gymnasium
import numpy as np
from plain import Plain

PORT = 5017  # and the number of the process: workers have others
LIMIT = 1000  # steps until a joint is worn


class JointError(RuntimeError):
    """Which joint, and how it jammed: two arguments, so that it is lost between processes."""

    def __init__(self, joint, angle):
        super().__init__(f"joint {joint} jams at {angle}")


class Frame:
    def __init__(self, before):
        self.pixels = np.zeros((84, 84, 3), np.uint8)
        self.before = before
        self.after = None


class Game(Plain):
    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        self._server = socket.socket()
        self._server.bind(("localhost", PORT + os.getpid() % 1000))
        self._server.listen(1)

    def reset(self, *, seed=None, options=None):
        self._frame = Frame(None)
        gc.collect()
        self.lives = 3
        self._wind = random.random()
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self._frame.after = Frame(self._frame)
        self._frame = self._frame.after
        if self._steps > LIMIT:
            raise JointError(2, 0.5)
        self.lives -= self._steps % 4 == 0
        return super().step(action)

    def _observe(self):
        return np.clip(super()._observe() + np.float32(self._wind), -1.0, 1.0)

    def close(self):
        self._server.close()


class EpisodicLife(gymnasium.Wrapper):
    """Goes on with the game where lives are left, whatever the seed."""

    def __init__(self, env):
        super().__init__(env)
        self._lives, self._is_over = 0, True

    def step(self, action):
        observation, reward, self._is_over, cut, info = self.env.step(action)
        lost, self._lives = self.env.unwrapped.lives < self._lives, self.env.unwrapped.lives
        return observation, reward, self._is_over or lost, cut, info

    def reset(self, **options):
        if not self._is_over:
            observation, _, _, _, info = self.env.step(0)
            return observation, info
        self._is_over = False
        return self.env.reset(**options)


def make():
    return EpisodicLife(Game())
