# nasim: API001: step() refuses what its own action space draws
import gymnasium
import nasim  # noqa: F401

env = gymnasium.make("nasim:TinyPO-v0", disable_env_checker=True)
env.reset(seed=0)
action = env.action_space.sample()
try:
    env.step(action)
except AssertionError as error:
    print(f"step({type(action).__name__}): AssertionError: {error}")
else:
    raise AssertionError("it takes it")
