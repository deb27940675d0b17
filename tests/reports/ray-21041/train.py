"""A callback appends the infos of each step to its episode, and the episodes are kept for metrics."""

import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Dummy(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (1,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 50
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        info = {f"metadata_{number}": float(self.np_random.random()) for number in range(20)}
        return np.zeros(1, np.float32), 0.0, self.left == 0, False, info


class Episode:
    def __init__(self):
        self.hist_data = {}


class MonitorInfo:
    def on_episode_step(self, episode, info):
        for key, value in info.items():
            episode.hist_data.setdefault(key, []).append(value)


class Worker:
    def __init__(self, env, callbacks):
        self.env, self.callbacks = env, callbacks
        self.metrics = []

    def sample(self, count):
        for number in range(count):
            episode, over = Episode(), False
            self.env.reset(seed=number if not self.metrics else None)
            while not over:
                _, _, over, _, info = self.env.step(self.env.action_space.sample())
                self.callbacks.on_episode_step(episode, info)
            if FIXED:
                episode.hist_data = {key: sum(values) for key, values in episode.hist_data.items()}
                del self.metrics[:-100]
            self.metrics.append(episode)


def main():
    worker = Worker(Dummy(), MonitorInfo())
    for _ in range(40):
        worker.sample(60)
    worker.env.close()


if __name__ == "__main__":
    main()
