"""Workers play on their own; one of them hangs in step(), and only its heartbeat is missed."""

import multiprocessing as mp
import queue
import socket
import sys

import gymnasium as gym
import numpy as np

FIXED = "fixed" in sys.argv


class Match(gym.Env):
    """A client of a game server, which at some time does not answer."""

    observation_space = gym.spaces.Box(0, 1000, (1,), np.float32)
    action_space = gym.spaces.Discrete(4)

    def __init__(self, number):
        self.number, self.steps = number, 0
        self.client, self.server = socket.socketpair()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 30
        return np.zeros(1, np.float32), {}

    def step(self, action):
        self.left -= 1
        self.steps += 1
        if FIXED or self.number != 2 or self.steps < 500:
            self.server.sendall(b"o")
        self.client.recv(1)
        return np.array([self.left], np.float32), 0.0, self.left == 0, False, {}

    def close(self):
        self.client.close()
        self.server.close()


def roll_out(number, samples, stop):
    env = Match(number)
    env.reset(seed=number)
    while not stop.is_set():
        result = env.step(env.action_space.sample())
        if result[2]:
            env.reset()
            samples.put(number)
    env.close()


def main():
    samples, stop = mp.Queue(), mp.Event()
    workers = [
        mp.Process(target=roll_out, args=(number, samples, stop), daemon=True)
        for number in range(3)
    ]
    for worker in workers:
        worker.start()
    heartbeats = dict.fromkeys(range(3), 0)
    for _ in range(2000 if FIXED else 10**9):
        try:
            heartbeats[samples.get(timeout=5.0)] += 1
        except queue.Empty:
            print("no heartbeat")
    stop.set()
    for worker in workers:
        worker.join(2.0)


if __name__ == "__main__":
    main()
