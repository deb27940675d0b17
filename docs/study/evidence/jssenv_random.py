# jssenv: SFX004: the constructor draws from Python's global random generator
import random

import gymnasium
import JSSEnv  # noqa: F401

random.seed(3)
before = random.getstate()
gymnasium.make("jss-v1", disable_env_checker=True)
print(f"random's state is another one afterwards: {random.getstate() != before}")
assert random.getstate() != before
