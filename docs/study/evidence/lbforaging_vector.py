# lbforaging: VEC008 API001: rewards are lists: SyncVectorEnv cannot step the environment
import gymnasium
import lbforaging  # noqa: F401


def make():
    return gymnasium.make("Foraging-8x8-2p-1f-v3", disable_env_checker=True)


env = make()
env.reset(seed=0)
reward = env.step(env.action_space.sample())[1]
vector = gymnasium.vector.SyncVectorEnv([make, make])
vector.reset(seed=0)
try:
    vector.step(vector.action_space.sample())
except Exception as error:
    print(f"reward {reward}; SyncVectorEnv.step(): {type(error).__name__}: {error}")
else:
    raise AssertionError("it can be stepped")
assert isinstance(reward, list)
