"""A browser in a process of its own: each reset() starts a new one, and close() ends the last one."""

import multiprocessing

import gymnasium
import numpy as np

SPAWN = multiprocessing.get_context("spawn")


def browse(pipe):
    while True:
        try:
            page = pipe.recv()
        except EOFError:
            return
        if page is None:
            return
        pipe.send(len(page))


class Browser:
    def __init__(self):
        self.pipe, theirs = SPAWN.Pipe()
        self.process = SPAWN.Process(target=browse, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()

    def open(self, page):
        self.pipe.send(page)
        return float(self.pipe.recv())

    def close(self):
        self.pipe.send(None)
        self.process.join()
        self.pipe.close()


OPEN = []


class Agent(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(10)

    def __init__(self):
        self.browser = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.browser = Browser()
        OPEN.append(self.browser)
        self.pages = 0
        return self.seen("about:blank"), {}

    def step(self, action):
        self.pages += 1
        return self.seen("p" * int(action)), 0.0, self.pages == 10, False, {}

    def seen(self, page):
        return np.array([self.browser.open(page)], np.float32)

    def close(self):
        if self.browser is not None:
            self.browser.close()
            OPEN.remove(self.browser)
            self.browser = None


class Cured(Agent):
    def reset(self, *, seed=None, options=None):
        self.close()
        return super().reset(seed=seed, options=options)
