"""reset() waits for threads that open the pads, named pipes; the emulator does not read them."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading

import gymnasium
import numpy as np

EMULATOR = """
import sys
image, *pads = sys.argv[1:]
if image != "SSBM.iso":
    raise SystemExit(1)
files = [open(pad) for pad in pads]
for line in files[0]:
    pass
"""


class Melee(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 100.0, (1,), np.float32)
    action_space = gymnasium.spaces.Discrete(5)
    image = "melee.iso"

    def __init__(self):
        self.emulator = None

    def open_pad(self, number):
        self.pads[number] = open(os.path.join(self.folder, f"pad{number}"), "w")

    def start(self):
        self.folder = tempfile.mkdtemp(prefix="ssbm")
        paths = [os.path.join(self.folder, f"pad{number}") for number in range(2)]
        for path in paths:
            os.mkfifo(path)
        command = [sys.executable, "-S", "-c", EMULATOR, self.image, *paths]
        self.emulator = subprocess.Popen(command)
        self.pads = [None, None]
        threads = [threading.Thread(target=self.open_pad, args=[number]) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        if self.emulator is None:
            self.start()
        self.frame = 0
        return np.array([0.0], np.float32), {}

    def step(self, action):
        self.frame += 1
        for pad in self.pads:
            pad.write(f"PRESS {action}\n")
            pad.flush()
        return np.array([self.frame], np.float32), 0.0, False, self.frame == 20, {}

    def close(self):
        if self.emulator is not None:
            self.emulator.kill()
            self.emulator.wait()
            self.emulator = None
            for pad in self.pads:
                pad.close()
            shutil.rmtree(self.folder)


class Cured(Melee):
    image = "SSBM.iso"
