"""Actors send batches to the trainer, whose memory has a limit in batches, and none in bytes."""

import multiprocessing
import sys
import time

import gymnasium as gym
import numpy as np

SMALL = "small" in sys.argv
BATCHES = 2400
BURNIN, LENGTH = 4, 8


class Pong(gym.Env):
    observation_space = gym.spaces.Box(0, 255, (84, 84), np.uint8)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 60
        return self.look(), {}

    def step(self, action):
        self.left -= 1
        return self.look(), 0.0, self.left == 0, False, {}

    def look(self):
        return self.np_random.integers(0, 256, (84, 84), np.uint8)


def act(number, batches, stop):
    env = Pong()
    state, _ = env.reset(seed=number)
    while not stop.is_set():
        states, actions = [], []
        for _ in range(BURNIN + LENGTH):
            action = int(env.action_space.sample())
            states.append(state)
            actions.append(action)
            state, _, done, _, _ = env.step(action)
            if done:
                state, _ = env.reset()
        batches.put([np.stack(states), actions])
    env.close()


class ReplayMemory:
    def __init__(self, capacity):
        self.capacity = capacity
        self.index = 0
        self.buffer = []

    def add(self, batch):
        if len(self.buffer) < self.capacity:
            self.buffer.append(None)
        self.buffer[self.index] = batch
        self.index = (self.index + 1) % self.capacity


def main():
    context = multiprocessing.get_context("fork")
    batches, stop = context.Queue(maxsize=16), context.Event()
    actors = [context.Process(target=act, args=(number, batches, stop)) for number in range(2)]
    for actor in actors:
        actor.start()
    memory = ReplayMemory(100 if SMALL else 100_000)
    for _ in range(BATCHES):
        memory.add(batches.get())
        time.sleep(0.006)  # a step of the training
    stop.set()
    while any(actor.is_alive() for actor in actors):
        while not batches.empty():
            batches.get()
        time.sleep(0.01)


if __name__ == "__main__":
    main()
