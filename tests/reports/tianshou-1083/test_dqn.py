"""A value of each action, learned from a buffer that random actions fill first."""

import sys

import gymnasium
import numpy as np
from collector import Collector, DummyVectorEnv

FIXED = "fixed" in sys.argv
SEED = 1626


class Cart(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-100.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.position, self.speed = self.np_random.uniform(-1.0, 1.0), 0.0
        self.steps = 0
        return self.look(), {}

    def look(self):
        return np.array([self.position, self.speed], np.float32)

    def step(self, action):
        self.speed += 0.1 if action else -0.1
        self.position += self.speed
        self.steps += 1
        return self.look(), 1.0, abs(self.position) > 5.0, self.steps == 100, {}


class DQN:
    def __init__(self):
        self.weights = np.zeros((2, 2))

    def __call__(self, obs):
        if np.random.random() < 0.1:
            return int(np.random.randint(2))
        return int(np.argmax(self.weights @ obs))

    def learn(self, buffer):
        for index in np.random.choice(len(buffer), 64):
            obs, action, reward, following = buffer[index]
            target = reward + 0.9 * (self.weights @ following).max()
            error = np.clip(target - self.weights[action] @ obs, -1.0, 1.0)
            self.weights[action] += 0.001 * error * obs


def main():
    np.random.seed(SEED)
    train_envs = DummyVectorEnv([Cart for _ in range(4)])
    if FIXED:
        for number, space in enumerate(train_envs.action_space):
            space.seed(SEED + number)
    policy, buffer = DQN(), []
    collector = Collector(policy, train_envs, buffer)
    collector.reset_env(range(SEED, SEED + 4))
    collector.collect(n_step=1000, random=True)
    for _ in range(20):
        collector.collect(n_step=100)
        policy.learn(buffer)
    print(f"weights {policy.weights.round(4).tolist()}")
    train_envs.close()


if __name__ == "__main__":
    main()
