"""The instrumented factory: builds the subject in the process that a manager chooses, and journals
what becomes of it.

It must be invisible: the traced environment is one thin object around the subject's, without a
reference cycle, a thread or a descriptor. It must be picklable: managers send factories to their
workers.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
import os
import threading
import types
import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Set, Tuple

from envdoctor.model.events import RESETS_JOURNALLED
from envdoctor.model.subject import ID, Subject
from envdoctor.probe import loaded, stacks
from envdoctor.probe.errors import error_value
from envdoctor.probe.frameworks import names, null, shapes
from envdoctor.probe.frameworks.names import is_base_env, is_instance_of
from envdoctor.probe.journal import Journal
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.sensors import home
from envdoctor.probe.subject import load, registries
from envdoctor.probe.subject.roots import roots_of
from envdoctor.probe.system import allocator, container_calls
from envdoctor.probe.tracing import named_memory, randomness
from envdoctor.probe.tracing.acquisitions import users_place
from envdoctor.probe.tracing.identity import Serials
from envdoctor.probe.tracing.traced import TracedObject
from envdoctor.probe.wrappers import innermost

PLAIN = (int, float, bool, complex, str, bytes, type(None), type, tuple, frozenset)
SHARED = 2  # objects that both hold, the thread among them

_constructions = itertools.count(1)
_bases = Serials()  # innermost objects that this process has seen


class Factory:
    """Builds one traced instance a call. `spaces` is the file of the subject's pickled spaces, for
    the control. `fault` is a kind that is put into the instances that it builds: all of them, or
    with `in_workers` only those of other processes.
    """

    def __init__(
        self,
        subject: Subject,
        journal: str,
        control: bool = False,
        spaces: str = "",
        fault: str = "",
        in_workers: bool = False,
    ) -> None:
        self.subject = subject
        self.journal = journal
        self.control = control
        self.spaces = spaces
        self.fault = fault
        self.in_workers = in_workers
        self.parent_pid = os.getpid()

    def __call__(self) -> Any:
        """One instance, traced. Raises what the subject raises."""
        return self.trace(self.build)

    def trace(self, build: Callable[[], object]) -> object:
        """Return what `build` builds, or hands over as a new instance, traced."""
        self.arm()
        log = InstanceLog(
            Journal(self.journal),
            next(_constructions),
            os.getpid() == self.parent_pid,
            Ownership(roots_of(self.subject)),
        )
        log.write("making")
        try:
            environment = self._afflicted(build) if self._is_faulty() else build()
        except BaseException as error:
            log.write("make-raised", error=error_value(error, log.ownership))
            raise
        log.made(environment)
        return traced(environment, log)

    def _is_faulty(self) -> bool:
        return bool(self.fault) and not (self.in_workers and os.getpid() == self.parent_pid)

    def _afflicted(self, build: Callable[[], object]) -> object:
        from envdoctor.probe.tracing import faults

        return faults.afflict(build, self.fault)

    def arm(self) -> None:
        """Make a worker that was not forked from the probe what the probe is."""
        stacks.arm()
        allocator.hand_back()
        if not named_memory.is_noting():
            named_memory.note(Journal(self.journal))

    def tell_slot(self, slot: int) -> None:
        """Journal by which number its manager knows this worker: from within, because a launch
        that hangs cannot report it.
        """
        if os.getpid() != self.parent_pid:
            Journal(self.journal).write("fact", key="slot", value=slot)

    def _follow_containers(self) -> None:
        """In a worker that was not forked from the probe, as the probe does."""
        container_calls.follow(
            home(),
            lambda event: Journal(self.journal).write(**event),
            Ownership(roots_of(self.subject)),
            users_place,
        )

    def build(self) -> object:
        """One instance as it is, with nothing of ours around it."""
        if self.control:
            return null.environment(self.spaces)
        load.prepare_path(self.subject)
        if self.subject.form == ID:
            return registries.make(self.subject.text, dict(self.subject.kwargs))
        try:
            build = load.find(self.subject).build
        except load.Unresolved as unresolved:
            raise (unresolved.cause or unresolved) from None
        if os.getpid() != self.parent_pid:
            self._follow_containers()
        return require_environment(build())


class BareFactory(Factory):
    """Builds instances that are not traced: their cycles are counted, and a trace would be in
    the count.
    """

    def trace(self, build: Callable[[], object]) -> object:
        """Return what `build` builds, as it is."""
        self.arm()
        return build()

    def tell_slot(self, slot: int) -> None:
        """Do nothing: not needed here."""


def require_environment(made: object) -> object:
    """`made`, if it has reset() and step(), or another shape. Raises TypeError otherwise."""
    lacks = [name for name in ("reset", "step") if not callable(getattr(made, name, None))]
    if lacks and shapes.of(made) is None:
        raise TypeError(
            "it returned %s, which has no %s()" % (type(made).__name__, "() and no ".join(lacks))
        )
    return made


def real_of(base: object) -> object:
    """The environment that one of DI-engine's keeps in `_env` from its first reset() on, under
    all wrappers; None where there is none.
    """
    real = loaded.own(base, names.LAZY_REAL) if is_base_env(base) else None
    return (
        innermost(real)
        if all(callable(getattr(real, name, None)) for name in ("reset", "step"))
        else None
    )


class InstanceLog:
    """Events of one instance, for the journal. Holds no reference to the instance."""

    def __init__(self, journal: Journal, serial: int, parent: bool, ownership: Ownership) -> None:
        self.journal = journal
        self.serial = serial
        self.parent = parent
        self.ownership = ownership
        self.identity: Optional[int] = None
        self.base: Optional[int] = None
        self.real: Optional[int] = None
        self.resets = 0
        self.seed: Optional[int] = None
        self._since = 0  # resets that were given none
        self._is_pending = False

    def write(self, what: str, **keys: object) -> None:
        """Journal one `instance` event."""
        self.journal.write(
            "instance",
            what=what,
            serial=self.serial,
            id=self.identity,
            base=self.base,
            parent=self.parent,
            **keys,
        )

    def closing(self, environment: object) -> None:
        """Journal that it is about to be closed, and a thread that is its original's."""
        method = thread_of_original(innermost(environment))
        self.write("closing", resets=self.resets, **({"thread_of": method} if method else {}))

    def raised(self, what: str, error: BaseException, **keys: object) -> None:
        """Journal that a method of the instance raised."""
        self.write(what, error=error_value(error, self.ownership), **keys)

    def made(self, environment: object) -> None:
        """Journal the new instance and watch for its end."""
        base = innermost(environment)
        self._look_at(base)
        watched = watch_finalization(base, self)
        self.write(
            "made", type="%s.%s" % (type(base).__module__, type(base).__qualname__), watched=watched
        )

    def random_states(self, environment: object) -> Dict[str, str]:
        """The random states around the resets that are journalled."""
        return randomness.states(innermost(environment)) if self.resets < RESETS_JOURNALLED else {}

    def resetting(self, seed: object = None, **_others: object) -> None:
        """Journal that a reset() begins with these arguments, which may never come back: the last
        seed that one was given, and how many resets ago. Only of the first ones, and those with
        another seed.
        """
        is_new = isinstance(seed, int) and seed != self.seed
        self._since = 0 if isinstance(seed, int) else self._since + 1
        self.seed = int(seed) if isinstance(seed, int) else self.seed
        self._is_pending = is_new or self.resets < RESETS_JOURNALLED
        if self._is_pending:
            self.write("resetting", seed=self.seed, resets=self._since)

    def was_reset(self) -> None:
        """Journal that a reset() came back whose beginning was journaled."""
        if self._is_pending:
            self._is_pending = False
            self.write("was-reset")

    def reset(self, environment: object, before: Mapping[str, str]) -> None:
        """Count a reset; journal the first ones with the random states before and after, and each
        that put another object in the place of the innermost one, or of the one that a BaseEnv
        keeps; of others, that they came back, where their beginning was journaled.
        """
        self.resets += 1
        base = innermost(environment)
        real, renewed = self._look_inside(base)
        swapped = id(base) != self.identity or _bases.serial(base) != self.base
        if swapped:
            self._look_at(base)
            watch_replacement(base, self)
        if swapped or renewed or self.resets <= RESETS_JOURNALLED:
            after = randomness.states(base) if self.resets <= RESETS_JOURNALLED else {}
            self.write(
                "reset", resets=self.resets, random={"before": before, "after": after}, **real
            )
        else:
            self.was_reset()

    def _look_inside(self, base: object) -> Tuple[Dict[str, Optional[int]], bool]:
        """Return what a reset shows about the environment in a BaseEnv, and whether it is another
        one than before.
        """
        inside = real_of(base)
        if inside is None:
            return {}, False
        earlier, self.real = self.real, _bases.serial(inside)
        return {"real": self.real, "real_id": id(inside)}, self.real != earlier

    def _look_at(self, base: object) -> None:
        self.identity, self.base = id(base), _bases.serial(base)


_alive: Dict[
    int, weakref.ref[object]
] = {}  # {construction serial: weak reference to the innermost object}
# {identity: weak reference to an object that an environment put in the place of its innermost one}.
_replacing: Dict[int, object] = {}


def watch_finalization(base: object, log: InstanceLog) -> bool:
    """Journal "finalized" when the innermost object dies. False for objects without weak
    references, which cannot be watched.
    """
    serial, identity, number = log.serial, log.identity, log.base

    def finalized(_: object, pid: int = os.getpid()) -> None:
        _alive.pop(serial, None)
        if pid == os.getpid():
            log.journal.write(
                "instance",
                what="finalized",
                serial=serial,
                id=identity,
                base=number,
                parent=log.parent,
                resets=log.resets,
            )

    with contextlib.suppress(TypeError):
        _alive[serial] = weakref.ref(base, finalized)
    return serial in _alive


def watch_replacement(base: object, log: InstanceLog) -> None:
    """Journal `inner finalized` when an object dies that took the place of an earlier innermost
    one.
    """
    identity, number, journal = log.identity, log.base, log.journal
    if number is None:
        return

    def finalized(_: object, pid: int = os.getpid()) -> None:
        _replacing.pop(number, None)
        if pid == os.getpid():
            journal.write("inner", what="finalized", base=number, id=identity)

    with contextlib.suppress(TypeError):
        _replacing[number] = weakref.ref(base, finalized)


def alive() -> List[int]:
    """Serials of the instances of this process whose innermost object still lives."""
    return sorted(serial for serial, reference in _alive.items() if reference() is not None)


def forget() -> None:
    """Watch no instance of this process any more."""
    _alive.clear()
    _replacing.clear()


def reference_to(serial: int) -> Any:
    """The weak reference to the innermost object of one construction, or None."""
    return _alive.get(serial)


def traced(environment: object, log: InstanceLog) -> object:
    """The environment with its reset, step and close journalled, as the kind of object that
    managers accept.
    """
    shape = shapes.of(environment)
    if shape is not None:
        own = shape.traced(environment, log)
        return TracedObject(environment, log) if own is None else own
    for library in () if is_base_env(environment) else names.REGISTRIES:
        if is_instance_of(environment, library, "Env"):
            return _class_at(*names.TRACED[library])(environment, log)
    if is_instance_of(environment, *names.TENSOR_BASE):
        return _class_at(*names.TRACED_TENSOR_BASE)(environment, log)
    return TracedObject(environment, log)


def _class_at(module: str, name: str) -> Callable[[object, InstanceLog], object]:
    """A class that is imported only where its framework was."""
    kind: Callable[[object, InstanceLog], object] = getattr(importlib.import_module(module), name)
    return kind


def serial_of(base: object) -> Optional[int]:
    """The identity token of an innermost object."""
    return _bases.serial(base)


def thread_of_original(environment: object) -> str:
    """Return which method a thread runs of another object of the same class, or of a base of it,
    which holds the thread as the environment does, and has the same attributes:
    "Player.challenge"; else nothing.
    """
    own = _attributes(environment)
    for thread in threading.enumerate():
        method = getattr(thread, "_target", None)
        if not isinstance(method, types.MethodType) or id(thread) not in _held(own):
            continue
        owner: object = method.__self__
        others = _attributes(owner)
        is_alike = owner is not environment and issubclass(type(environment), type(owner))
        if is_alike and others.keys() == own.keys() and len(_held(own) & _held(others)) >= SHARED:
            return str(method.__func__.__qualname__)
    return ""


def _attributes(thing: object) -> Dict[str, object]:
    return getattr(thing, "__dict__", {})


def _held(attributes: Dict[str, object]) -> Set[int]:
    """The ids of the objects in some attributes."""
    return {id(value) for value in list(attributes.values()) if not isinstance(value, PLAIN)}
