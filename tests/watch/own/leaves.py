"""A training that seeds numpy alone, while its environment draws from Python's generator and leaves
a folder of each episode. `mended` does neither.
"""

import random
import sys
import tempfile

import numpy as np

MENDED = "mended" in sys.argv


class Treasure:
    def __init__(self, length: int = 6) -> None:
        self.length = length

    def reset(self):
        self.folder = tempfile.TemporaryDirectory() if MENDED else tempfile.mkdtemp()
        self.position = random.randrange(3)
        return self.position

    def step(self, action):
        self.position += action
        return self.position, 0.0, self.position >= self.length, {}


np.random.seed(1)  # noqa: NPY002
if MENDED:
    random.seed(1)
env = Treasure()
for _ in range(30):
    env.reset()
    done = False
    while not done:
        done = env.step(int(np.random.randint(2)))[2]  # noqa: NPY002
