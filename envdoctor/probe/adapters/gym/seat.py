"""What `watch` sees of gym."""

from __future__ import annotations

MODULE = "gym.core"
BASES = ("Env",)
METHODS = {"reset": "reset", "step": "step", "close": "close"}
WRAPPERS = (
    "gym.core.Wrapper",
    "gym.vector.vector_env.VectorEnv",
    "ding.envs.env.ding_env_wrapper.DingEnvWrapper",
)
VECTORIZERS = {
    "gym.vector.sync_vector_env": "gym-sync",
    "gym.vector.async_vector_env": "gym-async",
    "ding.envs.env_manager.base_env_manager": "ding-base",
    "ding.envs.env_manager.subprocess_env_manager": "ding-subproc",
}
