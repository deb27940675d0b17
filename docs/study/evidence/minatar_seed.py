# minatar: API001: reset() does not pass its seed to Gymnasium, and seed() of old Gym is still there
import gymnasium
from minatar.gym import BaseEnv

env = BaseEnv("breakout")
env.reset(seed=7)
print(f"_np_random after reset(seed=7): {env._np_random}; seed() is there: {hasattr(env, 'seed')}")
assert env._np_random is None and hasattr(env, "seed")
assert not hasattr(gymnasium.Env, "seed")
