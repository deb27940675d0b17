"""A race car on a track."""

import gymnasium
import numpy as np


class F110Env(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def __init__(self, config=None):
        self.config = {"seed": 12345, "timestep": 0.01, **(config or {})}
        self.seed = self.config["seed"]
        self.timestep = self.config["timestep"]

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.set_random(seed)
        super().reset(seed=seed)
        self.pose = self.sample_pose()
        self.steps = 0
        return self.observe(), {}

    def set_random(self, seed):
        np.random.seed(seed=self.seed)

    def sample_pose(self):
        """A place on the track, a little beside its middle."""
        angle = np.random.uniform(0.0, 2.0 * np.pi)
        radius = 50.0 + np.random.normal(0.0, 0.5)
        return np.array([radius * np.cos(angle), radius * np.sin(angle), angle + np.pi / 2])

    def observe(self):
        return self.pose.clip(-100, 100).astype(np.float32)

    def step(self, action):
        steer, speed = float(action[0]), 5.0 + 5.0 * float(action[1])
        self.pose[2] = (self.pose[2] + 0.1 * steer) % (2 * np.pi)
        heading = np.array([np.cos(self.pose[2]), np.sin(self.pose[2])])
        self.pose[:2] += 0.1 * speed * heading
        self.steps += 1
        beside = abs(np.linalg.norm(self.pose[:2]) - 50.0)
        return self.observe(), self.timestep, bool(beside > 5.0), self.steps == 200, {}


class Cured(F110Env):
    def set_random(self, seed):
        pass

    def sample_pose(self):
        angle = self.np_random.uniform(0.0, 2.0 * np.pi)
        radius = 50.0 + self.np_random.normal(0.0, 0.5)
        return np.array([radius * np.cos(angle), radius * np.sin(angle), angle + np.pi / 2])
