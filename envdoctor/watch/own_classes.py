"""Environment classes without a framework's base class, in the project of a script that a command
runs. Nothing of it is imported.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from envdoctor.discovery.contents import PLAIN, STEPS
from envdoctor.discovery.modules import ClassSeen
from envdoctor.discovery.script_modules import modules_of, path_of
from envdoctor.model.environment_names import names_environment

RESET = "reset"


def defines_own_classes(command: tuple[str, ...], here: Path) -> bool:
    """Return whether what the command runs in this folder defines such classes."""
    modules = modules_of(scripts_of(command, here), (here,))
    classes = [each for module in modules for each in module.classes]
    known = {each.name: each for each in classes}
    return any(_may_be_environment(each, known) for each in classes)


def _may_be_environment(each: ClassSeen, known: Mapping[str, ClassSeen]) -> bool:
    """Return whether a class, with what it inherits from classes of the script's own, has the
    methods of an environment, and inherits from nothing else.
    """
    lineage, methods = [each], set[str]()
    for ancestor in lineage:
        methods |= ancestor.methods
        for base in set(ancestor.bases) - PLAIN:
            own = known.get(base.rpartition(".")[2])
            if own is None:
                return False
            if own not in lineage:
                lineage.append(own)
    return methods >= ({RESET} if names_environment(each.name) else STEPS[0])


def scripts_of(command: tuple[str, ...], here: Path) -> Iterator[Path]:
    """The Python files that a command names: a word that is one, or the module after -m."""
    for before, word in zip(("", *command), command, strict=False):
        path = path_of(word, (here,)) if before == "-m" else here / word
        if path is not None and path.suffix == ".py" and os.path.isfile(path):
            yield Path(os.path.abspath(path))
