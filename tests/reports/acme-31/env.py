"""A wrapper hands on each attribute that it does not have: its copy, still empty, asks itself for env."""

import gymnasium
import numpy as np


class Tower(gymnasium.Env):
    """Disks of three sizes on three pegs, to be planned by a tree search."""

    observation_space = gymnasium.spaces.Box(0.0, 2.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(9)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pegs = self.np_random.integers(0, 3, 3)
        self.moves = 0
        return self.pegs.astype(np.float32), {}

    def legal_actions(self):
        return [disk * 3 + peg for disk in range(3) for peg in range(3) if peg != self.pegs[disk]]

    def step(self, action):
        self.moves += 1
        disk, peg = divmod(int(action), 3)
        if all(self.pegs[smaller] not in (self.pegs[disk], peg) for smaller in range(disk)):
            self.pegs[disk] = peg
        done = bool((self.pegs == 2).all())
        return self.pegs.astype(np.float32), float(done), done, self.moves == 30, {}


class GymWrapper(gymnasium.Wrapper):
    def __getattr__(self, name):
        return getattr(self.env, name)


class CuredWrapper(gymnasium.Wrapper):
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"attempted to get missing private attribute {name!r}")
        return getattr(self.env, name)


def make():
    return GymWrapper(Tower())


def cured():
    return CuredWrapper(Tower())
