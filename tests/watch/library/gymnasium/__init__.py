"""As much of Gymnasium as the hook knows: any Python imports it in no time."""

from gymnasium.core import Env, Wrapper

__all__ = ["Env", "Wrapper"]
