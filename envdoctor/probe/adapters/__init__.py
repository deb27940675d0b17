"""Adapters that run instances: one file for each manager.

A manager module offers

    NAME            as users write it, "gymnasium-async"
    START_METHODS   () for one that hosts in its own process
    APIS            the kinds of environment that it accepts
    HIDDEN          how many instances one launch builds in the parent besides those that it hosts,
                    only to read their spaces
    EXPECTED        what else one launch is known to do, as rows (first version of its framework,
                    {what: known}), newest first:
                    closes_again   whether a second close() closes the instances again
                    pins           (for each worker, and once) descriptors that its parent keeps
                                   after close(), until the closed object is dropped
                    closes_hidden  whether the instances that are built only to read their spaces
                                   are closed: true where nothing is said
                    zombies        workers of each launch not yet waited for when close() has
                                   returned: none where nothing is said
                    autoreset      when an ended episode begins anew: "next-step", "same-step"
    SENDS           what it pickles between its processes, if anything: "observation", "info",
                    "observation_space", "action_space", "exception"; () without such a
                    constant
    SHAPED          true for one whose environments have a shape (frameworks/shapes.py): no null
                    environment is played under it without the subject's nature
    RELAUNCHES      true where a closed one can be launched again: its hosts have relaunch()
    RETRIES         true where one has options to reset again what failed to reset, or to renew it
                    (max_retry, retry_type), and hands parameters to reset() (reset_param)
    PRELOADED       modules that its workers import before anything else, for a module that knows
                    any
    ON_REQUEST      True for one that is played only where it is named, or where its framework is
                    the subject's: it takes long to import
    missing()       "" or why it cannot be used in this interpreter; it must not import an
                    expensive framework
    enter()         imports the framework, before the first lifecycle is measured; optional
    launch(factories, start_method, options)
                    the running Host
    ask(factory, episode, deadline)
                    answers of a single instance to the records of an episode, as records; for a
                    module whose instances have other calls than reset() and step()

and is named in VECTORIZERS of its folder's __init__.py. Other packages add theirs as entry points
of the group `envdoctor.managers`, named as the manager is.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import multiprocessing
import pkgutil
import sys
import types
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Union

from envdoctor.plugins import plugins
from envdoctor.probe.frameworks import shapes

if TYPE_CHECKING:
    from envdoctor.model.trajectory import Frozen
    from envdoctor.probe.comparison.endings import Endings
    from envdoctor.probe.comparison.trajectory import Recorder

REQUIRED = ("NAME", "START_METHODS", "APIS", "HIDDEN", "EXPECTED", "missing", "launch")


class Host:
    """Running instances under one manager: what the player drives. `recorder` records what they
    return, where there is one; `endings` follows whole episodes, while they are played.
    """

    recorder: Optional[Recorder] = None
    endings: Optional[Endings] = None

    @property
    def instances(self) -> int:
        """Number of instances that it runs."""
        return 1

    @property
    def is_over(self) -> bool:
        """True where its instance has no next step: it had its only episode."""
        return False

    def follow(self) -> None:
        """From here on, follow the episode of each instance to its end."""
        from envdoctor.probe.comparison.endings import Endings  # few scenarios follow them

        self.endings = Endings(self.instances, self._record)

    def _noted(self, action: object) -> Optional[Frozen]:
        """An action, frozen before a call that may write into it, where anything is recorded."""
        if self.recorder is None:
            return None
        from envdoctor.probe.comparison.frozen import freeze  # few scenarios record

        return freeze(action)

    def _record(self, call: str, slot: int, **values: Any) -> None:
        """Record what belongs to an end, where anything is recorded."""
        if self.recorder is not None:
            self.recorder.add(call, slot, **values)

    def reset(self, seed: Optional[int]) -> None:
        """Reset every instance."""
        raise NotImplementedError

    def step(self) -> None:
        """One step of every instance, with actions of our own; resets where the manager leaves
        that to its user.
        """
        raise NotImplementedError

    def mirror(self) -> None:
        """One step with the same action for every instance, where there are several."""

    def render(self) -> None:
        """Render once, where it can be rendered."""

    def close(self) -> None:
        """Close the manager (or the instance)."""
        raise NotImplementedError

    def relaunch(self) -> None:
        """Close the manager, and launch it again, where that is known."""

    def offers(self, verb: str) -> bool:
        """Return whether there is anything to call for a verb: an object that only looks like an
        environment may have no close().
        """
        return True

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker process ({"pid", meter: value}): the answers of the traced
        instances' `envdoctor_read`, asked with the manager's own way to call a method in its
        workers. Nothing where instances live in this process.
        """
        return []

    def unwaited(self) -> Optional[int]:
        """Count the worker processes that were not waited for, right after close(). None where
        that is not asked.
        """
        return None

    def fail(self, name: str) -> object:
        """Have the instances raise an error of their package's class `name`, and raise here what
        the manager makes of it. May hang. Nothing happens where no manager could lose it.
        """

    def subject(self) -> object:
        """The environment itself, where it lives in this process and belongs to no manager."""
        return None


@functools.lru_cache(maxsize=None)
def modules() -> Dict[str, types.ModuleType]:
    """Every manager by name, `direct` first. Asked several times for each instance, and the
    same each time.
    """
    loaded = own_modules()
    # Here, before the first lifecycle is measured.
    shapes.known()
    loaded += [
        _added(name, module)
        for name, module in plugins("managers").items()
        if name not in [each.NAME for each in loaded]
    ]
    return {
        module.NAME: module
        for module in sorted(loaded, key=lambda module: (module.NAME != "direct", module.NAME))
    }


def own_modules() -> List[types.ModuleType]:
    """The adapters of our own, imported: without the frameworks, and without those of plug-ins."""
    return [importlib.import_module("%s.%s" % (__name__, name)) for name in _own()]


def _own() -> List[str]:
    """The adapters of our own: those that the folders of the frameworks name, and `direct`."""
    folders = [module.name for module in pkgutil.iter_modules(__path__) if module.ispkg]
    return ["direct"] + [
        "%s.%s" % (folder, name)
        for folder in folders
        for name in getattr(
            importlib.import_module("%s.%s" % (__name__, folder)), "VECTORIZERS", ()
        )
    ]


def _added(name: str, module: str) -> Any:
    """The manager of a plug-in; where it cannot be imported or lacks something, one that says
    so.
    """
    try:
        manager = importlib.import_module(module)
        lacking = [each for each in REQUIRED if not hasattr(manager, each)]
        problem: Union[str, Exception] = "it has no %s" % ", ".join(lacking) if lacking else ""
        problem = problem or ("" if name == manager.NAME else "it calls itself %s" % manager.NAME)
    except Exception as error:
        problem = error
    if not problem:
        return manager
    reason = _unusable(module, problem)
    return types.SimpleNamespace(
        __name__=module,
        NAME=name,
        START_METHODS=(),
        APIS=(),
        HIDDEN=0,
        EXPECTED=(),
        missing=lambda: reason,
    )


def _unusable(module: str, problem: Union[str, Exception]) -> str:
    """Sentence on why a plug-in cannot be used."""
    if isinstance(problem, Exception):
        problem = "%s: %s" % (type(problem).__name__, problem)
    return "its plug-in %s cannot be used: %s" % (module, problem)


def enter(name: str) -> bool:
    """Import the framework of a manager; whether that imported anything. What fails here fails
    again, and is reported, where it is launched.
    """
    module, loaded = modules()[name], len(sys.modules)
    if hasattr(module, "enter"):
        with contextlib.suppress(Exception):
            module.enter()
    return len(sys.modules) > loaded


def survey() -> Dict[str, Dict[str, object]]:
    """Managers, and whether they can be used here: {name: {available, reason, ...}}."""
    return {
        name: _surveyed(module) if _is_own(module) else _checked(module)
        for name, module in modules().items()
        if name != "direct"
    }


def _is_own(module: object) -> bool:
    return getattr(module, "__name__", "").startswith(__name__)


def _checked(module: types.ModuleType) -> Dict[str, object]:
    """Entry of a plug-in's manager, or the reason that it cannot be used: an error in one manager
    affects no other one.
    """
    try:
        return dict(_surveyed(module), plugin=module.__name__)
    except Exception as error:
        return {"available": False, "reason": _unusable(module.__name__, error)}


def _surveyed(module: types.ModuleType) -> Dict[str, object]:
    usable = multiprocessing.get_all_start_methods()
    reason = module.missing()
    methods: List[Optional[str]] = [
        method for method in module.START_METHODS if method in usable
    ] or [None]
    return {
        "available": not reason,
        "reason": reason,
        "start_methods": methods,
        "apis": list(module.APIS),
        "relaunches": bool(getattr(module, "RELAUNCHES", False)),
        "retries": bool(getattr(module, "RETRIES", False)),
        "hidden": module.HIDDEN,
        "expected": [[since, known] for since, known in module.EXPECTED],
        "sends": list(getattr(module, "SENDS", ())),
        "on_request": bool(getattr(module, "ON_REQUEST", False)),
    }
