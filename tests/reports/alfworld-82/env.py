"""Games of a data set, drawn for each episode; for one of them the planner finds no end."""

import gymnasium
import numpy as np

GAMES = [3, 5, 4, 6, 11, 7]  # how many objects each has


class Kitchen(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)

    def __init__(self):
        self.np_random = np.random.default_rng(1)  # where reset() never gets a seed

    def _plan(self, objects):
        """A search that never closes a state: endless where the goal cannot be reached."""
        frontier, goal = [0], 2 * objects if objects != 11 else -1
        while frontier:
            state = frontier.pop(0)
            if state == goal:
                return state
            frontier.append((state + 1) % 97)
        return 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.game = int(self.np_random.integers(len(GAMES)))
        self.plan = self._plan(GAMES[self.game])
        self.left = 12
        return np.array([self.plan, self.left], np.float32), {}

    def step(self, action):
        self.left -= 1
        return np.array([self.plan, self.left], np.float32), 0.0, self.left == 0, False, {}


class Cured(Kitchen):
    def _plan(self, objects):
        return 2 * objects
