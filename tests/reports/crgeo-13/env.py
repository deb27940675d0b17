"""A car on its way to a goal. An observer makes what the agent sees, and has a memory of its own."""

import gymnasium
import numpy as np


class GoalObserver:
    """The way to the goal in parts of the way at the beginning, and the progress since then."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.start = None
        self.last = None

    def observe(self, car):
        distance = float(np.hypot(*(car.goal - car.place)))
        if self.start is None:
            self.start = self.last = distance
        progress, self.last = self.last - distance, distance
        return np.array([distance / self.start, progress, car.speed], np.float32)


class Car:
    def __init__(self, rng):
        self.place = rng.uniform(0.0, 10.0, 2)
        self.goal = rng.uniform(60.0, 90.0, 2)
        self.speed = 0.0

    def drive(self, action):
        self.speed = float(np.clip(self.speed + action[0], 0.0, 5.0))
        way = self.goal - self.place
        self.place = self.place + way / np.hypot(*way) * min(self.speed, np.hypot(*way) - 0.1)


class CommonRoad(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-200.0, 200.0, (3,), np.float32)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self):
        self.observer = GoalObserver()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.car = Car(self.np_random)
        self.steps = 0
        return self.observer.observe(self.car), {}

    def step(self, action):
        self.steps += 1
        self.car.drive(action)
        view = self.observer.observe(self.car)
        over = float(np.hypot(*(self.car.goal - self.car.place))) < 2.0
        return view, float(view[1]), over, self.steps == 80, {}


class Cured(CommonRoad):
    def reset(self, *, seed=None, options=None):
        self.observer.reset()
        return super().reset(seed=seed, options=options)
