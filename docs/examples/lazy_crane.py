"""For the tutorial on lazy environments: what the first reset() takes, and close() forgets."""

import os
import tempfile
import threading

import gym
import numpy as np
from ding.envs import BaseEnv, BaseEnvTimestep


class Crane(BaseEnv):
    def __init__(self, cfg):
        self._cfg = cfg
        self._init_flag = False
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.action_space = gym.spaces.Discrete(3)
        self.reward_space = gym.spaces.Box(-1.0, 0.0, (1,), np.float32)

    def seed(self, seed, dynamic_seed=True):
        self._seed = seed

    def reset(self):
        if not self._init_flag:
            self._running = threading.Event()
            self._physics = threading.Thread(target=self._running.wait, daemon=True)
            self._physics.start()
            handle, self._trace = tempfile.mkstemp()
            self._file = os.fdopen(handle, "w")
            self._init_flag = True
        return np.zeros(1, np.float32)

    def step(self, action):
        return BaseEnvTimestep(np.zeros(1, np.float32), np.zeros(1, np.float32), False, {})

    def close(self):
        self._init_flag = False

    def __repr__(self):
        return "Crane"


class Cured(Crane):
    def close(self):
        if self._init_flag:
            self._running.set()
            self._physics.join(timeout=5.0)
            self._file.close()
            os.unlink(self._trace)
        self._init_flag = False
