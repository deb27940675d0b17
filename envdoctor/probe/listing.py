"""Versions of the packages of an interpreter, and the ids of a registry. Run as a program of its
own, since a registry fills by imports; the answer goes to a file, apart from what is printed.
"""

from __future__ import annotations

import importlib
import json
import sys
from typing import Dict, List

from envdoctor.probe.subject import registries
from envdoctor.probe.surviving import message_of

NAME = "Name"  # of a distribution, among what it says of itself


def main(path: str, directory: str, registry: str, *imports: str) -> None:
    """Write the answer as JSON into the file at `path`. Modules are found from `directory`, and
    imported before the ids of `registry` are listed, if that names one.
    """
    sys.path.insert(0, directory)
    answer: Dict[str, object] = {
        "executable": sys.executable,
        "python": "%d.%d.%d" % sys.version_info[:3],
        "versions": versions(),
    }
    try:
        for module in imports:
            importlib.import_module(module)
        if registry:
            answer.update(ids=ids(registry))
    except BaseException as error:  # a package may end the interpreter when it is imported
        answer.update(error="%s: %s" % (type(error).__name__, message_of(error)))
    with open(path, "w", encoding="ascii") as file:
        json.dump(answer, file)


def versions() -> Dict[str, str]:
    """{package: version} of everything that is installed."""
    from importlib import metadata

    packages: Dict[str, str] = {}
    for distribution in metadata.distributions():
        name = str(distribution.metadata[NAME] or "").lower().replace("_", "-")
        if name:
            packages.setdefault(name, str(distribution.version))
    return packages


def ids(registry: str) -> List[str]:
    """Every id of a registry, in order."""
    return sorted(registries.ids(importlib.import_module(registry)))
