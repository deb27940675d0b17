"""A window of a toolkit for each instance: its application is made anew, and the one before freed."""

import ctypes

import gymnasium
import numpy as np


class Application:
    """The toolkit allows one for each process. Making another deletes the one before."""

    current = None

    def __init__(self):
        self.alive = True
        if Application.current is not None:
            Application.current.alive = False
        Application.current = self

    @classmethod
    def instance(cls):
        return cls.current or cls()


class Window:
    def __init__(self, application):
        self.application = application

    def draw(self, image):
        """Paint the image natively: with an application that was deleted, this reads freed memory."""
        pointer = image.ctypes.data if self.application.alive else 8
        return ctypes.string_at(pointer, 1)


class Rooms(gymnasium.Env):
    metadata = {"render_modes": ["human"], "render_fps": 30}
    observation_space = gymnasium.spaces.Box(0, 8, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    moves = ((0, 1), (0, -1), (1, 0), (-1, 0))

    def __init__(self):
        self.render_mode = "human"
        self.window = None

    def open(self):
        self.window = Window(Application())

    def observe(self):
        return self.place.astype(np.float32)

    def render(self):
        if self.window is None:
            self.open()
        image = np.zeros((9, 9), np.uint8)
        image[tuple(self.place)] = 255
        self.window.draw(image)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = self.np_random.integers(0, 9, 2)
        self.steps = 0
        self.render()
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.place = np.clip(self.place + self.moves[int(action)], 0, 8)
        self.render()
        over = not self.place.any()
        return self.observe(), float(over), over, self.steps == 100, {}

    def close(self):
        self.window = None


class Cured(Rooms):
    def open(self):
        self.window = Window(Application.instance())


def make():
    return Rooms()


def cured():
    return Cured()
