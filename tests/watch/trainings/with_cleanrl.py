"""A policy gradient in one file, as CleanRL's are: it prints a digest of its policy."""

import hashlib

import gymnasium
import numpy as np
import torch
from gymnasium.envs.classic_control import CartPoleEnv
from tally import counting
from torch.distributions import Categorical

Counting = counting(CartPoleEnv)


def make_env(seed):
    def thunk():
        env = gymnasium.wrappers.TimeLimit(Counting(), 200)
        env = gymnasium.wrappers.RecordEpisodeStatistics(env)
        env.action_space.seed(seed)
        return env

    return thunk


if __name__ == "__main__":
    torch.manual_seed(1)
    torch.set_num_threads(1)
    envs = gymnasium.vector.SyncVectorEnv([make_env(seed) for seed in range(4)])
    agent = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2))
    optimizer = torch.optim.Adam(agent.parameters(), lr=1e-3)
    observation, _ = envs.reset(seed=1)
    for _ in range(8):
        chances, rewards = [], []
        for _ in range(32):
            choice = Categorical(logits=agent(torch.as_tensor(observation)))
            action = choice.sample()
            observation, reward, _, _, _ = envs.step(action.numpy())
            chances.append(choice.log_prob(action))
            rewards.append(torch.as_tensor(reward, dtype=torch.float32))
        loss = -(torch.stack(chances) * torch.stack(rewards).flip(0).cumsum(0).flip(0)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    envs.close()
    digest = hashlib.sha256(np.asarray(observation).tobytes())
    for each in agent.state_dict().values():
        digest.update(each.numpy().tobytes())
    print(digest.hexdigest())
