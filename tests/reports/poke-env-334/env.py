"""Battles run one after the other in a thread; a wrapper is made of a copy of the environment."""

import copy
import queue
import threading

import gymnasium
import numpy as np

FORFEIT = -1


class Player(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.orders, self.sights = queue.Queue(), queue.Queue()
        self.keep_challenging = True
        self.challenges = threading.Thread(target=self.challenge, name="challenges", daemon=True)
        self.challenges.start()
        self.is_fighting = False

    def challenge(self):
        while self.keep_challenging:
            self.fight()

    def fight(self):
        health = np.full(2, 100.0, np.float32)
        over = self.orders.get() == FORFEIT  # the battle begins with reset()
        self.sights.put((health.copy(), over))
        while not over:
            order = self.orders.get()
            health -= np.float32(max(order, 0) + 1)
            over = order == FORFEIT or bool(health[0] < 60)
            self.sights.put((health.copy(), over))

    def order(self, number):
        self.orders.put(number)
        return self.sights.get()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.is_fighting:
            self.order(FORFEIT)
        self.is_fighting = True
        return self.order(0)[0], {}

    def step(self, action):
        sight, over = self.order(int(action))
        self.is_fighting = not over
        return sight, 1.0, over, False, {}

    def close(self):
        self.keep_challenging = False
        if self.challenges is not None:
            self.order(FORFEIT)
            self.challenges.join()
            self.challenges = None


class OldPlayer(Player):
    """What older trainers want: rewards of an episode that sum to 1."""

    def step(self, action):
        sight, reward, *rest = super().step(action)
        return sight, reward / 40, *rest


def wrap_for_old_gym_api(env):
    env = copy.copy(env)
    env.__class__ = OldPlayer
    return env


def sick():
    return wrap_for_old_gym_api(Player())


def cured():
    env = Player()
    env.__class__ = OldPlayer
    return env
