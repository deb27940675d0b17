"""Files that samples are written to."""

from __future__ import annotations

from pathlib import Path


def check_file(path: Path) -> None:
    """Refuse a directory, and a file in a directory that does not exist, with a ValueError."""
    if str(path) == "-":
        raise ValueError("expected a file: stdout is the training's")
    if path.is_dir():
        raise ValueError("expected a file, and this is a directory")
    if not path.parent.is_dir():
        raise ValueError(f"directory {path.parent} not found")
