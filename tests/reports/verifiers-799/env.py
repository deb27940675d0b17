"""close() kills a server that does not end by itself, and never reaps it."""

import multiprocessing
import signal

import gymnasium
import numpy as np


def serve(pipe):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    pipe.send("ready")
    while True:
        pipe.send(pipe.recv())


class Rollouts(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(4)
    reaps = False

    def __init__(self):
        self.server = None

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.server is None:
            context = multiprocessing.get_context("fork")
            self.pipe, theirs = context.Pipe()
            self.server = context.Process(target=serve, args=(theirs,))
            self.server.start()
            theirs.close()
            self.pipe.recv()
        self.turn = 0
        return self._ask(), {}

    def _ask(self):
        self.pipe.send(self.turn)
        return np.array([self.pipe.recv()], np.float32)

    def step(self, action):
        self.turn += 1
        return self._ask(), 0.0, False, self.turn == 10, {}

    def close(self):
        if self.server is not None:
            self.server.terminate()
            self.server.join(timeout=0.1)
            if self.server.is_alive():
                self.server.kill()
                if self.reaps:
                    self.server.join()
            self.pipe.close()
            self.server = None


class Cured(Rollouts):
    reaps = True
