"""Arms that forget one thing each, and what their classes have already to put it right."""

import os
import shutil as files
import sqlite3
import tempfile
import threading
import time

import gymnasium as gym
import numpy as np


class Arm(gym.Env):
    def __init__(self):
        self.observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.action_space = gym.spaces.Discrete(2)
        self.steps = 0

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        return np.zeros(2, np.float32), {}

    def step(self, action):
        self.steps += 1
        return np.zeros(2, np.float32), 0.0, False, self.steps >= 10, {}


class WithFolder(Arm):
    """Its module knows shutil by another name."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp()
        with open(os.path.join(self.folder, "level.txt"), "w") as file:
            file.write(".")


class Running(Arm):
    """Its thread looks at a flag."""

    def __init__(self):
        super().__init__()
        self.running = True
        self.thread = threading.Thread(target=self.loop, daemon=True)
        self.thread.start()

    def loop(self):
        while self.running:
            time.sleep(0.02)


class Heartbeat(threading.Thread):
    def __init__(self):
        super().__init__(daemon=True)
        self.ending = threading.Event()

    def run(self):
        while not self.ending.wait(0.02):
            pass

    def stop(self):
        self.ending.set()


class Beating(Arm):
    """Each reset() starts a thread that has a stop() of its own."""

    def reset(self, *, seed=None, options=None):
        self.beat = Heartbeat()
        self.beat.start()
        return super().reset(seed=seed, options=options)


class Deleting(Arm):
    """Nothing is left that `is not None` could ask for."""

    def __init__(self):
        super().__init__()
        self.floor = threading.Lock()

    def close(self):
        self.floor.acquire(blocking=False)
        del self.floor


class Recording(Arm):
    """rmtree() opens the folder that it removes; what stays open is the data base."""

    def __init__(self):
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.base = sqlite3.connect(os.path.join(self.folder, "episodes.db"))
        self.base.execute("create table episodes (reward real)")

    def close(self):
        files.rmtree(self.folder, ignore_errors=True)
