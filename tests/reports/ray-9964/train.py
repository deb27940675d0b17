"""Each worker collects a batch for each agent, and forgets none of agents that are gone."""

import multiprocessing as mp
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Dummy(gym.Env):
    """Each episode has new agents."""

    observation_space = gym.spaces.Box(0, 1, (8,), np.float32)
    action_space = gym.spaces.Discrete(5)

    def __init__(self):
        self.episodes = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.episodes += 1
        self.left = 20
        return np.zeros(8, np.float32), {"agent": f"agent-{self.episodes}"}

    def step(self, action):
        self.left -= 1
        look = self.np_random.random(8, np.float32)
        return look, 0.0, self.left == 0, False, {"agent": f"agent-{self.episodes}"}


class BatchBuilder:
    def __init__(self):
        self.agents = {}

    def add(self, agent, observation, reward):
        self.agents.setdefault(agent, []).append((observation, reward))

    def build(self):
        batch = [row for rows in self.agents.values() for row in rows]
        if FIXED:
            self.agents.clear()
        return len(batch)


def sample(remote, number):
    env, builder = Dummy(), BatchBuilder()
    env.reset(seed=number)
    while (count := remote.recv()) is not None:
        for _ in range(count):
            observation, reward, over, _, info = env.step(0)
            builder.add(info["agent"], observation, reward)
            if over:
                env.reset()
        remote.send(builder.build())
    env.close()


def main():
    remotes = []
    for number in range(2):
        ours, theirs = mp.Pipe()
        mp.Process(target=sample, args=(theirs, number)).start()
        remotes.append(ours)
    for _ in range(3000):
        for remote in remotes:
            remote.send(200)
        for remote in remotes:
            remote.recv()
    for remote in remotes:
        remote.send(None)


if __name__ == "__main__":
    main()
