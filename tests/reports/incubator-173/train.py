"""A policy is trained, and evaluated at a fixed interval in environments of its own."""

import gymnasium
import numpy as np
from parallel import ParallelEnvList


class MineSweeper(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 1, (6,), np.float32)
    action_space = gymnasium.spaces.Discrete(6)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.mines = self.np_random.random(6).astype(np.float32)
        self.steps = 0
        return self.mines, {}

    def step(self, action):
        self.steps += 1
        reward = float(1 - self.mines[action])
        return self.mines, reward, self.mines[action] > 0.8, self.steps == 20, {}

    def close(self):
        self.mines = None


def rollout(envs, policy, steps):
    observations, rewards = envs.reset(), []
    for _ in range(steps):
        observations, reward, _ = envs.act(np.argmax(observations @ policy, axis=1))
        rewards.append(reward.mean())
    return float(np.mean(rewards))


def run_eval(policy, step):
    eval_envs = ParallelEnvList(MineSweeper, 4, 2)
    mean = rollout(eval_envs, policy, 40)
    print(f"[eval] step={step} mean_reward={mean:.3f}")


def train():
    draw = np.random.default_rng(0)
    envs = ParallelEnvList(MineSweeper, 4, 2)
    policy, best = np.eye(6), 0.0
    for update in range(60):
        candidate = policy + draw.normal(0, 0.1, (6, 6))
        mean = rollout(envs, candidate, 20)
        if mean > best:
            policy, best = candidate, mean
        if update % 10 == 0:
            run_eval(policy, update)
    run_eval(policy, 60)
    envs.close()


if __name__ == "__main__":
    train()
