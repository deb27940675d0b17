"""The program of a command: a file of Python's alone is run by Python."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from envdoctor.errors import nearest_sentence

PYTHON, END = "python", ".py"


def with_program(command: tuple[str, ...], here: Path) -> tuple[str, ...]:
    """Return a command that can be started: of `train.py --seed 1`, where that is a file here and
    no program, `python train.py --seed 1`.
    """
    file = here / command[0]
    is_program = shutil.which(command[0]) is not None
    if not command[0].endswith(END) or is_program or not os.path.isfile(file):
        return command
    return (PYTHON if shutil.which(PYTHON) else sys.executable, *command)


def nearest_file(command: tuple[str, ...], here: Path) -> str:
    """`; did you mean train.py?` where a command begins with a file of Python's that is not there,
    and one of a similar name is; else nothing.
    """
    folder, name = os.path.split(command[0])
    if not name.endswith(END):
        return ""
    try:
        names = sorted(each.name for each in (here / folder).glob(f"*{END}"))
    except OSError:
        return ""
    return nearest_sentence(command[0], [os.path.join(folder, each) for each in names])
