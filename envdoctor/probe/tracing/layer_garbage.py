"""The layer of a wrapped environment whose code makes the reference cycles that keep garbage.

Three things have to agree: the layers played without the outer ones (the innermost with which the
same cycles come), the lines that allocated the objects on a cycle (by memray), and the names by
which these objects lead to each other.
"""

from __future__ import annotations

import contextlib
import dis
import gc
import importlib
import os
import sys
from typing import (
    TYPE_CHECKING,
    Callable,
    Container,
    Dict,
    FrozenSet,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from envdoctor.probe.growth.chains import own_namespace, type_name
from envdoctor.probe.growth.cycles import RAISED, STEPS, BareCycles, Report, Size
from envdoctor.probe.growth.garbage import look_at_garbage
from envdoctor.probe.subject.wrapper_classes import codes_of, last_line
from envdoctor.probe.wrappers import layers_of

if TYPE_CHECKING:
    from types import ModuleType

    from memray import AllocationRecord

#: File and line of each frame, the innermost first.
Stack = Tuple[Tuple[str, int], ...]

#: Bytes before an object that belong to what was allocated: the collector's, a namespace, weak
#: references.
HEADERS = (0, 16, 24, 32, 40, 48)


class AllocationStacks:
    """Of the objects that were made while allocations were recorded, into a file in `home`. Nothing
    is known where the interpreter has no memray, and of objects that Python kept to use them again.
    """

    def __init__(self, home: str) -> None:
        self._path = os.path.join(home, "stacks.bin")
        self._live: Dict[int, Stack] = {}  # of what was not freed, by address

    @contextlib.contextmanager
    def recorded(self) -> Iterator[None]:
        """Record meanwhile."""
        try:
            memray = importlib.import_module("memray")
        except ImportError:
            yield
            return
        gc.collect()  # it empties the lists of objects that Python keeps to use them again
        destination = memray.FileDestination(self._path, overwrite=True)
        with memray.Tracker(destination=destination, trace_python_allocators=True):
            yield
        self._live = dict(self._read(memray))

    def of(self, obj: object) -> Stack:
        """The lines that allocated an object; empty where they are not known."""
        for before in HEADERS:
            stack = self._live.get(id(obj) - before)
            if stack is not None:
                return stack
        return ()

    def _read(self, memray: ModuleType) -> Iterator[Tuple[int, Stack]]:
        live: Dict[int, AllocationRecord] = {}
        with memray.FileReader(self._path) as reader:
            for record in reader.get_allocation_records():
                if record.size:
                    live[record.address] = record
                else:  # it was freed
                    live.pop(record.address, None)
            for address, record in live.items():
                yield address, tuple((file, line) for _, file, line in record.stack_trace())
        with contextlib.suppress(OSError):
            os.remove(self._path)


Graph = Mapping[int, Sequence[int]]


def components(graph: Graph) -> Iterator[List[int]]:
    """The parts, each node in one of them (Kosaraju: backwards, in the order of leaving)."""
    backwards: Dict[int, List[int]] = {node: [] for node in graph}
    for node, following in graph.items():
        for other in following:
            backwards[other].append(node)
    visited: Set[int] = set()
    for node in reversed(_leaving_order(graph)):
        if node not in visited:
            yield list(_walk(node, backwards, visited))


def _leaving_order(graph: Graph) -> List[int]:
    """The nodes in the order in which a walk in depth leaves them."""
    visited: Set[int] = set()
    return [node for root in graph if root not in visited for node in _walk(root, graph, visited)]


def _walk(root: int, graph: Graph, visited: Set[int]) -> Iterator[int]:
    """The nodes that are reached from a root and were not visited, as the walk leaves them."""
    visited.add(root)
    path = [(root, iter(graph[root]))]
    while path:
        node, following = path[-1]
        other = next((each for each in following if each not in visited), None)
        if other is None:
            path.pop()
            yield node
        else:
            visited.add(other)
            path.append((other, iter(graph[other])))


MOST = 50_000  # objects that wait; where there are more, nothing is said
LARGE = 0.5  # of the bytes of the largest: another kind of cycle that keeps as much is in the way

Place = Dict[str, object]
StackOf = Callable[[object], Stack]


class CycleKind(NamedTuple):
    """Reference cycles of one kind: the types on them and the names by which these lead to each
    other; the bytes that they keep, and the lines that allocated their objects, each with its
    callers, the innermost first.
    """

    types: FrozenSet[str]
    names: FrozenSet[str]
    size: int = 0
    stacks: Tuple[Stack, ...] = ()

    @property
    def mark(self) -> Tuple[FrozenSet[str], FrozenSet[str]]:
        """The types and names, which are the same in each cycle of the kind."""
        return self.types, self.names


class LayerCycles(BareCycles):
    """Cycles of an environment without so many of its outermost wrappers."""

    def __init__(
        self, build: Callable[[], object], seed: int, report: Report, without: int
    ) -> None:
        super().__init__(build, seed, report)
        self.without = without
        self.outer: object = None

    def make(self) -> Tuple[object, object]:
        """The layer, and the actions for it. The wrappers around it live on until it is closed."""
        self.outer, actions = super().make()
        return layers_of(self.outer)[self.without], actions

    def close(self, environment: object) -> None:
        """Close the layer, and let go of what is around it."""
        super().close(environment)
        self.outer = None


def origin(
    build: Callable[[], object], kinds: List[type], seed: int, size: Size, home: str
) -> Dict[str, object]:
    """The line of the layer whose code makes the cycles that keep most (`origin`), or that the
    evidence does not agree (`ambiguous`); nothing where a layer could not be played alone. `kinds`
    are the classes of the layers, the outermost first; memray writes into the folder `home`.
    """
    all_layers = _most(_cycle_kinds(build, seed, size, 0, home))
    if all_layers is None:
        return {}
    first = 0
    for without in range(len(kinds) - 1, 0, -1):
        inner = _cycle_kinds(build, seed, size, without, home)
        if inner is None:
            return {}
        if any(kind.mark == all_layers.mark for kind in inner):
            first = without
            break
    place = _proved(all_layers, kinds, first)
    return {"origin": place} if place else {"ambiguous": True}


def _cycle_kinds(
    build: Callable[[], object], seed: int, size: Size, without: int, home: str
) -> Optional[List[CycleKind]]:
    """The kinds of cycles that a layer leaves; None where it could not be played without what is
    around it.
    """
    layers = LayerCycles(build, seed, _unreported, without)
    layers.run(size)  # what is made once is made now
    kinds: List[CycleKind] = []

    allocated = AllocationStacks(home)

    def run() -> int:
        with allocated.recorded():
            layers.run(size)
        return 1

    look_at_garbage(run, lambda objects: kinds.extend(cycle_kinds(objects, allocated.of)))
    went_well = not any(layers.tally[RAISED:]) and layers.tally[STEPS]
    return kinds if went_well else None


def _unreported(_operation: str, _error: BaseException, _moment: object) -> None:
    """An error in a control is not reported."""


def _most(kinds: Optional[List[CycleKind]]) -> Optional[CycleKind]:
    """The kind that keeps most, where no other one keeps about as much."""
    ordered = sorted(kinds or (), key=lambda kind: -kind.size)
    if not ordered or any(kind.size > LARGE * ordered[0].size for kind in ordered[1:]):
        return None
    return ordered[0]


def _proved(cycle: CycleKind, kinds: List[type], without: int) -> Optional[Place]:
    """The layer with which the cycles begin to come, where the lines that allocated their objects
    are its own, or its code uses the names on them; no layer's below it does.
    """
    own, inner = kinds[without], kinds[without + 1 :]
    places = [_place_in_layers(stack, kinds) for stack in cycle.stacks]
    by_lines = [place for place in places if place is not None]
    if by_lines and all(kind is own for kind, _ in by_lines):
        return by_lines[0][1]
    if any(names_used(kind) & cycle.names for kind in inner):
        return None
    return next(_lines_with(own, cycle.names), None)


def _place_in_layers(stack: Stack, kinds: List[type]) -> Optional[Tuple[type, Place]]:
    """The innermost line of a stack that is in the code of one layer's class."""
    for file, line in stack:
        owners = [
            (kind, name)
            for at, kind in enumerate(kinds)
            for name, code in codes_of(kind, kinds[at + 1 :])
            if code.co_filename == file and code.co_firstlineno <= line <= last_line(code)
        ]
        if len({kind for kind, _ in owners}) == 1:
            kind, name = owners[0]
            return kind, {"file": file, "line": line, "function": name}
    return None


def names_used(kind: type) -> FrozenSet[str]:
    """The attributes and the constant texts in the code of a class."""
    return frozenset(
        word
        for _, code in codes_of(kind, [])
        for word in (*code.co_names, *code.co_consts)
        if isinstance(word, str)
    )


def _lines_with(kind: type, names: FrozenSet[str]) -> Iterator[Place]:
    """The lines of a class whose code stores under one of the names."""
    for name, code in codes_of(kind, []):
        line = code.co_firstlineno
        starts = dict(dis.findlinestarts(code))
        before = None
        for instruction in dis.get_instructions(code):
            line = starts.get(instruction.offset) or line
            by_key = instruction.opname == "STORE_SUBSCR" and before in names
            if by_key or (instruction.opname == "STORE_ATTR" and instruction.argval in names):
                yield {"file": code.co_filename, "line": line, "function": name}
            if instruction.opname not in ("CACHE", "EXTENDED_ARG"):
                before = instruction.argval if isinstance(instruction.argval, str) else None


def cycle_kinds(objects: List[object], stack_of: StackOf) -> List[CycleKind]:
    """The reference cycles among objects that wait, by kind."""
    if len(objects) > MOST:
        return []
    by_id = {id(obj): obj for obj in objects}
    # Before anybody asks an object for its namespace, which Python makes then.
    referents = {address: gc.get_referents(obj) for address, obj in by_id.items()}
    held = {
        address: [id(each) for each in known if id(each) in by_id]
        for address, known in referents.items()
    }
    kinds: Dict[object, CycleKind] = {}
    for members in components(held):
        if len(members) == 1 and members[0] not in held[members[0]]:
            continue
        inside = set(members)
        kind = CycleKind(
            frozenset(type_name(type(by_id[address])) for address in members),
            frozenset(name for address in members for name in _names(by_id[address], inside)),
            _size(members, by_id, referents),
            tuple(filter(None, (stack_of(by_id[address]) for address in members))),
        )
        other = kinds.get(kind.mark)
        if other is not None:
            kind = kind._replace(size=kind.size + other.size, stacks=other.stacks or kind.stacks)
        kinds[kind.mark] = kind
    return list(kinds.values())


def _names(obj: object, inside: Container[int]) -> Iterator[str]:
    """The attributes and keys by which an object leads to others on its cycle."""
    space = obj if type(obj) is dict else own_namespace(obj)
    if type(space) is dict:
        for key, value in list(dict.items(space)):
            if type(key) is str and id(value) in inside:
                yield key


def _size(members: List[int], by_id: Dict[int, object], referents: Dict[int, List[object]]) -> int:
    """The bytes of all that a cycle keeps."""
    visited, waiting, size = set(members), list(members), 0
    while waiting:
        address = waiting.pop()
        size += sizeof(by_id[address])
        for each in referents[address]:
            if id(each) in visited:
                continue
            visited.add(id(each))
            if id(each) in by_id:
                waiting.append(id(each))
            elif not gc.is_tracked(each) and not isinstance(each, type):
                size += sizeof(each)
    return size


def sizeof(obj: object) -> int:
    """The bytes of one object; none where it does not say."""
    try:
        return sys.getsizeof(obj)
    except Exception:
        return 0
