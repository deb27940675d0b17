"""Each return is kept for a plot as a tensor, with the graph that made it."""

import sys

import gymnasium as gym
import torch

FIXED = "fixed" in sys.argv


def main():
    torch.set_num_threads(1)
    torch.manual_seed(0)
    env = gym.make("CartPole-v1")
    policy = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2))
    optimizer = torch.optim.Adam(policy.parameters(), 1e-3)
    curve = []
    for episode in range(400):
        state, _ = env.reset(seed=0 if episode == 0 else None)
        memory, over = [], False
        while not over:
            choice = torch.distributions.Categorical(logits=policy(torch.as_tensor(state)))
            action = choice.sample()
            state, reward, terminated, truncated, _ = env.step(action.item())
            memory.append(choice.log_prob(action) * reward)
            over = terminated or truncated
        loss = -torch.stack(memory).sum()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        curve.append(loss.item() if FIXED else loss)
    env.close()


if __name__ == "__main__":
    main()
