"""Interpreters with the frameworks that tests examine: those that `make interpreters` made here,
where no environment variable names another one.
"""

from __future__ import annotations

import os
from pathlib import Path

from tests import gpu

MADE = Path(__file__).parents[2] / ".interpreters"

#: The interpreter that has a graphics card, or a stand-in for one.
GPU = "ENVDOCTOR_GPU_PYTHON"

#: Which of those serves each variable.
NAMES = {
    "ENVDOCTOR_SB3_PYTHON": "torch",
    "ENVDOCTOR_TORCHRL_PYTHON": "torch",
    "ENVDOCTOR_DING_PYTHON": "ding",
    "ENVDOCTOR_TIANSHOU_PYTHON": "tianshou",
    "ENVDOCTOR_PUFFER_PYTHON": "puffer",
}

#: Those that `make interpreters` makes only where they are named.
ON_REQUEST = ("tianshou", "puffer")


def announce() -> None:
    """Let the variables name those that are there."""
    for variable, name in NAMES.items():
        if (MADE / name / ".ready").exists():
            os.environ.setdefault(variable, str(MADE / name / "bin" / "python"))
    if GPU not in os.environ:
        made = gpu.built(MADE / "gpu")
        if made is not None:
            os.environ[GPU] = str(made)


def way_to(variable: str) -> str:
    """What brings those tests to life that need an interpreter, as the reason why they are
    skipped.
    """
    if variable == GPU:
        return f"gcc and nvidia-ml-py, or {GPU}=/path/to/python on a machine with an NVIDIA GPU"
    made = "make interpreters, or " if variable in NAMES else ""
    if NAMES.get(variable) in ON_REQUEST:
        made = f"make interpreters FRAMEWORKS=.interpreters/{NAMES[variable]}/.ready, or "
    return f"{made}{variable}=/path/to/python: an interpreter that has the framework"
