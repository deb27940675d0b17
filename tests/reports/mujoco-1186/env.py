"""reset() makes its renderer anew; the old one, freed after that, takes away the current context."""

import gymnasium
import numpy as np


class Device:
    """The context that is drawn to; where there is none, frames pile up in one buffer."""

    current = None
    leftover = np.zeros((8, 8), np.uint8)


class Renderer:
    makes_current = False

    def __init__(self):
        self.frame = np.zeros((8, 8), np.uint8)
        Device.current = self

    def render(self, pose):
        if self.makes_current:
            Device.current = self
        if Device.current is not self:
            Device.leftover += np.uint8(pose)
            return Device.leftover.copy()
        self.frame[:] = 0
        self.frame[pose // 8, pose % 8] = 255
        return self.frame.copy()

    def __del__(self):
        Device.current = None


class Humanoid(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (8, 8), np.uint8)
    action_space = gymnasium.spaces.Discrete(3)
    kind = Renderer

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.pose = int(self.np_random.integers(0, 64))
        self.renderer = self.kind()
        return self.renderer.render(self.pose), {}

    def step(self, action):
        self.steps += 1
        self.pose = (self.pose + int(action)) % 64
        return self.renderer.render(self.pose), 0.0, False, self.steps == 20, {}


class MakesCurrent(Renderer):
    makes_current = True

    def __del__(self):
        if Device.current is self:
            Device.current = None


class Cured(Humanoid):
    kind = MakesCurrent
