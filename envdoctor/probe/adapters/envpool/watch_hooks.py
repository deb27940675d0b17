"""Classes and methods of EnvPool that `watch` follows: environments that its make()
returns. Its classes are made of C++ ones, and no base class of Python sees a new instance.
"""

from __future__ import annotations

from typing import Dict, Tuple

MODULE = ""
BASES: Tuple[str, ...] = ()
METHODS: Dict[str, str] = {}
WRAPPERS: Tuple[str, ...] = ()
VECTORIZERS: Dict[str, str] = {}
#: Functions that return environments, by module.
MAKES = {"envpool.registration": ("EnvRegistry.make",)}
NATIVE_METHODS = {"reset": "reset", "step": "step", "close": "close"}
#: Methods, by module, that show progress where a trainer's process calls no environment.
PROGRESS_METHODS: Dict[str, Tuple[str, ...]] = {}
#: The methods in which vectorizers make their instances, or start their workers.
LAUNCHES: Dict[str, Tuple[str, ...]] = {}
#: Packages whose objects are a trainer's, where they are nothing else.
TRAINERS = ()
