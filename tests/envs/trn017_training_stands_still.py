"""A trainer that waits for the end of its worker before it takes what that sends; after ten seconds
the user interrupts it.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys

import gymnasium

COMMAND = "watch"
LARGE = 1_000_000  # bytes: more than a pipe takes


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}


def work(results):
    env = Arm()
    env.reset()
    env.step(0)
    env.close()
    results.put(b"x" * LARGE)


def start():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    worker = context.Process(target=work, args=(results,), daemon=True)
    worker.start()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(10)
    return results, worker


def sick():
    results, worker = start()
    worker.join()
    print(len(results.get()))


def healthy():
    results, worker = start()
    print(len(results.get()))
    worker.join()


if __name__ == "__main__":
    {"Sick": sick, "Healthy": healthy}[sys.argv[1]]()
