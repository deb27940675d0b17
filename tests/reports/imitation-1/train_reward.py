"""Rollouts of experts, as triples (old_obs, act, new_obs), and a reward that is learned of them."""

import sys

import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv

FIXED = "fixed" in sys.argv


class Pendulum(gym.Env):
    observation_space = gym.spaces.Box(-20.0, 20.0, (2,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed = self.np_random.uniform(1.0, 2.0), 0.0
        self.steps = 0
        return self.look(), {}

    def look(self):
        return np.array([self.angle, self.speed], np.float32).clip(-20, 20)

    def step(self, action):
        self.speed += float(action[0]) - 0.2 * self.angle
        self.angle += 0.1 * self.speed
        self.steps += 1
        return self.look(), -abs(self.angle), False, self.steps == 25, {}


class Expert:
    def predict(self, obs):
        return np.clip(-0.5 * obs[:, 1:2], -1.0, 1.0)


def rollout_generate(policy, venv, n_timesteps):
    """The triples of so many steps of each environment."""
    old_obs, acts, new_obs = [], [], []
    obs = venv.reset()
    for _ in range(n_timesteps):
        act = policy.predict(obs)
        old_obs.append(obs)
        acts.append(act)
        obs, _, dones, infos = venv.step(act)
        following = obs
        if FIXED:
            following = obs.copy()
            for number in np.flatnonzero(dones):
                following[number] = infos[number]["terminal_observation"]
        new_obs.append(following)
    return np.concatenate(old_obs), np.concatenate(acts), np.concatenate(new_obs)


class RewardNet:
    """A potential of states: the reward of a triple is what it rises by."""

    def __init__(self):
        self.weights = np.zeros(3)

    def features(self, old_obs, act, new_obs):
        return np.concatenate([new_obs - old_obs, act], axis=1)

    def fit(self, triples):
        features = self.features(*triples)
        for _ in range(200):
            error = features @ self.weights + np.abs(triples[2][:, 0])
            self.weights -= 0.05 * features.T @ error / len(features)


def main():
    venv = DummyVecEnv([Pendulum] * 4)
    venv.seed(3)
    net = RewardNet()
    for _ in range(5):
        triples = rollout_generate(Expert(), venv, 200)
        net.fit(triples)
        longest = np.abs(triples[2][:, 0] - triples[0][:, 0]).max()
        print(f"weights {net.weights.round(3)}, largest move of a step {longest:.2f}")
    venv.close()


if __name__ == "__main__":
    main()
