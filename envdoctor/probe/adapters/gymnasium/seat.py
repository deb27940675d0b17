"""What `watch` sees of Gymnasium."""

from __future__ import annotations

MODULE = "gymnasium.core"
BASES = ("Env",)
METHODS = {"reset": "reset", "step": "step", "close": "close"}
WRAPPERS = ("gymnasium.core.Wrapper", "gymnasium.vector.vector_env.VectorEnv")
VECTORIZERS = {
    "gymnasium.vector.sync_vector_env": "gymnasium-sync",
    "gymnasium.vector.async_vector_env": "gymnasium-async",
    "stable_baselines3.common.vec_env.dummy_vec_env": "sb3-dummy",
    "stable_baselines3.common.vec_env.subproc_vec_env": "sb3-subproc",
}
