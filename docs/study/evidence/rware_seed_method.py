# rware: API001: the class has a method seed(), which Gymnasium does not call
import gymnasium
import rware  # noqa: F401

env = gymnasium.make("rware-tiny-2ag-v2", disable_env_checker=True).unwrapped
print(f"seed is a method of {type(env).__name__}: {callable(type(env).seed)}")
assert callable(type(env).seed)
