"""A vectorizer with queues: a worker whose simulator does not start is gone, and the trainer waits
for its answer (RLinf#1384). After ten seconds the user interrupts it.
"""

import multiprocessing as mp
import signal
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Kitchen(gym.Env):
    observation_space = gym.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self, device):
        if device == 1 and not FIXED:
            raise RuntimeError(f"no renderer on device {device}")

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return np.zeros(2, np.float32), {}

    def step(self, action):
        return np.zeros(2, np.float32), 0.0, False, False, {}


def worker(device, orders, answers):
    env = Kitchen(device)
    for order in iter(orders.get, "close"):
        answers.put(env.reset(seed=device)[0] if order == "reset" else env.step(0)[0])
    env.close()


def main():
    parts = []
    for device in range(2):
        orders, answers = mp.Queue(), mp.Queue()
        process = mp.Process(target=worker, args=(device, orders, answers))
        process.start()
        parts.append((process, orders, answers))
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(10)
    for order in ("reset", *["step"] * 100):
        for _, orders, _ in parts:
            orders.put(order)
        for _, _, answers in parts:
            answers.get()
    for process, orders, _ in parts:
        orders.put("close")
        process.join()


if __name__ == "__main__":
    try:
        main()
    finally:
        for child in mp.active_children():
            child.terminate()
