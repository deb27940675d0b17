"""A finger that is to be pickled: the sampler sends environments to its processes."""

import gymnasium
import numpy as np
from gymnasium.utils import EzPickle


class MjSim:
    """A stand-in for the simulator's object in C, which cannot be pickled."""

    def __init__(self, model_path):
        self.model_path, self.qpos = model_path, np.zeros(3)

    def __reduce__(self):
        raise TypeError("no default __reduce__ due to non-trivial __cinit__")

    def advance(self, ctrl):
        self.qpos = np.clip(self.qpos + 0.05 * ctrl, -1, 1)


class MujocoEnv(gymnasium.Env, EzPickle):
    """The base of all environments: the simulator is made by the class that inherits."""

    observation_space = gymnasium.spaces.Box(-3, 3, (6,), np.float64)
    action_space = gymnasium.spaces.Box(-1, 1, (3,), np.float64)

    def __init__(self, sim, sim_obsd=None, frame_skip=1):
        EzPickle.__init__(self, sim, sim_obsd, frame_skip)
        self.sim, self.sim_obsd = sim, sim_obsd or sim
        self.frame_skip = frame_skip

    def observe(self):
        return np.concatenate([self.sim_obsd.qpos, self.target - self.sim_obsd.qpos])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.sim.qpos = np.zeros(3)
        self.target = self.np_random.uniform(-0.5, 0.5, 3)
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        for _ in range(self.frame_skip):
            self.sim.advance(action)
        self.steps += 1
        distance = float(np.abs(self.target - self.sim.qpos).sum())
        return self.observe(), -distance, distance < 0.01, self.steps == 50, {}


class FingerReach(MujocoEnv):
    def __init__(self, model_path="finger.xml"):
        super().__init__(MjSim(model_path), frame_skip=2)


class Cured(MujocoEnv):
    """EzPickle gets the path alone, and the simulator is made from it."""

    def __init__(self, model_path="finger.xml"):
        super().__init__(MjSim(model_path), frame_skip=2)
        EzPickle.__init__(self, model_path)
