"""Each worker seeds the C library's rand() by the number of the environment, not of the worker."""

import ctypes
import multiprocessing
import sys

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
WORKERS, ENVS, STEPS = 3, 2, 600
LIBC = ctypes.CDLL(None)


class Drive(gymnasium.Env):
    """A car whose start and goal are drawn by rand() of the C library."""

    observation_space = gymnasium.spaces.Box(-1000.0, 1000.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def observe(self):
        return np.array([*self.car, self.goal], np.float32)

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            LIBC.srand(seed)
        self.car = [LIBC.rand() % 10000 / 100 - 50.0, 0.0]
        self.goal = LIBC.rand() % 10000 / 100 - 50.0
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.car[1] += 0.5 * (int(action) - 1)
        self.car[0] += self.car[1]
        distance = abs(self.car[0] - self.goal)
        return self.observe(), -distance, distance < 1.0, self.steps == 60, {}


def vec_reset(envs, seed, rank):
    if FIXED:
        seed = 1000 * rank + seed
    return [env.reset(seed=index + seed * ENVS)[0] for index, env in enumerate(envs)]


def work(pipe, rank):
    envs = [Drive() for _ in range(ENVS)]
    pipe.send(vec_reset(envs, int(pipe.recv()), rank))
    while (actions := pipe.recv()) is not None:
        observations, rewards = [], []
        for env, action in zip(envs, actions, strict=True):
            observation, reward, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                observation, _ = env.reset()
            observations.append(observation)
            rewards.append(reward)
        pipe.send((observations, rewards))
    for env in envs:
        env.close()


def main():
    rng = np.random.default_rng(0)
    pipes, workers = [], []
    for rank in range(WORKERS):
        ours, its = multiprocessing.Pipe()
        worker = multiprocessing.Process(target=work, args=(its, rank))
        worker.start()
        its.close()
        pipes.append(ours)
        workers.append(worker)
    for pipe in pipes:
        pipe.send(42)
    starts = [tuple(map(tuple, pipe.recv())) for pipe in pipes]
    print(f"{len(set(starts))} of {WORKERS} workers begin in their own way", flush=True)
    for _ in range(STEPS):
        for pipe in pipes:
            pipe.send(rng.integers(3, size=ENVS).tolist())
        for pipe in pipes:
            pipe.recv()
    for pipe, worker in zip(pipes, workers, strict=True):
        pipe.send(None)
        worker.join()


if __name__ == "__main__":
    main()
