"""Classes and methods of AgileRL that `watch` follows."""

from __future__ import annotations

from typing import Dict, Tuple

#: No class of its own is an environment that is followed.
MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = ()
VECTORIZERS = {"agilerl.vector.pz_async_vec_env": "agilerl-async"}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {"agilerl.vector.pz_async_vec_env": ("AsyncPettingZooVecEnv.step_wait",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {"agilerl.vector.pz_async_vec_env": ("AsyncPettingZooVecEnv.__init__",)}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("agilerl.",)
