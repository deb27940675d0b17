"""All instances of a process move in one physics world (rl-baselines3-zoo#124, panda-gym 1.0)."""

import gymnasium as gym
import numpy as np


class World:
    """What a physics client without an id is: one for the process."""

    bodies = {}

    def reset(self):
        World.bodies.clear()
        World.bodies["arm"] = np.zeros(3)

    def push(self, force):
        World.bodies["arm"] = World.bodies["arm"] + 0.1 * force


class OwnWorld:
    def __init__(self):
        self.bodies = {}

    def reset(self):
        self.bodies.clear()
        self.bodies["arm"] = np.zeros(3)

    def push(self, force):
        self.bodies["arm"] = self.bodies["arm"] + 0.1 * force


class Reach(gym.Env):
    observation_space = gym.spaces.Box(-50, 50, (6,), np.float32)
    action_space = gym.spaces.Box(-1, 1, (3,), np.float32)
    world_class = World

    def __init__(self):
        self.world = self.world_class()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.world.reset()
        self.goal = self.np_random.uniform(-0.5, 0.5, 3)
        self.left = 40
        return self._look(), {}

    def step(self, action):
        self.world.push(np.asarray(action, float))
        self.left -= 1
        return (
            self._look(),
            -float(np.linalg.norm(self.world.bodies["arm"] - self.goal)),
            False,
            self.left == 0,
            {},
        )

    def _look(self):
        return np.concatenate([self.world.bodies["arm"], self.goal]).astype(np.float32)


class Cured(Reach):
    world_class = OwnWorld
