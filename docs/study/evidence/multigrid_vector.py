# multigrid: VEC008 API001: what it returns are dicts of agents: SyncVectorEnv cannot reset it
import gymnasium
import multigrid.envs  # noqa: F401


def make():
    return gymnasium.make("MultiGrid-Empty-5x5-v0", disable_env_checker=True)


env = make()
env.reset(seed=0)
_, reward, terminated, truncated, _ = env.step(env.action_space.sample())
vector = gymnasium.vector.SyncVectorEnv([make, make])
try:
    vector.reset(seed=0)
except ValueError as error:
    print(f"reward {reward}, terminated {terminated}; SyncVectorEnv.reset(): ValueError: {error}")
else:
    raise AssertionError("it can be reset")
assert all(isinstance(value, dict) for value in (reward, terminated, truncated))
