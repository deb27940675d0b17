# nle: API001: reset(options={}) raises KeyError
import gymnasium
import nle  # noqa: F401

env = gymnasium.make("NetHackScore-v0", disable_env_checker=True).unwrapped
try:
    env.reset(options={})
except KeyError as error:
    print(f"reset(options={{}}): KeyError: {error}; seed() is a method: {callable(env.seed)}")
else:
    raise AssertionError("it takes them")
assert callable(env.seed)
