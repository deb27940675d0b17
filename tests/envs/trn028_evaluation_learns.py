"""An evaluation in a VecNormalize of its own, which goes on to learn meanwhile; or that has no statistics."""

from __future__ import annotations

import sys

import gymnasium
import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

COMMAND = "watch"
INTERPRETER = "ENVDOCTOR_SB3_PYTHON"


class Corridor(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-50, 50))
        self.steps = 0
        return np.array([self.place], np.float32), {}

    def step(self, action):
        self.place = float(np.clip(self.place + action - 0.5, -100, 100))
        self.steps += 1
        return np.array([self.place], np.float32), -abs(self.place), self.steps == 20, False, {}


def corridors():
    return DummyVecEnv([lambda: Monitor(Corridor())])


def train(copies=True, **keywords):
    training = VecNormalize(corridors())
    evaluation = VecNormalize(corridors(), **keywords)
    model = PPO("MlpPolicy", training, n_steps=64, batch_size=64, n_epochs=1, seed=1)
    for _ in range(2):
        model.learn(64, reset_num_timesteps=False)
        if copies:
            evaluation.obs_rms = training.obs_rms.copy()
        evaluate_policy(model, evaluation, n_eval_episodes=3)
    evaluation.close()
    training.close()


def sick():
    train()


def unlearned():
    train(copies=False, training=False, norm_reward=False)


def healthy():
    train(training=False, norm_reward=False)


if __name__ == "__main__":
    {"Sick": sick, "Unlearned": unlearned, "Healthy": healthy}[sys.argv[1]]()
