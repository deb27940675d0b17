"""A battle runs in a thread; reset() before the battle has ended waits for the end (poke-env#199)."""

import queue
import threading

import gymnasium as gym
import numpy as np


class Battle(gym.Env):
    observation_space = gym.spaces.Box(0, 100, (2,), np.float32)
    action_space = gym.spaces.Discrete(4)

    def __init__(self):
        self.thread = None
        self.orders, self.sights = queue.Queue(), queue.Queue()

    def _fight(self):
        health = np.array([100.0, 100.0], np.float32)
        turn = 0
        self.sights.put((health.copy(), False))
        while turn < 12:
            order = self.orders.get()
            if order is None:
                return
            turn += 1
            health -= np.float32(order + 1)
            self.sights.put((health.copy(), turn == 12))

    def _end(self):
        """Wait until the last battle is over."""
        if self.thread is not None:
            self.thread.join()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self._end()
        self.thread = threading.Thread(target=self._fight, daemon=True)
        self.thread.start()
        return self.sights.get()[0], {}

    def step(self, action):
        self.orders.put(int(action))
        sight, over = self.sights.get()
        return sight, 1.0, over, False, {}

    def close(self):
        if self.thread is not None and self.thread.is_alive():
            self.orders.put(None)
            self.thread.join()
        self.thread = None


class Cured(Battle):
    def _end(self):
        if self.thread is not None and self.thread.is_alive():
            self.orders.put(None)
            self.thread.join()
        self.orders, self.sights = queue.Queue(), queue.Queue()
