"""A vectorizer with a process for each environment, as Windows starts processes: by spawn."""

import multiprocessing

import numpy as np


def worker(remote, parent_remote, make):
    parent_remote.close()
    env = make()
    while True:
        order, data = remote.recv()
        if order == "step":
            observation, reward, terminated, truncated, info = env.step(data)
            if terminated or truncated:
                observation, _ = env.reset()
            remote.send((observation, reward, terminated or truncated, info))
        elif order == "reset":
            remote.send(env.reset()[0])
        elif order == "close":
            env.close()
            remote.close()
            break
        elif order == "get_spaces":
            remote.send((env.observation_space, env.action_space))


class SubprocVecEnv:
    def __init__(self, makers):
        context = multiprocessing.get_context("spawn")
        self.remotes, work_remotes = zip(*[context.Pipe() for _ in makers])
        self.processes = [
            context.Process(target=worker, args=(theirs, mine, make), daemon=True)
            for theirs, mine, make in zip(work_remotes, self.remotes, makers)
        ]
        for process in self.processes:
            process.start()
        for remote in work_remotes:
            remote.close()
        self.remotes[0].send(("get_spaces", None))
        self.observation_space, self.action_space = self.remotes[0].recv()

    def step(self, actions):
        for remote, action in zip(self.remotes, actions):
            remote.send(("step", action))
        observations, rewards, over, infos = zip(*[remote.recv() for remote in self.remotes])
        return np.stack(observations), np.stack(rewards), np.stack(over), infos

    def reset(self):
        for remote in self.remotes:
            remote.send(("reset", None))
        return np.stack([remote.recv() for remote in self.remotes])

    def close(self):
        for remote in self.remotes:
            remote.send(("close", None))
        for process in self.processes:
            process.join()
