"""As much of dm_env as the hook knows, in its place."""

from dm_env._environment import Environment

__all__ = ["Environment"]
