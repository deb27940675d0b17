"""A crane for DI-engine, written in a hurry: six defects in one environment.

`# defect N` stands at the lines that make one: without them it is gone.
"""

import os
import subprocess
import tempfile
import threading

import gym
import numpy as np
from ding.envs import BaseEnv, BaseEnvTimestep

LOG = os.path.join(tempfile.gettempdir(), "crane.log")


class Crane(BaseEnv):
    def __init__(self, cfg):
        self._cfg = cfg
        self._init_flag = False
        self._observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._action_space = gym.spaces.Discrete(3)
        self._reward_space = gym.spaces.Box(-2.0, 0.0, (1,), np.float32)
        self._stop = threading.Event()

    observation_space = property(lambda self: self._observation_space)
    action_space = property(lambda self: self._action_space)
    reward_space = property(lambda self: self._reward_space)

    def seed(self, seed, dynamic_seed=True):
        self._seed = seed

    def reset(self):
        if not self._init_flag:
            self._open()
            self._init_flag = True
        self._place = 0.0
        self._place = np.random.uniform(-0.5, 0.5)  # noqa: NPY002  # defect 1
        self._steps = 0
        self._return = 0.0
        return self._seen()

    def step(self, action):
        self._steps += 1
        self._place = float(np.clip(self._place + 0.1 * (int(action.item()) - 1), -1.0, 1.0))
        self._return -= abs(self._place)
        done = self._steps >= 15
        info = {"eval_episode_return": self._return} if done else {}
        return BaseEnvTimestep(self._seen(), np.array([-abs(self._place)], np.float32), done, info)

    def close(self):
        self._tool.close()  # defect 2
        self._init_flag = False

    def random_action(self):
        return np.array([self._action_space.sample()], dtype=np.int64)

    def __repr__(self):
        return "Crane"

    def _seen(self):
        return np.array([self._place, self._steps / 15], np.float32)

    def _open(self):
        self._tool = open(os.devnull)  # noqa: SIM115
        self._folder = tempfile.mkdtemp(prefix="crane-")  # defect 3
        with open(os.path.join(self._folder, "track.txt"), "w") as track:  # defect 3
            track.write("0 0 1\n")  # defect 3
        self._simulator = subprocess.Popen(["sleep", "600"])  # defect 4
        self._reader = threading.Thread(target=self._read, daemon=True)  # defect 5
        self._reader.start()  # defect 5
        self._log = open(LOG, "a")  # noqa: SIM115  # defect 6

    def _read(self):
        while not self._stop.wait(0.02):
            pass
