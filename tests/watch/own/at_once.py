"""Threads make the first instances of a process at once."""

import sys
import threading

sys.setswitchinterval(1e-6)
THREADS = 8
start = threading.Barrier(THREADS)


class BanditEnv:
    def __init__(self) -> None:
        self.pulled = 0

    def reset(self):
        return 0

    def step(self, action):
        self.pulled += 1
        return 0, 1.0, True

    def close(self) -> None:
        self.pulled = 0


def play() -> None:
    start.wait()
    env = BanditEnv()
    for _ in range(50):
        env.reset()
        env.step(0)
    env.close()


threads = [threading.Thread(target=play) for _ in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
