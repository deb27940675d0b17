"""The simulation ends with the year, and reset() stops it once more."""

import os
import signal
import subprocess
import sys

import gymnasium
import numpy as np

ENERGYPLUS = """
import sys
room, days = float(sys.argv[1]), 0
print(room, flush=True)
for line in sys.stdin:
    days += 1
    if days == 15:
        break
    room += 0.1 * (float(line) - room)
    print(room, flush=True)
"""


class EnergyPlus(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-50.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Box(15.0, 30.0, (1,), np.float32)

    def __init__(self):
        self.process = None

    def start_instance(self, outdoor):
        command = [sys.executable, "-S", "-c", ENERGYPLUS, str(outdoor)]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def kill(self):
        os.killpg(self.process.pid, signal.SIGTERM)

    def stop_instance(self):
        if self.process is not None:
            self.kill()
            self.process.communicate()
            self.process = None

    def receive(self):
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            return True
        self.room = float(line)
        return False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.stop_instance()
        self.start_instance(self.np_random.uniform(-10.0, 35.0))
        self.receive()
        return np.array([self.room], np.float32), {}

    def step(self, action):
        if self.process.returncode is None:
            self.process.stdin.write(f"{float(action[0])}\n")
            self.process.stdin.flush()
        done = self.receive()
        return np.array([self.room], np.float32), -abs(self.room - 22.0), done, False, {}

    def close(self):
        self.stop_instance()


class Cured(EnergyPlus):
    def kill(self):
        if self.process.poll() is None:
            super().kill()
