"""A battle runs in a thread of its own; reset() waits for the end of the last one."""

import queue
import threading

import gymnasium
import numpy as np

TURNS = 12


class Battle(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.thread = None

    def _fight(self, orders, sights):
        health = np.full(2, 100.0, np.float32)
        sights.put((health.copy(), False))
        for turn in range(1, TURNS + 1):
            order = orders.get()
            if order is None:
                return
            health -= np.float32(order + 1)
            sights.put((health.copy(), turn == TURNS))

    def _end(self):
        if self.thread is not None:
            self.thread.join()  # a battle that is not over waits for the next order

    def _cancel(self):
        if self.thread is not None:
            self.orders.put(None)
            self.thread.join()
            self.thread = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._end()
        self.orders, self.sights = queue.Queue(), queue.Queue()
        arguments = (self.orders, self.sights)
        self.thread = threading.Thread(target=self._fight, args=arguments, daemon=True)
        self.thread.start()
        return self.sights.get()[0], {}

    def step(self, action):
        self.orders.put(int(action))
        sight, over = self.sights.get()
        return sight, 1.0, over, False, {}

    def close(self):
        self._cancel()


class Cured(Battle):
    def _end(self):
        self._cancel()
