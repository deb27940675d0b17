"""Each order gets an identity, and what has one is kept in a dict of the module for good."""

import uuid

import gymnasium
import numpy as np

OBJECTS = {}


class Identifiable:
    def identify(self):
        self.id = str(uuid.uuid4())
        OBJECTS[self.id] = self


class Order(Identifiable):
    def __init__(self, step, side, price, quantity):
        self.step = step
        self.side = side
        self.price = price
        self.quantity = quantity
        self.identify()


class LooseOrder(Order):
    def identify(self):
        self.id = str(uuid.uuid4())


class Trading(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1e6, 1e6, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)
    order = Order

    def observe(self):
        return np.array([self.prices[self.clock], self.cash, self.asset], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.clock = 0
        self.cash, self.asset = 1000.0, 0.0
        self.broker = []
        self.prices = 100.0 + self.np_random.normal(0.0, 1.0, 31).cumsum()
        return self.observe(), {}

    def step(self, action):
        price = float(self.prices[self.clock])
        if action:
            side = 1.0 if action == 1 else -1.0
            self.broker.append(self.order(self.clock, side, price, 1.0))
            self.cash -= side * price
            self.asset += side
        self.clock = min(self.clock + 1, 30)
        worth = self.cash + self.asset * float(self.prices[self.clock])
        return self.observe(), worth - 1000.0, False, self.clock == 30, {}


class Cured(Trading):
    order = LooseOrder
