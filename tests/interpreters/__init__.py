"""Interpreters with the frameworks that tests examine: those that `make interpreters` made here,
where no environment variable names another one.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

from tests import gpu

MADE = Path(__file__).parents[2] / ".interpreters"

#: The interpreter that has a graphics card, or a stand-in for one.
GPU = "ENVDOCTOR_GPU_PYTHON"

#: Which of those serves each variable.
NAMES = {
    "ENVDOCTOR_SB3_PYTHON": "frameworks",
    "ENVDOCTOR_TORCHRL_PYTHON": "frameworks",
    "ENVDOCTOR_DING_PYTHON": "frameworks",
    "ENVDOCTOR_TIANSHOU_PYTHON": "tianshou",
    "ENVDOCTOR_PUFFER_PYTHON": "puffer",
    "ENVDOCTOR_SUPERSUIT_PYTHON": "supersuit",
    "ENVDOCTOR_AGILERL_PYTHON": "agilerl",
    "ENVDOCTOR_CLUSTER_PYTHON": "cluster",
    "ENVDOCTOR_RAY_PYTHON": "ray",
    "ENVDOCTOR_OPENENV_PYTHON": "openenv",
    "ENVDOCTOR_JUPYTER_PYTHON": "jupyter",
    "ENVDOCTOR_SHAPES_PYTHON": "shapes",
    "ENVDOCTOR_BROWSER_PYTHON": "browser",
}

#: Those that `make interpreters` makes only where they are named; `make frameworks` and
#: `make everything` make some of them.
ON_REQUEST = (
    "tianshou",
    "puffer",
    "supersuit",
    "agilerl",
    "cluster",
    "ray",
    "openenv",
    "shapes",
    "jupyter",
    "browser",
)


def announce() -> None:
    """Let the variables name those that are there."""
    for variable, name in NAMES.items():
        if (MADE / name / ".ready").exists():
            os.environ.setdefault(variable, str(MADE / name / "bin" / "python"))
    if GPU not in os.environ:
        made = gpu.built(MADE / "gpu")
        if made is not None:
            os.environ[GPU] = str(made)


#: Prints which of some packages an interpreter could import, without importing them.
_FIND = """
import importlib.util, json, sys
print(json.dumps([name for name in sys.argv[1:] if importlib.util.find_spec(name)]))
"""
#: The packages that tests ask for.
PACKAGES = (
    "agilerl",
    "ding",
    "gymnasium",
    "pufferlib",
    "ray",
    "rlcard",
    "stable_baselines3",
    "tianshou",
    "torchrl",
)


def has(python: str, package: str) -> bool:
    """Return whether an interpreter has a package. It is not imported: PyTorch takes seconds, and
    every worker of the tests collects all of them.
    """
    if python == sys.executable:
        return importlib.util.find_spec(package) is not None
    return package in _packages(python)


@cache
def _packages(python: str) -> frozenset[str]:
    done = subprocess.run(
        [python, "-c", _FIND, *PACKAGES], capture_output=True, text=True, timeout=600, check=False
    )
    return frozenset(json.loads(done.stdout) if done.returncode == 0 else ())


def way_to(variable: str) -> str:
    """Return the way to run the tests that need an interpreter, as the reason to skip them."""
    if variable == GPU:
        return f"gcc and nvidia-ml-py, or {GPU}=/path/to/python on a machine with an NVIDIA GPU"
    made = "make interpreters, or " if variable in NAMES else ""
    if NAMES.get(variable) in ON_REQUEST:
        made = f"make interpreters FRAMEWORKS=.interpreters/{NAMES[variable]}/.ready, or "
    return f"{made}{variable}=/path/to/python: an interpreter that has the framework"
