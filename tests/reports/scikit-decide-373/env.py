"""close() quits the toolkit of the whole process, although other windows are open."""

import gymnasium
import numpy as np


class Toolkit:
    """One for the process, as a module is."""

    def __init__(self):
        self.windows = None

    def init(self):
        if self.windows is None:
            self.windows = []

    def open(self, size):
        window = np.zeros(size, np.uint8)
        self.windows.append(window)
        return window

    def draw(self, window, place):
        if self.windows is None:
            raise RuntimeError("display Surface quit")
        window[:] = 0
        window[place] = 255

    def destroy(self, window):
        self.windows = [other for other in self.windows if other is not window]

    def quit(self):
        self.windows = None


TOOLKIT = Toolkit()


class Grid(gymnasium.Env):
    metadata = {"render_modes": ["human"], "render_fps": 30}
    observation_space = gymnasium.spaces.Discrete(64)
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self, render_mode=None):
        self.render_mode = render_mode
        self.window = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.place = int(self.np_random.integers(64))
        self.show()
        return self.place, {}

    def step(self, action):
        self.steps += 1
        self.place = (self.place + 2 * int(action) - 1) % 64
        self.show()
        return self.place, 0.0, False, self.steps == 20, {}

    def render(self):
        self.show()

    def show(self):
        if self.render_mode != "human":
            return
        if self.window is None:
            TOOLKIT.init()
            self.window = TOOLKIT.open(64)
        TOOLKIT.draw(self.window, self.place)

    def close(self):
        if self.window is not None:
            TOOLKIT.quit()
            self.window = None


class Cured(Grid):
    def close(self):
        if self.window is not None:
            TOOLKIT.destroy(self.window)
            self.window = None
