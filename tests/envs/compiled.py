"""Compiles the small C libraries of native/ on demand, for environments that leak as native
code does.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

NATIVE = Path(__file__).parent / "native"


def library(name):
    """native/NAME.c, compiled where it is missing or old. Several processes may do so at once:
    the last rename wins.
    """
    source, built = NATIVE / f"{name}.c", NATIVE / "_build" / f"{name}-{sys.platform}.so"
    if not built.exists() or built.stat().st_mtime < source.stat().st_mtime:
        built.parent.mkdir(exist_ok=True)
        draft = built.with_suffix(f".{os.getpid()}")
        subprocess.run(["cc", "-g", "-shared", "-fPIC", "-o", str(draft), str(source)], check=True)
        os.replace(str(draft), str(built))
    return ctypes.CDLL(str(built))


def leaks():
    """The library that forgets, with its signatures."""
    forgetful = library("leaks")
    for function in (
        forgetful.keep_block,
        forgetful.take_block,
        forgetful.keep_pages,
        forgetful.take_pages,
    ):
        function.argtypes = [ctypes.c_size_t]
    forgetful.take_block.restype = forgetful.take_pages.restype = ctypes.c_void_p
    forgetful.give_block.argtypes = [ctypes.c_void_p]
    forgetful.give_pages.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return forgetful
