"""State that two instances of one process share and change, by name: a default argument, an
attribute of a class, a global of a module, an object that both were given.

A name is reported only where it was tried: both play once more, and each finds there what it left
itself, not what the other one did. What they return has to be then what each returns alone.
"""

from __future__ import annotations

import sys
import sysconfig
import types
from importlib.machinery import EXTENSION_SUFFIXES
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Type,
)

from envdoctor.probe import loaded
from envdoctor.probe.comparison import switching
from envdoctor.probe.comparison.switching import Switch
from envdoctor.probe.growth.chains import is_a, module_of, own_namespace, type_name
from envdoctor.probe.wrappers import innermost, wrappers

if TYPE_CHECKING:
    from envdoctor.probe.comparison.trajectory import DrivenInstance

MOST = 16  # that are tried
IN_ALL = 10_000  # objects of all places that are followed

DEFAULT, OF_CLASS, OF_MODULE, HELD = "default", "class", "module", "held"

EXTENSIONS = tuple(EXTENSION_SUFFIXES)
_STDLIB = sysconfig.get_path("platstdlib") + "/lib-dynload"
#: Libraries whose functions depend on nothing but their arguments, and random generators that are
#: looked at elsewhere.
STATELESS = ("numpy", "scipy", "pandas", "torch", "jax", "jaxlib", "cv2", "PIL", "numba", "orjson")

_DEFINED = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    property,
    staticmethod,
    classmethod,
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
)


class StatePlace(NamedTuple):
    """Something shared. `owner` and `name` say where it is found again: a module or a class and
    the name there, or the way from the instance (`self.robot`) of what both hold.
    """

    kind: str
    owner: object
    name: str


class NamedState(NamedTuple):
    """The name of a place, the way from the instance to it if both hold it, and where the
    function is whose default argument it is.
    """

    kind: str
    name: str
    held: str = ""
    file: str = ""
    line: int = 0


Key = Tuple[str, str]
Shared = Dict[Key, Tuple[StatePlace, object]]  # and what is there now


class Try:
    """A life in which each of two instances had its own of some places."""

    def __init__(self, keys: List[Key], life: int) -> None:
        self.keys = keys
        self.life = life
        self.failed = False


class Sharing:
    """Follows what two instances share, in lives in which both are used."""

    def __init__(self, is_users: Callable[[str], bool]) -> None:
        self.is_users = is_users
        self.named_states: Dict[Key, NamedState] = {}  # of what changed in a call of either
        self.calls = LibraryCalls(is_users)
        self.tries: List[Try] = []
        self.enough: List[Key] = []  # with which the two were as they are alone
        self.is_idle = False  # there is nothing more to try
        self._switch: Optional[Switch] = None
        self._states_before: Dict[Key, object] = {}
        self.is_broken = False

    def begin(self, life: int, is_cured: Callable[[Try], bool]) -> None:
        """From here on, try what comes next: all places first; of places that were enough, one half
        and then the other.
        """
        keys = self._next(is_cured)
        self.is_idle = not keys
        if keys:
            self.tries.append(Try(keys, life))

    def _next(self, is_cured: Callable[[Try], bool]) -> List[Key]:
        if self.is_idle:
            return []
        if not self.tries:
            return list(self.named_states)[:MOST]
        last = self.tries[-1]
        half = (len(self.enough) + 1) // 2
        if is_cured(last):
            self.enough = last.keys
            half = (len(self.enough) + 1) // 2
            return self.enough[:half] if len(self.enough) > 1 else []
        return self.enough[half:] if last.keys == self.enough[:half] else []

    def before(self, hosts: List[DrivenInstance], index: int) -> None:
        """A call of one of two instances is about to be made. No error of ours is one of the call:
        what cannot be followed is not told.
        """
        try:
            if len(hosts) == 2 and not self.is_broken:
                self._before_call(hosts, index)
        except Exception:
            self.is_broken = True

    def after(self, hosts: List[DrivenInstance], index: int, raised: bool) -> None:
        """It has come back, or raised."""
        try:
            self.calls.stop()
            self._after_call(hosts, index)
        except Exception:
            self.is_broken = True
        if self.tries:
            self.tries[-1].failed |= raised or self.is_broken

    def _before_call(self, hosts: List[DrivenInstance], index: int) -> None:
        if not self.tries:
            self._states_before = self._states(hosts)
            self.calls.listen(index)
            return
        if self._switch is None and all(hosts):
            self._switch = self._switch_for(self.tries[-1].keys, hosts)
        if self._switch is not None:
            self._switch.enter(index)

    def _after_call(self, hosts: List[DrivenInstance], index: int) -> None:
        if self._switch is not None:
            self._switch.leave(index)
        before, self._states_before = self._states_before, {}
        now = self._states(hosts) if before else {}
        changed = [
            key
            for key in now
            if key in before and before[key] != now[key] and None not in (before[key], now[key])
        ]
        shared = self._shared(hosts) if changed else {}
        for key in changed:
            if key not in self.named_states:
                self.named_states[key] = _described(key, shared, hosts[0])

    def proven(self) -> List[Dict[str, object]]:
        """The names of the places that were enough, as the journal has them."""
        named = [self.named_states[key] for key in self.enough]
        both = {each.name for each in named if each.held}
        return [each._asdict() for each in named if each.held or each.name not in both]

    def end(self) -> None:
        """A life is over: nothing of it is kept."""
        self._switch = None
        self._states_before = {}

    def _states(self, hosts: List[DrivenInstance]) -> Dict[Key, object]:
        """Of each place; those after the first IN_ALL objects are not followed."""
        states: Dict[Key, Any] = {}
        left = IN_ALL
        for key, (_, value) in (self._shared(hosts) if all(hosts) else {}).items():
            states[key] = switching.state(value, min(left, switching.MOST))
            left -= len(states[key].objects) if states[key] else 0
        return states

    def _switch_for(self, keys: List[Key], hosts: List[DrivenInstance]) -> Switch:
        shared = self._shared(hosts)
        places = [shared[key] for key in keys if key in shared]
        objects = {id(obj): obj for _, value in places for obj in switching.below(value) or ()}
        bindings = [(place.owner, place.name) for place, _ in places if place.kind != HELD]
        return Switch(list(objects.values()), bindings)

    def _shared(self, hosts: List[DrivenInstance]) -> Shared:
        """Return what both instances hold, and what modules and classes of the user's keep."""
        first, second = (_ways(_layers(host)) for host in hosts)
        others = set(map(id, second.values()))
        common = {way: obj for way, obj in first.items() if id(obj) in others}
        shared: Shared = {
            (HELD, way): (StatePlace(HELD, None, way), obj)
            for way, obj in common.items()
            if not any(_leads_to(other, way) for other in common)
        }
        first_of_all = sys.modules.get(type(innermost(hosts[0].subject())).__module__)
        for module in dict.fromkeys((first_of_all, *list(sys.modules.values()))):
            if type(module) is not types.ModuleType or not self._is_own(module):
                continue
            for owner, name in own_variables(module):
                text = _name_of(module) if owner is module else type_name(owner)
                kind = OF_MODULE if owner is module else OF_CLASS
                value = vars(owner).get(name)
                shared[kind, "%s.%s" % (text, name)] = (StatePlace(kind, owner, name), value)
        return shared

    def _is_own(self, module: object) -> bool:
        file = file_of(module)
        return bool(file) and self.is_users(file)


class LibraryCalls:
    """Functions of extension modules that two instances call, and the lines that do."""

    def __init__(self, is_users: Callable[[str], bool]) -> None:
        self.is_users = is_users
        self.callers: Dict[str, Dict[int, Tuple[str, int]]] = {}
        self.index = 0

    def listen(self, index: int) -> None:
        """From here on, note the calls of one instance."""
        self.index = index
        if sys.getprofile() is None:
            sys.setprofile(self._note)

    def stop(self) -> None:
        """Note no more."""
        if sys.getprofile() == self._note:
            sys.setprofile(None)

    def both(self) -> List[Dict[str, object]]:
        """{"name", "file", "line"} of each module that both call."""
        return [
            {"name": name, "file": calls[0][0], "line": calls[0][1]}
            for name, calls in sorted(self.callers.items())
            if len(calls) == 2
        ]

    def _note(self, frame: types.FrameType, event: str, function: object) -> None:
        if event != "c_call":
            return
        module = getattr(function, "__self__", None)
        if type(module) is not types.ModuleType or not self.is_users(frame.f_code.co_filename):
            return
        name, file = _name_of(module), file_of(module)
        if file.endswith(EXTENSIONS) and _may_have_state(name, file):
            place = (frame.f_code.co_filename, frame.f_lineno)
            self.callers.setdefault(name, {}).setdefault(self.index, place)


def _name_of(module: object) -> str:
    return str(loaded.own(module, loaded.NAME) or "")


def file_of(module: object) -> str:
    """Return where a module lies; empty for one that is built in."""
    file = loaded.own(module, "__file__")
    return file if type(file) is str else ""


def _may_have_state(name: str, file: str) -> bool:
    return name.partition(".")[0] not in STATELESS and not file.startswith(_STDLIB)


def _described(key: Key, shared: Shared, host: DrivenInstance) -> NamedState:
    """Return what a place is called."""
    place, value = shared[key]
    if place.kind != HELD:
        return NamedState(place.kind, key[1])
    for function, argument in _defaults(_layers(host), value):
        code = function.__code__
        name = "%s of %s()" % (argument, function.__qualname__)
        return NamedState(DEFAULT, name, place.name, code.co_filename, code.co_firstlineno)
    for (kind, name), (_, other) in shared.items():
        if kind != HELD and other is value:
            return NamedState(kind, name, place.name)
    return NamedState(HELD, place.name, place.name)


def _layers(host: DrivenInstance) -> List[Tuple[str, object]]:
    """An instance as `self`, and its wrappers by the names of their classes."""
    subject = host.subject()
    around = [(type(layer).__name__, layer) for layer in wrappers(subject)]
    return [("self", innermost(subject)), *around]


def _ways(layers: List[Tuple[str, object]]) -> Dict[str, object]:
    """{way: object} of what an instance leads to: `self.world.bodies`."""
    ways: Dict[str, object] = {}
    known = {id(layer) for _, layer in layers}
    level = list(layers)
    for _ in range(switching.DEPTH):
        following = []
        for way, obj in level:
            for text, held in _parts(obj):
                if id(held) in known or not switching.leads_on(held):
                    continue
                known.add(id(held))
                if len(known) > switching.MOST:
                    return ways
                ways[way + text] = held
                following.append((way + text, held))
        level = following
    return ways


def _parts(obj: object) -> Iterator[Tuple[str, object]]:
    """Return what an object holds, and how one writes that."""
    if is_a(obj, dict):
        for key, value in list(dict.items(obj)):
            yield "[%s]" % (repr(key) if type(key) in (str, int) else "..."), value
    elif is_a(obj, (list, tuple)):
        kind: Type[Sequence[object]] = list if is_a(obj, list) else tuple
        for index, value in enumerate(kind.__iter__(obj)):
            yield "[%d]" % index, value
    if is_a(obj, types.MethodType):
        yield ".__self__", obj.__self__
    for name, value in list((own_namespace(obj) or {}).items()):
        yield ".%s" % name, value


def _leads_to(way: str, other: str) -> bool:
    """Return whether one way is the beginning of another."""
    return other.startswith((way + ".", way + "["))


def own_variables(module: types.ModuleType) -> Iterator[Tuple[Any, str]]:
    """(owner, name) of what a module and its classes keep."""
    for name, value in list(vars(module).items()):
        if name.startswith("__") or is_a(value, _DEFINED):
            continue
        if not is_a(value, type):
            yield module, name
        elif module_of(value) == _name_of(module):
            own = type.__getattribute__(value, "__dict__")
            for key, held in list(own.items()):
                if not key.startswith("__") and not is_a(held, (*_DEFINED, type)):
                    yield value, key


def _defaults(
    layers: List[Tuple[str, object]], shared: object
) -> Iterator[Tuple[types.FunctionType, str]]:
    """The functions of the classes of an instance and its wrappers that have an object as the
    default of an argument, and what that is called.
    """
    for _, layer in layers:
        for kind in type(layer).__mro__:
            for function in list(type.__getattribute__(kind, "__dict__").values()):
                if type(function) is not types.FunctionType:
                    continue
                for name, value in default_arguments(function):
                    if value is shared:
                        yield function, name


def default_arguments(function: types.FunctionType) -> List[Tuple[str, object]]:
    """(name, default) of the arguments that have one."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    positional = list(zip(names[len(names) - len(defaults) :], defaults))
    return positional + list((function.__kwdefaults__ or {}).items())
