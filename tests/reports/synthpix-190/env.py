"""Each episode has a sampler with a thread of its own, which waits for the next one for ever."""

import queue
import threading

import gymnasium
import numpy as np


class Sampler:
    def __init__(self):
        self.requests = queue.SimpleQueue()
        self.images = queue.SimpleQueue()
        self.thread = threading.Thread(target=self._run, name="sampler", daemon=True)
        self.thread.start()

    def _run(self):
        while (request := self.requests.get()) is not None:
            self.images.put(float(request))

    def image(self, number):
        self.requests.put(number)
        return np.array([self.images.get()], np.float32)

    def stop(self):
        self.requests.put(None)
        self.thread.join()


class Images(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    stops = False

    def __init__(self):
        self.sampler = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.stops:
            self.close()
        self.sampler = Sampler()
        self.steps = 0
        return self.sampler.image(0), {}

    def step(self, action):
        self.steps += 1
        return self.sampler.image(self.steps), 0.0, False, self.steps == 20, {}

    def close(self):
        if self.sampler is not None:
            self.sampler.stop()
            self.sampler = None


class Cured(Images):
    stops = True
