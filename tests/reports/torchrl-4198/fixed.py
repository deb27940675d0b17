"""All results are read out of a queue before the trainer joins the workers."""

import multiprocessing as mp

import gymnasium as gym
import numpy as np


class Camera(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (64, 64, 3), np.uint8)
    action_space = gym.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 40
        return self._look(), {}

    def step(self, action):
        self.left -= 1
        return self._look(), 1.0, self.left == 0, False, {}

    def _look(self):
        return self.np_random.integers(0, 255, (64, 64, 3)).astype(np.uint8)


def work(orders, results):
    env = Camera()
    env.reset(seed=mp.current_process().pid)
    while True:
        order = orders.get()
        if order is None:
            env.close()
            return
        result = env.step(order)
        if result[2]:
            env.reset()
        results.put(result)


class Pool:
    def __init__(self, count):
        self.orders = [mp.Queue() for _ in range(count)]
        self.results = mp.Queue()
        self.workers = [
            mp.Process(target=work, args=(orders, self.results)) for orders in self.orders
        ]
        for worker in self.workers:
            worker.start()
        self.open = 0

    def send(self):
        for orders in self.orders:
            orders.put(1)
            self.open += 1

    def receive(self, count):
        self.open -= count
        return [self.results.get() for _ in range(count)]

    def shutdown(self):
        for orders in self.orders:
            orders.put(None)
        self.receive(self.open)
        for worker in self.workers:
            worker.join()


def main():
    pool = Pool(3)
    for _ in range(200):
        pool.send()
        pool.receive(2)
    pool.shutdown()


if __name__ == "__main__":
    main()
