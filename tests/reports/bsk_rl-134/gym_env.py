"""Satellites take images of targets; a step lasts until something of interest happens."""

import gymnasium
import numpy as np


class Simulator:
    def __init__(self, random):
        self.random = random
        self.sim_time = 0.0

    def run(self, action):
        self.sim_time += float(self.random.uniform(10.0, 60.0)) + 5.0 * action


class GeneralSatelliteTasking(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self, time_limit=600.0):
        self.time_limit = time_limit
        self.latest_step_duration = 0.0
        self.simulator = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.begin_episode()
        return self.get_obs(), self.get_info()

    def begin_episode(self):
        self.simulator = Simulator(self.np_random)
        self.targets = self.np_random.random(3)

    def get_obs(self):
        share = min(self.simulator.sim_time / self.time_limit, 1.0)
        return np.array([share, self.targets.max()], np.float32)

    def get_info(self):
        return {"d_ts": self.latest_step_duration}

    def step(self, action):
        previous_time = self.simulator.sim_time
        self.simulator.run(int(action))
        self.latest_step_duration = self.simulator.sim_time - previous_time
        reward, self.targets[int(action)] = float(self.targets[int(action)]), 0.0
        truncated = self.simulator.sim_time >= self.time_limit
        return self.get_obs(), reward, False, truncated, self.get_info()


class Cured(GeneralSatelliteTasking):
    def begin_episode(self):
        super().begin_episode()
        self.latest_step_duration = 0.0
