"""A tree search that copies the environment in the middle of an episode."""

import copy
import sys

from env import Battle, Cured

env = (Cured if "fixed" in sys.argv else Battle)()
env.reset(seed=0)
env.step(0)
clone = copy.deepcopy(env)
clone.step(1)
env.close()
