"""Orders are put into a queue that no worker reads any more: Python waits at its end."""

import multiprocessing as mp
import queue
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Task(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2000,), np.float64)
    action_space = gym.spaces.Box(-1, 1, (2000,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 25
        return self.np_random.uniform(-1, 1, 2000), {}

    def step(self, action):
        self.left -= 1
        return self.np_random.uniform(-1, 1, 2000), 0.0, self.left == 0, False, {}


def work(orders, results):
    env = Task()
    env.reset(seed=1)
    while True:
        try:
            number, action = orders.get(timeout=0.5)
        except queue.Empty:
            break
        if number is None:
            break
        result = env.step(action)
        if result[2]:
            env.reset()
        results.put((number, result))
    env.close()


def main():
    orders, results = mp.Queue(), mp.Queue()
    workers = [mp.Process(target=work, args=(orders, results)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for number in range(400):
        orders.put((number, np.zeros(2000)))
    for _ in range(400):
        results.get()
    for _ in workers:
        orders.put((None, None))
    for worker in workers:
        worker.join()
    print("all tasks are done", flush=True)
    for number in range(20):  # tasks of a next iteration, which does not come
        orders.put((number, np.zeros(2000)))
    if FIXED:
        orders.cancel_join_thread()


if __name__ == "__main__":
    main()
