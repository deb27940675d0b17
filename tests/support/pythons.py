"""Other Pythons of this machine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path


def python_of(version: str) -> str | None:
    """A program that is a Python of that version, as `3.12`; None where there is none."""
    return next((path for path in _candidates(version) if _is_really(path, version)), None)


def _candidates(version: str) -> Iterator[str]:
    """Programs that may be that Python: on PATH, and where pyenv puts them."""
    on_path = shutil.which(f"python{version}")
    yield from [on_path] if on_path else []
    yield from sorted(
        str(path) for path in Path.home().glob(f".pyenv/versions/{version}.*/bin/python")
    )


def _is_really(python: str, version: str) -> bool:
    """A shim of pyenv may be on PATH and run nothing."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run(
        [python, "-c", code], capture_output=True, text=True, timeout=600, check=False
    )
    return done.stdout.strip() == version
