"""Classes and methods of SuperSuit that `watch` follows."""

from __future__ import annotations

from typing import Dict, Tuple

#: No class of its own is an environment that is followed.
MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = (
    "supersuit.vector.concat_vec_env.ConcatVecEnv",
    "supersuit.vector.multiproc_vec.ProcConcatVec",
    "supersuit.vector.markov_vector_wrapper.MarkovVectorEnv",
)
#: Those with workers have those without in each of them.
VECTORIZERS = {
    "supersuit.vector.vector_constructors": "supersuit",
    "supersuit.vector.concat_vec_env": "supersuit",
    "supersuit.vector.multiproc_vec": "supersuit",
    "supersuit.aec_vector.vector_env": "supersuit",
    "supersuit.aec_vector.async_vector_env": "supersuit",
}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {"supersuit.vector.multiproc_vec": ("ProcConcatVec.step_wait",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {
    "supersuit.vector.concat_vec_env": ("ConcatVecEnv.__init__",),
    "supersuit.vector.multiproc_vec": ("ProcConcatVec.__init__",),
}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ()
