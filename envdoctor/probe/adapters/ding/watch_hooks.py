"""Classes and methods of DI-engine that `watch` follows."""

from __future__ import annotations

from typing import Dict, Tuple

#: No class of its own is an environment that is followed.
MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = ("ding.envs.env.ding_env_wrapper.DingEnvWrapper",)
VECTORIZERS = {
    "ding.envs.env_manager.base_env_manager": "ding-base",
    "ding.envs.env_manager.subprocess_env_manager": "ding-subproc",
}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS = {
    "ding.envs.env_manager.subprocess_env_manager": (
        "AsyncSubprocessEnvManager.step",
        "SyncSubprocessEnvManager.step",
    )
}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES = {
    "ding.envs.env_manager.base_env_manager": ("BaseEnvManager.launch",),
    "ding.envs.env_manager.subprocess_env_manager": ("AsyncSubprocessEnvManager._create_state",),
}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("ding.",)
