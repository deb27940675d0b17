"""Classes and methods of PettingZoo that `watch` follows: environments of both kinds. A
conversion from one kind to the other is a wrapper: its environment is followed.
"""

from __future__ import annotations

from typing import Dict, Tuple

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
)
VECTORIZERS: Dict[str, str] = {}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS: Dict[str, Tuple[str, ...]] = {}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES: Dict[str, Tuple[str, ...]] = {}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ()
