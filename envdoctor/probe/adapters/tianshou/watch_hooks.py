"""Classes and methods of Tianshou that `watch` follows."""

from __future__ import annotations

from typing import Dict, Tuple

#: No class of its own is an environment that is followed.
MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = ("tianshou.env.pettingzoo_env.PettingZooEnv",)
#: ShmemVectorEnv's workers are those of SubprocVectorEnv.
VECTORIZERS = {
    "tianshou.env.worker.dummy": "tianshou-dummy",
    "tianshou.env.worker.subproc": "tianshou-subproc",
}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {"tianshou.env.venvs": ("BaseVectorEnv.step",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {"tianshou.env.venvs": ("BaseVectorEnv.__init__",)}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("tianshou.",)
