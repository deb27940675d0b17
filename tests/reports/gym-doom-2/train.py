"""The script of the report: the environment is never closed."""

import sys

from env import Cured, Doom

env = (Cured if "fixed" in sys.argv else Doom)()
env.reset(seed=0)
over = False
while not over:
    _, _, _, over, _ = env.step(env.action_space.sample())
