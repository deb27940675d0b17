# pyflyt: CLS003: a second close() raises
import gymnasium
import PyFlyt.gym_envs  # noqa: F401

env = gymnasium.make("PyFlyt/QuadX-Hover-v4").unwrapped
env.reset(seed=0)
env.close()
try:
    env.close()
except Exception as error:
    print(f"{type(error).__module__}.{type(error).__name__}: {error}")
else:
    raise AssertionError("it can be closed twice")
