"""An agent is started by a shell, and its cleanup ends the shell."""

import shlex
import subprocess
import sys

import gymnasium
import numpy as np

DRIVER = "import time; print('ready', flush=True); time.sleep(120)"


class Incident(gymnasium.Env):
    """Each episode hands an incident to an agent in a process of its own."""

    observation_space = gymnasium.spaces.Box(0.0, 10.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def __init__(self):
        self.agent = None

    def start(self):
        command = f"{shlex.quote(sys.executable)} -c {shlex.quote(DRIVER)}; exit $?"
        return subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, text=True)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.cleanup()
        self.agent = self.start()
        self.agent.stdout.readline()
        self.turn = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.turn += 1
        over = self.turn == 5
        if over:
            self.cleanup()
        return np.array([self.turn], np.float32), float(action == 1), over, False, {}

    def cleanup(self):
        if self.agent is not None:
            self.agent.terminate()
            try:
                self.agent.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self.agent.kill()
                self.agent.wait()
            self.agent.stdout.close()
            self.agent = None

    def close(self):
        self.cleanup()


class Cured(Incident):
    def start(self):
        command = [sys.executable, "-c", DRIVER]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
