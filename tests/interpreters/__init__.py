"""Interpreters with the frameworks that tests examine: those that `make interpreters` made here,
where no environment variable names another one.
"""

from __future__ import annotations

import os
from pathlib import Path

MADE = Path(__file__).parents[2] / ".interpreters"

#: Which of those serves each variable.
NAMES = {
    "ENVDOCTOR_SB3_PYTHON": "torch",
    "ENVDOCTOR_TORCHRL_PYTHON": "torch",
    "ENVDOCTOR_DING_PYTHON": "ding",
}


def announce() -> None:
    """Let the variables name those that are there."""
    for variable, name in NAMES.items():
        if (MADE / name / ".ready").exists():
            os.environ.setdefault(variable, str(MADE / name / "bin" / "python"))


def way_to(variable: str) -> str:
    """What brings those tests to life that need an interpreter, as the reason why they are
    skipped.
    """
    made = "make interpreters, or " if variable in NAMES else ""
    return f"{made}{variable}=/path/to/python: an interpreter that has the framework"
