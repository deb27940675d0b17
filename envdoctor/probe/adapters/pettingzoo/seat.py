"""What `watch` sees of PettingZoo: environments of both kinds. A conversion from one kind to the
other is a wrapper: its environment is followed.
"""

from __future__ import annotations

MODULE = "pettingzoo.utils.env"
BASES = ("AECEnv", "ParallelEnv")
METHODS = {"reset": "reset", "step": "step", "close": "close"}
WRAPPERS = (
    "pettingzoo.utils.wrappers.base.BaseWrapper",
    "pettingzoo.utils.wrappers.base_parallel.BaseParallelWrapper",
    "pettingzoo.utils.wrappers.base_parallel.BaseParallelWraper",  # until 1.22
    "pettingzoo.utils.conversions.aec_to_parallel_wrapper",
    "pettingzoo.utils.conversions.parallel_to_aec_wrapper",
    "pettingzoo.utils.conversions.turn_based_aec_to_parallel_wrapper",
    "pettingzoo.utils.conversions.to_parallel_wrapper",  # until 1.21
    "pettingzoo.utils.conversions.from_parallel_wrapper",
    "ray.rllib.env.wrappers.pettingzoo_env.PettingZooEnv",
    "ray.rllib.env.wrappers.pettingzoo_env.ParallelPettingZooEnv",
    "tianshou.env.pettingzoo_env.PettingZooEnv",
)
#: SuperSuit's: those with workers have those without in each of them.
VECTORIZERS = {
    "supersuit.vector.vector_constructors": "supersuit",
    "supersuit.vector.concat_vec_env": "supersuit",
    "supersuit.vector.multiproc_vec": "supersuit",
    "supersuit.aec_vector.vector_env": "supersuit",
    "supersuit.aec_vector.async_vector_env": "supersuit",
}
#: Where a trainer's process calls no environment: the modules of vectorizers, and their methods.
BEATS = {"supersuit.vector.multiproc_vec": ("ProcConcatVec.step_wait",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {
    "supersuit.vector.concat_vec_env": ("ConcatVecEnv.__init__",),
    "supersuit.vector.multiproc_vec": ("ProcConcatVec.__init__",),
}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ()
