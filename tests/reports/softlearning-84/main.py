"""An experiment: it seeds what is random, makes its environments, and trains."""

import random
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class HalfCheetah(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.qpos = self.np_random.uniform(-0.1, 0.1, 2)
        self.qvel = 0.1 * self.np_random.standard_normal(2)
        self.steps = 0
        return self.look(), {}

    def look(self):
        return np.concatenate([self.qpos, self.qvel]).clip(-10, 10).astype(np.float32)

    def step(self, action):
        self.qvel = 0.9 * self.qvel + 0.1 * action
        self.qpos = self.qpos + self.qvel
        self.steps += 1
        return self.look(), float(self.qvel[0]), False, self.steps == 50, {}


class GymAdapter(gym.Wrapper):
    """What the library asks of an environment."""

    @property
    def action_shape(self):
        return self.action_space.shape


def get_environment_from_params(params):
    return GymAdapter(HalfCheetah(**params["kwargs"]))


def set_seed(seed):
    random.seed(seed)
    np.random.seed(seed)


class ExperimentRunner:
    def __init__(self, variant):
        self.variant = variant
        set_seed(variant["run_params"]["seed"])

    def build(self):
        params = self.variant["environment_params"]
        self.training_environment = get_environment_from_params(params["training"])
        self.evaluation_environment = get_environment_from_params(params["evaluation"])
        if FIXED:
            seed = self.variant["run_params"]["seed"]
            self.training_environment.reset(seed=seed)
            self.evaluation_environment.reset(seed=seed + 1)
        self.weights = np.random.normal(0.0, 0.1, (2, 4))

    def rollout(self, env, noise):
        observation, _ = env.reset()
        total, over = 0.0, False
        while not over:
            action = self.weights @ observation + noise * np.random.normal(size=env.action_shape)
            action = np.clip(action, -1.0, 1.0).astype(np.float32)
            observation, reward, _, over, _ = env.step(action)
            total += reward
        return total

    def train(self, epochs):
        for epoch in range(epochs):
            before = self.weights.copy()
            self.weights += np.random.normal(0.0, 0.05, before.shape)
            if self.rollout(self.training_environment, 0.1) < 0.0:
                self.weights = before
            if epoch % 10 == 9:
                print(epoch + 1, f"{self.rollout(self.evaluation_environment, 0.0):.3f}")
        self.training_environment.close()
        self.evaluation_environment.close()


if __name__ == "__main__":
    environments = {name: {"kwargs": {}} for name in ("training", "evaluation")}
    runner = ExperimentRunner({"run_params": {"seed": 5666}, "environment_params": environments})
    runner.build()
    runner.train(60)
