"""Renderers are kept for the whole script, and freed after the display that they belong to."""

import atexit
import sys
import threading

import gymnasium
import numpy as np

FIXED = "fixed" in sys.argv
EPISODES, STEPS = 8, 40


class EGLError(Exception):
    pass


class Display:
    """The connection to the graphics card. It is made by the first renderer."""

    instance = None

    def __init__(self):
        self.initialized = True
        self.contexts = 0

    @classmethod
    def get(cls):
        if cls.instance is None:
            cls.instance = cls()
            atexit.register(cls.instance.terminate)
        return cls.instance

    def terminate(self):
        self.initialized = False


class GLContext:
    def __init__(self, display):
        self.display = display
        display.contexts += 1

    def free(self):
        if self.display is not None:
            if not self.display.initialized:
                raise EGLError("EGL_NOT_INITIALIZED")
            self.display.contexts -= 1
            self.display = None

    def __del__(self):
        self.free()


class Renderer:
    def __init__(self, width, height):
        self.context = GLContext(Display.get())
        self.shape = (height, width, 3)

    def render(self, seed):
        return np.random.default_rng(seed).integers(0, 255, self.shape, np.uint8)

    def close(self):
        if self.context is not None:
            self.context.free()
            self.context = None

    def __del__(self):
        self.close()


_RENDERERS = threading.local()


def renderer_of_thread():
    if not hasattr(_RENDERERS, "renderer"):
        _RENDERERS.renderer = Renderer(64, 48)
        if FIXED:
            atexit.register(_RENDERERS.renderer.close)  # before the display terminates
    return _RENDERERS.renderer


class Robot(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (48, 64, 3), np.uint8)
    action_space = gymnasium.spaces.Discrete(3)

    def observe(self):
        return renderer_of_thread().render(self.place + 100)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(-10, 10))
        self.steps = 0
        return self.observe(), {}

    def step(self, action):
        self.steps += 1
        self.place += int(action) - 1
        return self.observe(), -float(abs(self.place)), False, self.steps == STEPS, {}


def run_policy(env, seed):
    image, _ = env.reset(seed=seed)
    total, over = 0.0, False
    while not over:
        image, reward, terminated, truncated, _ = env.step(image[0, 0, 0] % 3)
        total += reward
        over = terminated or truncated
    return total


if __name__ == "__main__":
    robot = Robot()
    for episode in range(EPISODES):
        print(f"episode {episode}: {run_policy(robot, episode):.0f}", flush=True)
    robot.close()
