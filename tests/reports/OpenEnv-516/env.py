"""A browser whose objects belong to the thread that started it, as those of sync_playwright()."""

import threading

import gymnasium
import numpy as np


class Browser:
    def __init__(self):
        self.thread = threading.get_ident()

    def page(self):
        if threading.get_ident() != self.thread:
            raise RuntimeError("Cannot switch to a different thread")
        return np.zeros(4, np.float32)


class Page(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (4,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)

    def __init__(self):
        self.browser = None

    def _browser(self):
        if self.browser is None:
            self.browser = Browser()
        return self.browser

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 10
        return self._browser().page(), {}

    def step(self, action):
        self.left -= 1
        return self._browser().page(), 0.0, False, self.left == 0, {}


class Cured(Page):
    """A browser for each thread that asks."""

    def __init__(self):
        self.browsers = threading.local()

    def _browser(self):
        if not hasattr(self.browsers, "browser"):
            self.browsers.browser = Browser()
        return self.browsers.browser
