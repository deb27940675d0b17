# gym-electric-motor: API001: reset(seed=...) does not seed the generator of the environment
import warnings

import gym_electric_motor  # noqa: F401
import gymnasium

warnings.simplefilter("ignore")
env = gymnasium.make("Cont-CC-PMSM-v0").unwrapped
env.reset(seed=7)
print(f"np_random_seed after reset(seed=7): {env._np_random_seed}")
assert env._np_random_seed != 7
