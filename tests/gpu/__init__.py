"""A graphics card for tests: stand-ins for the driver's libraries, built by the C compiler, and an
interpreter that finds them. nvidia-ml-py, which asks them, is the real one.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
LIBRARIES = {"gpu.c": "libcuda.so.1", "nvml.c": "libnvidia-ml.so.1"}
PYTHON = "python"


def built(folder: Path) -> Path | None:
    """The interpreter that has the card, made in a folder where it is not there yet; None where it
    cannot be made.
    """
    compiler = shutil.which("gcc")
    if not sys.platform.startswith("linux") or compiler is None or not _asks():
        return None
    folder.mkdir(parents=True, exist_ok=True)
    for source, library in LIBRARIES.items():
        if not _is_newer(folder / library, HERE / source):
            made = folder / f"{library}.{os.getpid()}"
            arguments = ("-shared", "-fPIC", "-O1", "-o", str(made), str(HERE / source))
            subprocess.run([compiler, *arguments], check=True, timeout=600)
            made.replace(folder / library)
    return _script(folder)


def _asks() -> bool:
    return importlib.util.find_spec("pynvml") is not None


def _is_newer(made: Path, source: Path) -> bool:
    return made.exists() and made.stat().st_mtime >= source.stat().st_mtime


def _script(folder: Path) -> Path:
    """An executable that starts this very interpreter with the libraries in its path."""
    text = f'#!/bin/sh\nLD_LIBRARY_PATH="{folder}" exec "{sys.executable}" "$@"\n'
    script = folder / PYTHON
    if not script.exists() or script.read_text() != text:
        made = folder / f"{PYTHON}.{os.getpid()}"
        made.write_text(text)
        made.chmod(made.stat().st_mode | stat.S_IXUSR)
        made.replace(script)
    return script
