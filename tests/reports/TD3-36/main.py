"""Off-policy training: the first steps are random, then the policy acts with noise."""

import argparse

import gymnasium as gym
import numpy as np


class Reacher(gym.Env):
    observation_space = gym.spaces.Box(-10.0, 10.0, (4,), np.float32)
    action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.state = self.np_random.uniform(-1.0, 1.0, 4)
        return self.state.astype(np.float32), {}

    def step(self, action):
        self.state[:2] = (self.state[:2] + 0.1 * np.asarray(action)).clip(-10, 10)
        distance = float(np.abs(self.state[:2] - self.state[2:]).sum())
        return self.state.astype(np.float32), -distance, distance < 0.05, False, {}


class TD3:
    def __init__(self, state_dim, action_dim, max_action):
        self.weights = np.random.normal(0.0, 0.1, (action_dim, state_dim))
        self.max_action = max_action

    def select_action(self, state):
        return np.clip(self.weights @ state, -self.max_action, self.max_action)

    def train(self, replay, batch_size):
        for number in np.random.randint(len(replay), size=batch_size):
            state, action, reward = replay[number]
            self.weights += 0.001 * reward * np.outer(self.select_action(state) - action, state)


def eval_policy(policy, seed, eval_episodes=5):
    eval_env = gym.wrappers.TimeLimit(Reacher(), 50)
    total = 0.0
    for episode in range(eval_episodes):
        state, _ = eval_env.reset(seed=seed + 100 if episode == 0 else None)
        over = False
        while not over:
            state, reward, done, truncated, _ = eval_env.step(policy.select_action(state))
            total, over = total + reward, done or truncated
    eval_env.close()
    return total / eval_episodes


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", default=0, type=int)
    parser.add_argument("--start_timesteps", default=1000, type=int)
    parser.add_argument("--max_timesteps", default=3000, type=int)
    parser.add_argument("--fixed", action="store_true")
    args = parser.parse_args()

    env = gym.wrappers.TimeLimit(Reacher(), 50)
    state, _ = env.reset(seed=args.seed)
    if args.fixed:
        env.action_space.seed(args.seed)
    np.random.seed(args.seed)

    policy, replay = TD3(4, 2, 1.0), []
    evaluations = [eval_policy(policy, args.seed)]
    for t in range(args.max_timesteps):
        if t < args.start_timesteps:
            action = env.action_space.sample()
        else:
            action = policy.select_action(state) + np.random.normal(0.0, 0.1, size=2)
            action = action.clip(-1.0, 1.0)
        next_state, reward, done, truncated, _ = env.step(action)
        replay.append((state.copy(), action, reward))
        state = next_state
        if t >= args.start_timesteps:
            policy.train(replay, 4)
        if done or truncated:
            state, _ = env.reset()
        if (t + 1) % 1000 == 0:
            evaluations.append(eval_policy(policy, args.seed))
    env.close()
    print([round(value, 2) for value in evaluations])
