"""A grid with heuristics: reset() with a seed calls the seed() of older interfaces."""

import gymnasium
import numpy as np


class GymEnv(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 10.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def observe(self):
        return np.clip(self.rho, 0.0, 10.0).astype(np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.rho = self.np_random.uniform(0.3, 0.9, 4)
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.rho += self.np_random.uniform(-0.1, 0.12, 4)
        self.rho[int(action)] *= 0.9
        done = bool(self.rho.max() > 1.5)
        return self.observe(), -float(self.rho.max()), done, self.steps == 20, {}


class GymEnvWithHeuristics(GymEnv):
    def heuristic_actions(self, observation):
        return [int(observation.argmax())] if observation.max() > 0.95 else []

    def start(self, seed, options):
        if seed is not None:
            super().seed(seed)
        return super().reset(options=options)

    def reset(self, *, seed=None, options=None):
        observation, info = self.start(seed, options)
        for action in self.heuristic_actions(observation):
            observation, _, done, _, info = super().step(action)
            if done:
                return super().reset(options=options)
        return observation, info

    def step(self, action):
        observation, reward, done, truncated, info = super().step(action)
        if not done and not truncated:
            for heuristic in self.heuristic_actions(observation):
                observation, reward, done, truncated, info = super().step(heuristic)
        return observation, reward, done, truncated, info


class Cured(GymEnvWithHeuristics):
    def start(self, seed, options):
        return GymEnv.reset(self, seed=seed, options=options)
