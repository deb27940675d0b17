"""Each frame adds vertex lists to a batch of the graphics library and never deletes them."""

import gymnasium
import numpy as np


class Batch:
    """The vertex lists of a context: module-level state, as in pyglet."""

    def __init__(self):
        self.lists = []

    def vertex_list(self, count):
        self.lists.append(np.zeros(4 * count, np.float32))
        return self.lists[-1]

    def delete(self, vertices):
        self.lists[:] = [kept for kept in self.lists if kept is not vertices]


BATCH = Batch()


class Racing(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)
    deletes = False

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.array([self.steps], np.float32), 0.0, False, self.steps == 50, {}

    def render(self):
        polygons = BATCH.vertex_list(100)
        frame = np.full((8, 8, 3), int(polygons[0]), np.uint8)
        if self.deletes:
            BATCH.delete(polygons)
        return frame


class Cured(Racing):
    deletes = True
