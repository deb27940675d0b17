# highway-env: VEC008: intersection-multi-agent-v1 returns a tuple of rewards: SyncVectorEnv.step() raises
import gymnasium
import highway_env  # noqa: F401


def make():
    return gymnasium.make("intersection-multi-agent-v1", disable_env_checker=True)


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
assert isinstance(reward, tuple)
