# lbforaging: API001: the class has a method seed(), which Gymnasium does not call
import gymnasium
import lbforaging  # noqa: F401

env = gymnasium.make("Foraging-8x8-2p-1f-v3", disable_env_checker=True).unwrapped
print(f"seed is a method of {type(env).__name__}: {callable(type(env).seed)}")
assert callable(type(env).seed)
