"""The arm as an environment, and a wrapper that lets the simulation go on."""

import gymnasium as gym
import numpy as np
from sim import FR3, Sim


class FR3Env(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (8,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float32)

    def __init__(self, robot):
        self.robot = robot

    def get_obs(self):
        sim = self.robot.sim
        return np.concatenate([sim.qpos, sim.qvel, sim.cube]).astype(np.float32).clip(-10, 10)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.robot.reset()
        return self.get_obs(), {}

    def step(self, action):
        self.robot.set_joint_position(action)
        return self.get_obs(), 0.0, False, False, {}


class FR3Sim(gym.Wrapper):
    def __init__(self, env, simulation):
        super().__init__(env)
        self.sim = simulation

    def reset(self, *, seed=None, options=None):
        _, info = super().reset(seed=seed, options=options)
        self.sim.step(1)
        return self.unwrapped.get_obs(), info

    def step(self, action):
        _, reward, _, _, info = super().step(action)
        self.sim.step(10)
        return self.unwrapped.get_obs(), reward, False, False, info


class CuredFR3Sim(FR3Sim):
    def reset(self, *, seed=None, options=None):
        self.sim.reset()
        return super().reset(seed=seed, options=options)


def fr3_sim():
    simulation = Sim()
    return gym.wrappers.TimeLimit(FR3Sim(FR3Env(FR3(simulation)), simulation), 30)


def cured():
    simulation = Sim()
    return gym.wrappers.TimeLimit(CuredFR3Sim(FR3Env(FR3(simulation)), simulation), 30)
