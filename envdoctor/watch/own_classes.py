"""Environment classes without a framework's base class, in the project of a script that a command
runs. Nothing of it is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from envdoctor.discovery.contents import PLAIN, STEPS
from envdoctor.discovery.modules import ClassSeen
from envdoctor.discovery.script_modules import modules_of, path_of
from envdoctor.model.environment_names import names_environment

RESET = "reset"


def defines_own_classes(command: tuple[str, ...], here: Path) -> bool:
    """Return whether what the command runs in this folder defines such classes."""
    modules = modules_of(scripts_of(command, here), (here,))
    return any(_may_be_environment(each) for module in modules for each in module.classes)


def _may_be_environment(each: ClassSeen) -> bool:
    methods = {RESET} if names_environment(each.name) else STEPS[0]
    return each.methods >= methods and PLAIN.issuperset(each.bases)


def scripts_of(command: tuple[str, ...], here: Path) -> Iterator[Path]:
    """The Python files that a command names: a word that is one, or the module after -m."""
    for before, word in zip(("", *command), command, strict=False):
        path = path_of(word, (here,)) if before == "-m" else here / word
        if path is not None and path.suffix == ".py" and os.path.isfile(path):
            yield Path(os.path.abspath(path))
