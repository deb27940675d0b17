# memory-gym: API001: reset() has the argument return_info, which Gymnasium dropped
import inspect

import gymnasium
import memory_gym  # noqa: F401

env = gymnasium.make("MortarMayhem-Grid-v0", disable_env_checker=True).unwrapped
print(f"reset{inspect.signature(env.reset)}")
assert "return_info" in inspect.signature(env.reset).parameters
