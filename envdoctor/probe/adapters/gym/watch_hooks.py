"""Classes and methods of gym that `watch` follows."""

from __future__ import annotations

MODULE = "gym.core"
BASES = ("Env",)
METHODS = {"reset": "reset", "step": "step", "close": "close"}
WRAPPERS = (
    "gym.core.Wrapper",
    "gym.vector.vector_env.VectorEnv",
    "gym.wrappers.compatibility.EnvCompatibility",
    "shimmy.openai_gym_compatibility.GymV21CompatibilityV0",
    "shimmy.openai_gym_compatibility.GymV26CompatibilityV0",
)
VECTORIZERS = {"gym.vector.sync_vector_env": "gym-sync", "gym.vector.async_vector_env": "gym-async"}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {"gym.vector.async_vector_env": ("AsyncVectorEnv.step_wait",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {
    "gym.vector.sync_vector_env": ("SyncVectorEnv.__init__",),
    "gym.vector.async_vector_env": ("AsyncVectorEnv.__init__",),
}
#: The class of spaces, which have a random generator each.
SPACES = {"gym.spaces.space": ("Space",)}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ()
