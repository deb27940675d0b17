"""Sensors, which count inside the process. One file a sensor: a new one is a new file here only.

Other packages add theirs as entry points of the group `envdoctor.sensors`. A sensor is a module
with
    NAME                what readings call it
    missing() -> str    "" or why it cannot work in this interpreter
    absent() -> str     optional: why there is nothing to count on this machine, which is also
                        what missing() says then
    read(context)       {key: description} or a number; cheap, and nothing of it stays: no
                        descriptor, no reference to the subject
    EARLY = True        optional: it counts memory, so it is read before the others allocate their
                        answers
    GROWS = True        optional: how many keys it reads is a meter of the leak check, by its name
                        (words and limits of its own: `model/meters.py`); it must be a dict then
    OF_PROCESS = True   optional: what it reads belongs to the whole process, so that it is read
                        around imports, too, and after each line of the environment's code where
                        the line that changes it is looked for; it must be a dict then
    APPEARS = True      optional: its keys appear with the import of a library, and their first
                        values say nothing of how things were before
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import sys
import types
from functools import lru_cache
from typing import Any, Callable, Collection, Dict, List, NamedTuple, Optional, Tuple, Union

from envdoctor.plugins import plugins
from envdoctor.probe.system import sockets
from envdoctor.probe.system.set_defaults import marked

Reading = Union[int, Dict[str, str]]


def home() -> str:
    """The probe's own folder, also for a worker of it."""
    return os.path.dirname(os.getenv("TMPDIR") or os.getcwd())


class Context(NamedTuple):
    """Place of the probe: `home` is its own folder, `guard` the pid of the parent that
    adopts orphans (0: there is none).
    """

    home: str
    guard: int = 0

    @property
    def tmp(self) -> str:
        """The probe's own TMPDIR."""
        return os.path.join(self.home, "tmp")

    @property
    def stdout(self) -> str:
        """The file that standard output goes to."""
        return os.path.join(self.home, "stdout")


@lru_cache(maxsize=None)
def sensors() -> Tuple[Any, ...]:
    """Every sensor module, those that count memory first, then by name. Also works from within
    a zip file.
    """
    modules = [
        importlib.import_module(__name__ + "." + module.name)
        for module in pkgutil.iter_modules(__path__)
    ]
    modules += [
        _added(name, module)
        for name, module in plugins("sensors").items()
        if name not in [sensor.NAME for sensor in modules]
    ]
    return tuple(
        sorted(modules, key=lambda sensor: (not getattr(sensor, "EARLY", False), sensor.NAME))
    )


def _added(name: str, module: str) -> Any:
    """The sensor of a plug-in; where it cannot be imported, one that says so."""
    try:
        sensor: types.ModuleType = importlib.import_module(module)
        sensor.NAME, sensor.missing, sensor.read  # noqa: B018
    except Exception as error:
        reason = "its plug-in %s cannot be used: %s: %s" % (module, type(error).__name__, error)
        return types.SimpleNamespace(NAME=name, missing=lambda: reason)
    return sensor


@lru_cache(maxsize=None)
def _reasons() -> Tuple[Tuple[str, str], ...]:
    return tuple((sensor.NAME, sensor.missing()) for sensor in sensors())


def available() -> Dict[str, str]:
    """{name: ""} of the sensors that work here, {name: reason} of those that do not."""
    return dict(_reasons())


@lru_cache(maxsize=None)
def of_process() -> Tuple[str, ...]:
    """The names of the sensors that read what belongs to the whole process."""
    return tuple(sensor.NAME for sensor in sensors() if getattr(sensor, "OF_PROCESS", False))


@lru_cache(maxsize=None)
def appearing() -> "frozenset[str]":
    """The names of the sensors whose keys appear with the import of a library."""
    return frozenset(sensor.NAME for sensor in sensors() if getattr(sensor, "APPEARS", False))


def say_on_stderr(name: str, problem: str) -> None:
    """Tell that a sensor failed, where nothing better was asked for."""
    sys.stderr.write("envdoctor: the sensor %s failed: %s\n" % (name, problem))


def absent() -> Tuple[str, ...]:
    """The names of those that have nothing to count on this machine."""
    return tuple(
        sensor.NAME for sensor in sensors() if hasattr(sensor, "absent") and sensor.absent()
    )


class Sensors:
    """The sensors that work here. One that raises is reported once by `say(name, problem)`, and
    has no reading.
    """

    def __init__(self, context: Context, say: Callable[[str, str], None] = say_on_stderr) -> None:
        self.context = context
        self._say = say
        self._said: List[str] = []
        self._working = tuple(sensor for sensor in sensors() if not available()[sensor.NAME])

    def read_all(self, names: Optional[Collection[str]] = None) -> Dict[str, Reading]:
        """{name: reading} of the sensors in `names`, or of all."""
        readings: Dict[str, Reading] = {}
        with sockets.read_once():
            for sensor in self._working:
                if names is not None and sensor.NAME not in names:
                    continue
                try:
                    readings[sensor.NAME] = marked(sensor.NAME, sensor.read(self.context))
                except Exception as error:
                    self._tell(sensor.NAME, error)
        return readings

    def _tell(self, name: str, error: Exception) -> None:
        if name not in self._said:
            self._said.append(name)
            self._say(name, "%s: %s" % (type(error).__name__, error))
