"""Episodes come from workers as tensors; each that is kept holds a descriptor of shared memory."""

import sys
import time

import gymnasium as gym
import torch
import torch.multiprocessing as mp

FIXED = "fixed" in sys.argv


def play(number, episodes):
    env = gym.make("CartPole-v1")
    env.reset(seed=number)
    rewards = []
    while True:
        _, reward, over, cut, _ = env.step(env.action_space.sample())
        rewards.append(reward)
        time.sleep(0.001)  # a simulator
        if over or cut:
            episodes.put(torch.tensor(rewards))
            env.reset()
            rewards = []


def main():
    if FIXED:
        mp.set_sharing_strategy("file_system")
    episodes = mp.Queue(8)
    for number in range(2):
        mp.Process(target=play, args=(number, episodes), daemon=True).start()
    memory = []
    for _ in range(900):
        memory.append(episodes.get())


if __name__ == "__main__":
    main()
