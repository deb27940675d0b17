"""The script of a zoo of agents that shows what a trained one does."""

import sys

import gymnasium as gym
import numpy as np
from stable_baselines3.common.vec_env import DummyVecEnv

FIXED = "fixed" in sys.argv


class Market(gym.Env):
    """A new market is drawn with each reset()."""

    observation_space = gym.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.prices = self.np_random.normal(0.0, 1.0, 60).cumsum()
        self.day = 0
        return self.look(0.0), {}

    def look(self, held):
        price, before = self.prices[self.day], self.prices[max(self.day - 1, 0)]
        return np.array([price, price - before, held], np.float32).clip(-10, 10)

    def step(self, action):
        held = float(action[0])
        self.day += 1
        gain = held * (self.prices[self.day] - self.prices[self.day - 1])
        return self.look(held), gain, bool(self.day == 50), False, {}


class Model:
    """Holds what has risen."""

    def predict(self, obs):
        return np.clip(obs[:, 1:2], -1.0, 1.0)


def main():
    env = DummyVecEnv([Market])
    env.seed(7)
    model = Model()
    obs = env.reset()
    episode_reward, ep_len = 0.0, 0
    episode_rewards, episode_lengths = [], []
    for _ in range(2000):
        action = model.predict(obs)
        obs, reward, done, infos = env.step(action)
        episode_reward += reward[0]
        ep_len += 1
        if done[0]:
            episode_rewards.append(episode_reward)
            episode_lengths.append(ep_len)
            episode_reward, ep_len = 0.0, 0
        # Reset also when the goal is achieved
        reached = infos[0].get("is_success", False)
        if reached or (done[0] and not FIXED):
            obs = env.reset()
    print(f"Mean reward: {np.mean(episode_rewards):.2f}, length: {np.mean(episode_lengths):.0f}")
    env.close()


if __name__ == "__main__":
    main()
