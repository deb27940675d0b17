"""What `watch` sees of Tianshou."""

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
#: Where a trainer's process calls no environment: the modules of vectorizers, and their methods.
BEATS = {"tianshou.env.venvs": ("BaseVectorEnv.step",)}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {"tianshou.env.venvs": ("BaseVectorEnv.__init__",)}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("tianshou.",)
