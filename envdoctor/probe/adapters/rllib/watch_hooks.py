"""Classes and methods of RLlib that `watch` follows."""

from __future__ import annotations

from typing import Dict, Tuple

#: No class of its own is an environment that is followed.
MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = (
    "ray.rllib.env.wrappers.pettingzoo_env.PettingZooEnv",
    "ray.rllib.env.wrappers.pettingzoo_env.ParallelPettingZooEnv",
    "ray.rllib.env.wrappers.dm_control_wrapper.DMCEnv",
    "ray.rllib.env.wrappers.dm_env_wrapper.DMEnv",
)
#: Its runners have Gymnasium's vector environments, which are named first.
VECTORIZERS = {"ray.rllib.env.single_agent_env_runner": "rllib-env-runner"}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS: Dict[str, Tuple[str, ...]] = {}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES: Dict[str, Tuple[str, ...]] = {}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("ray.rllib.",)
