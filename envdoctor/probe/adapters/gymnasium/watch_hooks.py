"""Classes and methods of Gymnasium that `watch` follows."""

from __future__ import annotations

MODULE = "gymnasium.core"
BASES = ("Env",)
METHODS = {"reset": "reset", "step": "step", "close": "close"}
WRAPPERS = (
    "gymnasium.core.Wrapper",
    "gymnasium.vector.vector_env.VectorWrapper",
    "gymnasium.vector.vector_env.VectorEnvWrapper",  # until 0.29
    "gymnasium.vector.sync_vector_env.SyncVectorEnv",
    "gymnasium.vector.async_vector_env.AsyncVectorEnv",
)
#: Environments that step several at once, without instances of one: their classes by module.
NATIVE = {"gymnasium.vector.vector_env": ("VectorEnv",)}
NATIVE_METHODS = METHODS
VECTORIZERS = {
    "gymnasium.vector.sync_vector_env": "gymnasium-sync",
    "gymnasium.vector.async_vector_env": "gymnasium-async",
}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {"gymnasium.vector.async_vector_env": ("AsyncVectorEnv.step_wait",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {
    "gymnasium.vector.sync_vector_env": ("SyncVectorEnv.__init__",),
    "gymnasium.vector.async_vector_env": ("AsyncVectorEnv.__init__",),
}
#: The methods, by module, whose infos have keys at the ends of episodes.
FINAL_KEYS = {
    "gymnasium.vector.sync_vector_env": ("SyncVectorEnv.step",),
    "gymnasium.vector.async_vector_env": ("AsyncVectorEnv.step_wait",),
}
#: The class of spaces, which have a random generator each.
SPACES = {"gymnasium.spaces.space": ("Space",)}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ()
