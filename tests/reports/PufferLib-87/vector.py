"""Environments in processes, which write their observations into shared memory."""

import sys
from multiprocessing import Pipe, Process, RawArray

import numpy as np

FIXED = "fixed" in sys.argv


def _worker_process(env_creators, env_kwargs, pipe, shm, start):
    envs = [creator(**kwargs) for creator, kwargs in zip(env_creators, env_kwargs, strict=True)]
    observations = np.frombuffer(shm, np.float32).reshape(-1, 9)
    while True:
        order, values = pipe.recv()
        if order == "close":
            break
        rewards = []
        for number, env in enumerate(envs):
            if order == "reset":
                observation, _ = env.reset(seed=values[number])
                rewards.append(0.0)
            else:
                observation, reward, over, cut, _ = env.step(int(values[number]))
                rewards.append(reward)
                if over or cut:
                    observation, _ = env.reset()
            observations[start + number] = observation
        pipe.send(rewards)
    for env in envs:
        env.close()


class Multiprocessing:
    def __init__(self, env_creators, env_kwargs, num_workers):
        if not FIXED:
            self.envs = [
                creator(**kwargs) for creator, kwargs in zip(env_creators, env_kwargs, strict=True)
            ]
        self.num_envs = len(env_creators)
        self.envs_per_worker = self.num_envs // num_workers
        self.driver_env = env_creators[0](**env_kwargs[0])
        self.single_action_space = self.driver_env.action_space
        shape = self.driver_env.observation_space.shape
        self.shm = RawArray("f", self.num_envs * int(np.prod(shape)))
        self.observations = np.frombuffer(self.shm, np.float32).reshape(self.num_envs, *shape)
        self.pipes, self.processes = [], []
        for start in range(0, self.num_envs, self.envs_per_worker):
            part = slice(start, start + self.envs_per_worker)
            pipe, worker_pipe = Pipe()
            process = Process(
                target=_worker_process,
                args=(env_creators[part], env_kwargs[part], worker_pipe, self.shm, start),
            )
            process.start()
            self.pipes.append(pipe)
            self.processes.append(process)

    def ask(self, order, values):
        for number, pipe in enumerate(self.pipes):
            start = number * self.envs_per_worker
            pipe.send((order, values[start : start + self.envs_per_worker]))
        rewards = [reward for pipe in self.pipes for reward in pipe.recv()]
        return self.observations.copy(), np.array(rewards, np.float32)

    def reset(self, seed):
        return self.ask("reset", list(range(seed, seed + self.num_envs)))[0]

    def step(self, actions):
        return self.ask("step", actions)

    def close(self):
        self.driver_env.close()
        for pipe, process in zip(self.pipes, self.processes, strict=True):
            pipe.send(("close", None))
            process.join()
