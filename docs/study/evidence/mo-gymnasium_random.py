# mo-gymnasium: SFX004: reset() of four-room-v0 draws from Python's global random generator
import random

import gymnasium
import mo_gymnasium  # noqa: F401

env = gymnasium.make("four-room-v0", disable_env_checker=True)
random.seed(3)
before = random.getstate()
env.reset(seed=0)
print(f"random's state is another one afterwards: {random.getstate() != before}")
assert random.getstate() != before
