"""The repository that a command is given in, as far as services that show findings beside the
code need to know it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

#: Where GitHub and GitLab put what they have checked out.
WORKSPACES = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")

#: Files that stand for a whole project, the likeliest first.
MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt", "README.md")


def root(directory: Path, variables: Mapping[str, str] = os.environ) -> Path:
    """The nearest folder around `directory` that holds a repository; else the service's
    workspace around it; else itself.
    """
    return next((folder for folder in _around(directory, variables)), directory)


def _around(directory: Path, variables: Mapping[str, str]) -> Iterator[Path]:
    folders = (directory, *directory.parents)
    yield from (folder for folder in folders if (folder / ".git").exists())
    yield from (
        Path(variables[name])
        for name in WORKSPACES
        if variables.get(name) and Path(variables[name]) in folders
    )


def manifest(root: Path) -> str:
    """The name of a file in the root that what has no place of its own can be shown at."""
    return next((name for name in MANIFESTS if (root / name).is_file()), MANIFESTS[0])
