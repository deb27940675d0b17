"""Who hosts instances: one file a manager.

A manager module offers

    NAME            as users write it, "gymnasium-async"
    START_METHODS   () for one that hosts in its own process
    DIALECTS        the kinds of environment that it accepts
    HIDDEN          how many instances one launch builds in the parent besides those that it hosts, only to read their spaces
    missing()       "" or why it cannot be used in this interpreter; must not import an expensive framework
    PRELOADED       modules that its workers import before anything else, for a module that knows any
    enter()         imports the framework, so that no life is charged for it; for a module that has one
    launch(factories, start_method, options) -> Host

and is found by its file; nothing else has to know it.
"""

from __future__ import annotations

import importlib
import multiprocessing
import pkgutil
from typing import Any, Dict, List, Optional


class Host:
    """Running instances under one manager: what the player drives."""

    def reset(self, seed: Optional[int]) -> None:
        """Reset every instance."""
        raise NotImplementedError

    def step(self) -> None:
        """One step of every instance, with actions of our own; resets where the manager leaves that to its user."""
        raise NotImplementedError

    def render(self) -> None:
        """Render once, where it can be rendered."""

    def close(self) -> None:
        """Close the manager (or the instance)."""
        raise NotImplementedError

    def offers(self, verb: str) -> bool:
        """Whether there is anything to call for a verb: an object that only looks like an environment may have no close()."""
        return True

    def read_workers(self) -> List[Dict[str, Any]]:
        """What each worker process holds ({"pid", meter: value}): the answers of the traced instances' `envdoctor_read`, asked
        with the manager's own way to call a method in its workers. Nothing where instances live in this process.
        """
        return []

    def subject(self) -> Any:
        """The environment itself, where it lives in this process and is no manager's."""
        return None


def modules() -> Dict[str, Any]:
    """Every manager by name, `direct` first."""
    loaded = [importlib.import_module("%s.%s" % (__name__, module.name)) for module in pkgutil.iter_modules(__path__)]
    return {module.NAME: module for module in sorted(loaded, key=lambda module: (module.NAME != "direct", module.NAME))}


def survey() -> Dict[str, Dict[str, Any]]:
    """What can be used here: {name: {available, reason, start_methods, dialects}}."""
    usable = multiprocessing.get_all_start_methods()
    known = {}
    for name, module in modules().items():
        if name == "direct":
            continue
        reason = module.missing()
        methods: List[Optional[str]] = [method for method in module.START_METHODS if method in usable] or [None]
        known[name] = {
            "available": not reason,
            "reason": reason,
            "start_methods": methods,
            "dialects": list(module.DIALECTS),
            "hidden": module.HIDDEN,
        }
    return known
