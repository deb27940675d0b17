"""Collects experience in four environments at once."""

import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Lander(gym.Env):
    observation_space = gym.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, gravity):
        self.gravity = gravity

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.speed = self.np_random.uniform(5.0, 10.0), 0.0
        return self.look(), {}

    def look(self):
        return np.array([self.height, self.speed], np.float32)

    def step(self, action):
        self.speed += 0.4 * int(action) - self.gravity
        self.height += self.speed
        landed = self.height <= 0.0
        return self.look(), -abs(self.speed), landed, self.height > 50.0, {}


def make_my_env(gravity):
    return Lander(gravity)


def make_vec_env(env_id, n_envs):
    return gym.vector.SyncVectorEnv([env_id for _ in range(n_envs)])


def main():
    if FIXED:
        venv = make_vec_env(lambda: make_my_env(gravity=0.2), n_envs=4)
    else:
        env = make_my_env(gravity=0.2)
        venv = make_vec_env(lambda: env, n_envs=4)
    weights, generator = np.zeros(2), np.random.default_rng(1)
    obs, _ = venv.reset(seed=1)
    for _ in range(500):
        actions = (obs @ weights + generator.normal(size=4) < 0.0).astype(int)
        following, rewards, _terminated, _truncated, _ = venv.step(actions)
        weights += 0.001 * (rewards @ obs).clip(-1.0, 1.0)
        obs = following
    print(f"weights {weights.round(3)}")
    venv.close()


if __name__ == "__main__":
    main()
