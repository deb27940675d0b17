"""Renderers take the context of the thread that makes them; the pool plays them in any thread."""

import os
import threading
import time

import gymnasium
import numpy as np


class Context:
    def __init__(self):
        self.current = None  # the thread that draws with it

    def make_current(self):
        if self.current not in (None, threading.get_ident()):
            os.write(2, b"what(): failed to make EGL context current\n")
            os.abort()  # an exception that no thread of native code catches
        self.current = threading.get_ident()

    def release(self):
        self.current = None


LOCAL = threading.local()


def context_of_thread():
    if not hasattr(LOCAL, "context"):
        LOCAL.context = Context()
    return LOCAL.context


class OffscreenRenderer:
    def __init__(self, context):
        self.context = context

    def draw(self, angle):
        self.context.make_current()
        time.sleep(0.0005)  # the GPU draws
        image = np.full((3, 16, 16), int(abs(angle) * 40) % 256, np.uint8)
        self.context.release()
        return image


class WalkerWalk(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0, 255, (3, 16, 16), np.uint8)
    action_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
    renderer = None

    def new_context(self):
        return context_of_thread()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.renderer is None:
            self.renderer = OffscreenRenderer(self.new_context())
        self.steps, self.angle = 0, float(self.np_random.uniform(-3.0, 3.0))
        return self.renderer.draw(self.angle), {}

    def step(self, action):
        self.steps += 1
        self.angle += float(action[0])
        return self.renderer.draw(self.angle), 0.0, False, self.steps == 100, {}


class Cured(WalkerWalk):
    def new_context(self):
        return Context()
