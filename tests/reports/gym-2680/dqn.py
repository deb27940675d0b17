"""Values of actions, learned from a buffer; the first actions are drawn at random."""

import sys

import gymnasium
import numpy as np
from sync_vector_env import SyncVectorEnv

FIXED = "fixed" in sys.argv
SEED, LEARNING_STARTS, TOTAL_TIMESTEPS = 1, 400, 1000


class CartPole(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.angle, self.speed, self.steps = self.np_random.uniform(-0.1, 0.1), 0.0, 0
        return self.look(), {}

    def look(self):
        return np.array([self.angle, self.speed], np.float32)

    def step(self, action):
        self.speed += 0.02 * self.angle + (0.01 if action else -0.01)
        self.angle += self.speed
        self.steps += 1
        return self.look(), 1.0, abs(self.angle) > 1.0, self.steps == 200, {}


def make_env(seed):
    def thunk():
        env = CartPole()
        env.action_space.seed(seed)
        env.observation_space.seed(seed)
        return env

    return thunk


def main():
    np.random.seed(SEED)
    envs = SyncVectorEnv([make_env(SEED + i) for i in range(2)])
    if FIXED:
        envs.action_space.seed(SEED)
    weights, buffer = np.zeros((2, 2)), []
    obs = envs.reset(seed=SEED)
    for global_step in range(TOTAL_TIMESTEPS):
        if global_step < LEARNING_STARTS or np.random.random() < 0.05:
            actions = envs.action_space.sample()
        else:
            actions = (obs @ weights.T).argmax(axis=1)
        next_obs, rewards, dones = envs.step(actions)
        buffer.append((obs, actions, rewards, next_obs, dones))
        obs = next_obs
        if global_step >= LEARNING_STARTS:
            for index in np.random.choice(len(buffer), 4):
                old, chosen, reward, following, done = buffer[index]
                target = reward + 0.9 * (following @ weights.T).max(axis=1) * ~done
                error = np.clip(target - (old @ weights.T)[range(2), chosen], -1.0, 1.0)
                np.add.at(weights, chosen, 0.01 * error[:, None] * old)
    print(f"weights {weights.round(4).tolist()}")
    envs.close()


if __name__ == "__main__":
    main()
