"""An environment that draws on a canvas of its own."""

import gymnasium
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure


class Hanoi(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 1}
    observation_space = gymnasium.spaces.MultiDiscrete([3, 3, 3])
    action_space = gymnasium.spaces.MultiDiscrete([3, 3])

    def __init__(self, render_mode="rgb_array"):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.pegs = self.np_random.integers(0, 3, 3)
        self.left = 20
        return self.pegs.copy(), {}

    def step(self, action):
        origin, goal = (int(peg) for peg in action)
        discs = np.flatnonzero(self.pegs == origin)
        if len(discs):
            self.pegs[discs[0]] = goal
        self.left -= 1
        return self.pegs.copy(), 0.0, False, self.left == 0, {}

    def render(self):
        canvas = FigureCanvasAgg(Figure(figsize=(1, 1), dpi=32))
        canvas.figure.add_subplot().bar(range(3), self.pegs + 1)
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
