# catanatron-gym: DET001: the seed of reset() decides nothing: it draws from Python's random
import random

import catanatron_gym  # noqa: F401
import gymnasium

firsts = set()
for _ in range(4):
    env = gymnasium.make("catanatron-v1", disable_env_checker=True)
    firsts.add(env.reset(seed=7)[0].tobytes())
fixed = set()
for _ in range(4):
    random.seed(3)
    env = gymnasium.make("catanatron-v1", disable_env_checker=True)
    random.seed(3)
    fixed.add(env.reset(seed=7)[0].tobytes())
print(
    f"one seed: {len(firsts)} different first observations of 4; with random.seed() before: {len(fixed)}"
)
assert len(firsts) > 1 and len(fixed) == 1
