"""The battery of a building wears out, and reset() does not give it its capacity back."""

import gymnasium
import numpy as np


class Battery:
    capacity_loss = 0.002

    def __init__(self, capacity):
        self.full = capacity
        self.capacity = capacity
        self.energy = 0.0

    def charge(self, energy):
        before = self.energy
        self.energy = min(max(self.energy + energy, 0.0), self.capacity)
        self.capacity -= self.capacity_loss * abs(self.energy - before)
        return self.energy - before

    def reset(self):
        self.energy = 0.0


class FullBattery(Battery):
    def reset(self):
        super().reset()
        self.capacity = self.full


class CityLearn(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10.0, 30.0, (4,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    battery = Battery

    def __init__(self):
        self.electrical_storage = self.battery(6.4)

    def observe(self):
        soc = self.electrical_storage.energy / self.electrical_storage.capacity
        return np.array([self.hour, self.load, soc, self.net], np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.hour = 0
        self.load = self.np_random.uniform(0.2, 3.0)
        self.net = self.load
        self.electrical_storage.reset()
        return self.observe(), {}

    def step(self, action):
        self.hour += 1
        energy = float(action[0]) * self.electrical_storage.capacity
        self.net = self.load + self.electrical_storage.charge(energy)
        self.load = self.np_random.uniform(0.2, 3.0)
        return self.observe(), -max(self.net, 0.0), False, self.hour == 24, {}


class Cured(CityLearn):
    battery = FullBattery
