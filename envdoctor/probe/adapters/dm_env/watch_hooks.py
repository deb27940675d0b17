"""Classes and methods of dm_env that `watch` follows: the base class that
dm_control's environments have, too. A class that shows one to another framework, or another
framework's to dm_env, is a wrapper.
"""

from __future__ import annotations

from typing import Dict, Tuple

MODULE = "dm_env._environment"
BASES = ("Environment",)
METHODS = {"reset": "reset", "step": "step", "close": "close"}
WRAPPERS = (
    "dm_control.suite.wrappers.action_noise.Wrapper",
    "dm_control.suite.wrappers.action_scale.Wrapper",
    "dm_control.suite.wrappers.mujoco_profiling.Wrapper",
    "dm_control.suite.wrappers.pixels.Wrapper",
    "acme.wrappers.base.EnvironmentWrapper",
    "acme.wrappers.gym_wrapper.GymWrapper",
    "dm_env_wrappers._src.base.EnvironmentWrapper",
    "bsuite.utils.gym_wrapper.DMEnvFromGym",
    "bsuite.utils.gym_wrapper.GymFromDMEnv",
    "bsuite.utils.wrappers.ImageObservation",
    "bsuite.utils.wrappers.Logging",
    "bsuite.utils.wrappers.RewardNoise",
    "bsuite.utils.wrappers.RewardScale",
    "dmc2gym.wrappers.DMCWrapper",
    "shimmy.dm_control_compatibility.DmControlCompatibilityV0",
    "shimmy.dm_control_multiagent_compatibility.DmControlMultiAgentCompatibilityV0",
)
VECTORIZERS: Dict[str, str] = {}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS: Dict[str, Tuple[str, ...]] = {}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES: Dict[str, Tuple[str, ...]] = {}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ("acme.",)
