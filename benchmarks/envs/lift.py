"""A lift for DI-engine, written by its guide, and the same one ill. verdicts.py examines both.

`Lift` is lazy: its controller is started by the first reset() and stopped by close(). `Forgetful`
forgets it there, so that every closed lift leaves a thread and a log file.
"""

from __future__ import annotations

import tempfile
import threading

import gym
import numpy as np
from ding.envs import BaseEnv, BaseEnvTimestep

FLOORS, EPISODE = 8, 30  # steps


class Controller:
    """A background thread and its log."""

    def __init__(self):
        self.log = tempfile.NamedTemporaryFile(prefix="lift-", suffix=".log")  # noqa: SIM115
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self.stopping.wait, name="controller", daemon=True)
        self.thread.start()

    def stop(self):
        self.stopping.set()
        self.thread.join()
        self.log.close()


class Lift(BaseEnv):
    def __init__(self, cfg):
        self._cfg = cfg
        self._controller = None
        self._observation_space = gym.spaces.Box(0.0, 1.0, (2,), np.float32)
        self._action_space = gym.spaces.Discrete(3)
        self._reward_space = gym.spaces.Box(-1.0, 0.0, (1,), np.float32)
        self._rng = np.random.default_rng(0)

    observation_space = property(lambda self: self._observation_space)
    action_space = property(lambda self: self._action_space)
    reward_space = property(lambda self: self._reward_space)

    def seed(self, seed, dynamic_seed=True):  # noqa: ARG002
        self._rng = np.random.default_rng(seed)

    def reset(self):
        if self._controller is None:
            self._controller = Controller()
        self._floor, self._goal = (int(floor) for floor in self._rng.integers(FLOORS, size=2))
        self._steps, self._return = 0, 0.0
        return self._observation()

    def step(self, action):
        self._floor = min(FLOORS - 1, max(0, self._floor + int(action.item()) - 1))
        self._steps += 1
        reward = -abs(self._floor - self._goal) / FLOORS
        self._return += reward
        done = self._steps >= EPISODE
        info = {"eval_episode_return": self._return} if done else {}
        return BaseEnvTimestep(self._observation(), np.array([reward], np.float32), done, info)

    def close(self):
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    def random_action(self):
        return np.array([self._action_space.sample()], dtype=np.int64)

    def __repr__(self):
        return f"{type(self).__name__}()"

    def _observation(self):
        return np.array([self._floor, self._goal], np.float32) / FLOORS


class Forgetful(Lift):
    def close(self):
        self._controller = None
