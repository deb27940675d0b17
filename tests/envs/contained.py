"""Simulators in containers, asked for in several ways, and never removed."""

import os
import subprocess
import time
import uuid

import gymnasium as gym
import numpy as np


class ByImage(gym.Env):
    observation_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
    action_space = gym.spaces.Discrete(2)

    def __init__(self):
        self.started = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if not self.started:
            self.start()
            self.started = True
        return np.zeros(2, np.float32), {}

    def start(self):
        ask("docker", "run", "-d", "simulator:2")

    def step(self, action):
        return np.zeros(2, np.float32), 0.0, False, False, {}


def ask(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Removed(ByImage):
    def start(self):
        self.name = f"sim-{uuid.uuid4().hex[:6]}"
        ask("docker", "run", "-d", "--name", self.name, "simulator:2")

    def close(self):
        if self.started:
            ask("docker", "rm", "-f", self.name)
            self.started = False


class ByName(ByImage):
    def start(self):
        ask("docker", "run", "-d", "--name", f"sim-{uuid.uuid4().hex[:6]}", "simulator:2")


class ByIdFile(ByImage):
    def start(self):
        file = os.path.join(os.getcwd(), f"{uuid.uuid4().hex}.id")
        ask("docker", "run", "-d", "--cidfile", file, "simulator:2")
        self.file = file


class ByProject(ByImage):
    def start(self):
        ask("docker", "compose", "-p", f"rig{uuid.uuid4().hex[:6]}", "up")


class Waiting(ByImage):
    def step(self, action):
        time.sleep(600)
