"""A game whose other players are agents in containers, which go on when the game is over."""

import subprocess
import uuid

import gymnasium
import numpy as np


class Arena(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (3,), np.float32)
    action_space = gymnasium.spaces.Discrete(6)
    ends = False

    def __init__(self):
        self.agents = []

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if not self.agents:
            self.agents = [self.start(port) for port in (10080, 10081)]
        self.turn = 0
        return self.seen(), {}

    def start(self, port):
        name = f"agent-{uuid.uuid4().hex[:8]}"
        words = ["docker", "run", "-d", "--name", name, f"--publish={port}:10080", "agents/simple"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        return name

    def step(self, action):
        self.turn += 1
        return self.seen(), 0.0, self.turn == 15, False, {}

    def seen(self):
        return self.np_random.uniform(-1.0, 1.0, 3).astype(np.float32)

    def close(self):
        if self.ends:
            for name in self.agents:
                subprocess.run(
                    ["docker", "rm", "--force", name], check=True, stdout=subprocess.DEVNULL
                )
            self.agents = []


class Cured(Arena):
    ends = True
