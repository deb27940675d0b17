"""The files that our own small programs are started from."""

from __future__ import annotations

import os
from types import ModuleType

HEADER = 16  # bytes of bytecode: a magic number, flags, and time and size of the source
UNMARKED = bytes(4)  # flags of bytecode that is valid by time and size
MOST = (1 << 32) - 1  # both are written modulo this and one


def program_of(module: ModuleType) -> str:
    """The bytecode of a module that this process imported, where that was written; else its source.
    To compile a guard takes a third of its time, and an examination may start thirty.
    """
    source = str(module.__file__)
    cached = getattr(module, "__cached__", None) or source  # not every loader says it
    try:
        state = os.stat(source)
        with open(cached, "rb") as file:
            header = file.read(HEADER)
    except OSError:
        return source
    numbers = [int.from_bytes(header[at : at + 4], "little") for at in (8, 12)]
    expected = [int(state.st_mtime) & MOST, state.st_size & MOST]
    return cached if header[4:8] == UNMARKED and numbers == expected else source
