"""OpenEnv's echo environment: what `openenv init echo_env` writes, from the template in the
installed package, without what that command asks the network for.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path

TEMPLATE = "openenv_env"
NAMES = {
    "__ENV_NAME__": "echo_env",
    "__ENV_CLASS_NAME__": "Echo",
    "__ENV_TITLE_NAME__": "Echo Env",
}
_WHERE = "import importlib.util as u; print(u.find_spec('openenv').submodule_search_locations[0])"


def written(python: str, folder: Path) -> Path:
    """The folder in which `echo_env.server.app:app` can be imported."""
    template = Path(_package(python)) / "cli" / "templates" / TEMPLATE
    shutil.copytree(template, folder / "echo_env")
    for file in sorted((folder / "echo_env").rglob("*.py")):
        file.write_text(_named(file.read_text()))
        file.rename(file.with_name(_named(file.name)))
    return folder


def _named(text: str) -> str:
    for placeholder, name in NAMES.items():
        text = text.replace(placeholder, name)
    return text


@cache
def _package(python: str) -> str:
    done = subprocess.run(
        [python, "-c", _WHERE], capture_output=True, text=True, timeout=600, check=True
    )
    return done.stdout.strip()
