"""DQN on a lander: what is random is drawn from one key, which is split for each use."""

import argparse

import gymnasium as gym
import numpy as np


class Lander(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (3,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.height, self.speed = 5.0, self.np_random.uniform(-1.0, 0.0)
        self.wind = self.np_random.uniform(-0.05, 0.05)
        return self.look(), {}

    def look(self):
        return np.array([self.height, self.speed, self.wind], np.float32).clip(-10, 10)

    def step(self, action):
        self.speed += 0.12 * int(action) - 0.06 + self.wind
        self.height += 0.2 * self.speed
        landed = self.height <= 0.0
        return self.look(), float(landed and self.speed > -0.8), bool(landed), False, {}


class LunarLander:
    """What the training asks of an environment."""

    def __init__(self):
        self.env = gym.wrappers.PassiveEnvChecker(Lander())
        self.n_actions = int(self.env.action_space.n)

    def reset(self, seed=None):
        if seed is None:
            self.state, _ = self.env.reset()
        else:
            self.state, _ = self.env.reset(seed=seed)
        self.state = np.array(self.state)
        self.n_steps = 0
        return self.state

    def step(self, action):
        self.n_steps += 1
        self.state, reward, absorbing, _, _ = self.env.step(action)
        return self.state, reward, absorbing


class DQN:
    def __init__(self, key, n_actions):
        self.params = key.normal(0.0, 0.1, (n_actions, 3))

    def best_action(self, state):
        return int(np.argmax(self.params @ state))

    def update(self, state, action, target):
        error = target - self.params[action] @ state
        self.params[action] += 0.01 * error * state


def collect_single_sample(key, env, agent, epsilon, horizon):
    greedy = key.random() >= epsilon
    action = agent.best_action(env.state) if greedy else int(key.integers(env.n_actions))
    obs = env.state.copy()
    _, reward, termination = env.step(action)
    agent.update(obs, action, reward)
    has_reset = termination or env.n_steps == horizon
    if has_reset:
        env.reset()
    return reward, has_reset


def train(key, agent, env, seed, steps):
    env.reset(seed)
    rewards = []
    for step in range(steps):
        epsilon = max(0.1, 1.0 - step / steps)
        reward, _ = collect_single_sample(key, env, agent, epsilon, horizon=100)
        rewards.append(reward)
    print(f"{sum(rewards)} landings in {steps} steps")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-s", "--seed", type=int, default=1)
    parser.add_argument("--fixed", action="store_true")
    p = parser.parse_args()
    q_key, train_key = np.random.default_rng(p.seed).spawn(2)
    env = LunarLander()
    train(train_key, DQN(q_key, env.n_actions), env, p.seed if p.fixed else None, 3000)
