# seals: API001: reset() refuses options that are an empty dict
import gymnasium
import seals  # noqa: F401

env = gymnasium.make("seals/ProcGoal-v0", disable_env_checker=True)
env.reset(seed=0)
try:
    env.reset(seed=0, options={})
except NotImplementedError as error:
    print(f"reset(options={{}}): NotImplementedError: {error}")
else:
    raise AssertionError("it takes options")
