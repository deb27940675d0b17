# mo-gymnasium: VEC008 API001: rewards are arrays: SyncVectorEnv cannot step the environment
from functools import partial

import gymnasium
import mo_gymnasium  # noqa: F401

for name in ("fruit-tree-v0", "four-room-v0"):
    make = partial(gymnasium.make, name, disable_env_checker=True)
    env = make()
    env.reset(seed=0)
    reward = env.step(env.action_space.sample())[1]
    vector = gymnasium.vector.SyncVectorEnv([make, make])
    vector.reset(seed=0)
    try:
        vector.step(vector.action_space.sample())
    except Exception as error:
        print(f"{name}: reward {reward}; SyncVectorEnv.step(): {type(error).__name__}: {error}")
    else:
        raise AssertionError("it can be stepped")
    assert reward.shape
