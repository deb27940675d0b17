"""Lines that allocate what stays: memray, where the target has it. It names, and never decides."""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import re
import sys
from collections import Counter, defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.probe.growth.chains import type_name
from envdoctor.probe.growth.cycles import BareCycles, Size
from envdoctor.probe.growth.settle import settle
from envdoctor.probe.ownership import Ownership, is_ours
from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from types import ModuleType

    from memray import AllocationRecord, Tracker


MAX_RECORDS = 20
MAX_FRAMES = 20
MAX_LINES = 5  # that make garbage
# Of the cycles that an allocation must have survived: some cycles share one, a list grows by leaps.
SHARE = 0.9
# Of the time, where allocations are recorded one by one: reading them takes three times as long.
RECORDING = 0.2
LONGER = 8  # bytes an operation: the least that a list of known objects gets longer by
LIFETIMES = (3, 13, 3)  # the first Python that tells memray which objects end

_INTERPRETER_FILE = re.compile(
    r"(^|/)(Python|Objects|Modules|Parser|Programs|Include)/([\w.-]+/)*\w+\.[ch]$"
)
_INTERPRETER_FUNCTION = re.compile(
    r"^_?Py[A-Z_]|^(cfunction|method|slot|type|vectorcall|wrapper)_|^(vectorcall|trace)_call"
)
# Code without symbols, and the way from ctypes to it.
_NAMELESS = re.compile(r"^(<unknown>|ffi_call.*)$")


class TracingRequest(NamedTuple):
    """The recording that is asked for: so many times an operation ("create", "reset" or "step"),
    each reset with so many steps; with the frames of native code; aggregated (small, but lost with
    the process) or one by one; the folder that keeps the file, if any; `rate` is how often a call
    leaks, 1.0 for each.
    """

    times: int = 101
    steps: Optional[int] = None
    operation: str = "create"
    native: bool = False
    aggregated: bool = True
    folder: str = ""
    name: str = "environment"
    rate: float = 1.0


class AllocationPlace(NamedTuple):
    """A line of a stack as the journal has it (`model.errors.Frame`)."""

    file: str
    line: int
    function: str


@dataclass(frozen=True)
class Allocated:
    """The memory that one stack allocated and never gave back, as the journal has it
    (`model.facts.growth.AllocationRecord`); `user` is the index of the user's innermost frame.
    """

    count: int
    bytes: int
    per_cycle: float
    allocator: str
    frames: List[AllocationPlace]
    user: Optional[int]

    def as_dict(self) -> Dict[str, object]:
        """For the journal."""
        return dict(vars(self), frames=[frame._asdict() for frame in self.frames])


def allocations(
    cycles: BareCycles, request: TracingRequest, budget: float, home: str, ownership: Ownership
) -> Dict[str, object]:
    """The fact `allocations` (see model.events), or {"missing": reason}."""
    try:
        memray = importlib.import_module("memray")
    except ImportError as error:
        return {"missing": "memray is not usable in %s (%s)" % (sys.executable, error)}
    path = os.path.join(home, "memray.bin")
    try:
        done, survivors = _record(memray, cycles, request, budget, path)
        records = _records(memray, path, done, request, ownership) if done else []
        kept = _keep(path, request) if request.folder else {}
    finally:
        with contextlib.suppress(OSError):
            os.remove(path)
    fact = {
        "cycles": done,
        "operation": request.operation,
        "native": request.native,
        "mode": "aggregated" if request.aggregated else "all",
    }
    fact.update(records=[record.as_dict() for record in records], **kept)
    if survivors is not None:
        fact["surviving"] = survivors
    return fact


def _keep(path: str, request: TracingRequest) -> Dict[str, object]:
    """Copy a recording to the user's folder, and say where it is, or why it is not there: memray
    itself leaves half a file on a full disk, and says nothing.
    """
    import shutil

    words = [request.name, request.operation] + (["native"] if request.native else [])
    name = re.sub(r"[^\w.-]+", "-", "-".join(words)).strip("-.") + ".bin"
    file = os.path.join(request.folder, name)
    try:
        os.makedirs(request.folder, exist_ok=True)
        shutil.copyfile(path, file)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.remove(file)
        return {"file": None, "unsaved": error.strerror or str(error)}
    return {"file": file}


def _record(
    memray: ModuleType, cycles: BareCycles, request: TracingRequest, budget: float, path: str
) -> Tuple[int, Optional[List[Dict[str, object]]]]:
    """Record; return the number of operations, and the objects that survived them by type, where
    Python can list them.
    """
    operation = _OPERATIONS[request.operation](cycles, request)
    operation.begin()
    settle()
    tracker = _tracker(memray, request, path)
    deadline, done = Deadline(budget if request.aggregated else budget * RECORDING), 0
    with tracker:
        while done < request.times:
            operation.operate()
            done += 1
            if deadline.passed:
                break
        settle()
    survivors = _survivors(tracker, done * request.rate) if follows_lifetimes() else None
    operation.end()
    return done, survivors


def _tracker(memray: ModuleType, request: TracingRequest, path: str) -> Any:
    formats = memray.FileFormat
    aggregated = request.aggregated
    options = {
        "destination": memray.FileDestination(path, overwrite=True),
        "native_traces": request.native,
        "trace_python_allocators": True,  # else small objects are not seen
        "file_format": formats.AGGREGATED_ALLOCATIONS if aggregated else formats.ALL_ALLOCATIONS,
    }
    if follows_lifetimes():
        options["track_object_lifetimes"] = True
    return memray.Tracker(**options)


def follows_lifetimes() -> bool:
    """Return whether this Python can tell which objects outlive the recording."""
    return sys.version_info >= LIFETIMES


def _survivors(tracker: Tracker, expected: float) -> List[Dict[str, object]]:
    """Survivors by type. The answer keeps all of them alive, so it is gone before this returns."""
    counts = Counter(map(type, tracker.get_surviving_objects()))
    wanted = [(kind, count) for kind, count in counts.most_common() if count >= SHARE * expected]
    return [{"type": type_name(kind), "count": count} for kind, count in wanted[:MAX_RECORDS]]


class _Create:
    """A whole cycle at a time."""

    def __init__(self, cycles: BareCycles, request: TracingRequest) -> None:
        self.cycles = cycles
        self.size = Size(1) if request.steps is None else Size(1, 1, request.steps)

    def begin(self) -> None:
        """Prepare the recording: operate once, for what is imported and kept the first time."""
        self.operate()

    def operate(self) -> None:
        """Run the operation that is recorded, once."""
        self.cycles.run(self.size)

    def end(self) -> None:
        """Clean up after the recording."""


class _Reset(_Create):
    """One instance, reset again and again."""

    def __init__(self, cycles: BareCycles, request: TracingRequest) -> None:
        super().__init__(cycles, request)
        self.size = Size(1, 1, request.steps or 0)
        self.environment: object = None
        self.actions: Any = None

    def begin(self) -> None:
        self.environment, self.actions = self.cycles.make()
        self.cycles.drive(self.environment, self.actions, Size(1, 1, 1))

    def operate(self) -> None:
        self.cycles.drive(self.environment, self.actions, self.size)

    def end(self) -> None:
        self.cycles.close(self.environment)
        self.environment = self.actions = None


class _Step(_Reset):
    """One instance, stepped again and again; a new episode where one ended."""

    ended, info = False, None

    def operate(self) -> None:
        if self.ended:
            self.info = self.cycles.reset(self.environment, self.actions, None)
        self.ended, self.info = self.cycles.step(self.environment, self.actions, self.info)


_OPERATIONS = {"create": _Create, "reset": _Reset, "step": _Step}


def _records(
    memray: ModuleType, path: str, done: int, request: TracingRequest, ownership: Ownership
) -> List[Allocated]:
    """The allocations of all but a few operations that were never given back, the most bytes first;
    and what only got longer, where it is the user's line that makes it so: that is one allocation,
    however often it was made anew.
    """
    often = SHARE * done * request.rate
    with memray.FileReader(path) as reader:
        leaked = [
            record
            for record in reader.get_leaked_allocation_records(merge_threads=True)
            if record.n_allocations >= often or record.size >= LONGER * done
        ]
        allocated = [_value(memray, record, done, request.native, ownership) for record in leaked]
    longer = [
        record for record in allocated if record.allocator.endswith("REALLOC") and record.user == 0
    ]
    kept = [
        record
        for record in allocated
        if record.frames and (record.count >= often or record in longer)
    ]
    return sorted(kept, key=attrgetter("bytes"), reverse=True)[:MAX_RECORDS]


def _value(
    memray: ModuleType, record: AllocationRecord, done: int, native: bool, ownership: Ownership
) -> Allocated:
    stack = _without_ours(record.stack_trace())
    compiled = _native_frames(record) if native and stack else []
    frames = [
        AllocationPlace(file, line, function)
        for function, file, line in (compiled + stack)[:MAX_FRAMES]
    ]
    users = [
        at
        for at, frame in enumerate(frames)
        if (at >= len(compiled) or _is_here(frame.file)) and ownership.is_users(frame.file)
    ]
    return Allocated(
        record.n_allocations,
        record.size,
        record.n_allocations / done,
        memray.AllocatorType(record.allocator).name,
        frames,
        users[0] if users else None,
    )


def _without_ours(stack: Sequence[Tuple[str, str, int]]) -> List[Tuple[str, str, int]]:
    """The frames, innermost first, up to where the probe called; nothing when it is the probe that
    allocated, or the space that the probe draws from.
    """
    ours = [index for index, (_, file, _) in enumerate(stack) if is_ours(file)]
    if not ours:
        return list(stack)
    return [] if stack[ours[0]][1].endswith("actions.py") else list(stack[: ours[0]])


def _is_here(file: str) -> bool:
    """Return whether a source of native code belongs to a user of this machine: debug information
    names the files of the machine that compiled it, and headers of the system.
    """
    return os.path.isabs(file) and not file.startswith("/usr/") and os.path.exists(file)


def _native_frames(record: AllocationRecord) -> List[Tuple[str, str, int]]:
    """The frames of native code below the innermost line of Python, without the interpreter's
    own.
    """
    frames = []
    for frame in record.native_stack_trace(MAX_FRAMES):
        function, file, _ = frame
        if _INTERPRETER_FILE.search(file) or _INTERPRETER_FUNCTION.search(function):
            break
        frames.append(frame)
    return [frame for frame in frames if not _NAMELESS.match(frame[0])]


def lines_of_garbage(
    run: Callable[[], object], is_own: Callable[[str], bool], home: str
) -> List[Dict[str, object]]:
    """[{file, line, count, bytes}] of the innermost own lines that allocated what waits for the
    collector after `run`, the most bytes first: what is there then, without what is still there
    once it has run. Empty where the target has no memray.
    """
    try:
        memray = importlib.import_module("memray")
    except ImportError:
        return []
    path = os.path.join(home, "garbage.bin")
    collecting = gc.isenabled()
    gc.disable()
    try:
        there = _left_by_line(memray, [run], path, is_own)
        kept = _left_by_line(memray, [run, gc.collect], path, is_own)
    finally:
        if collecting:
            gc.enable()
        with contextlib.suppress(OSError):
            os.remove(path)
    waits = {
        place: (count - kept[place][0], size - kept[place][1])
        for place, (count, size) in there.items()
    }
    ordered = sorted(waits.items(), key=lambda item: (-item[1][1], item[0]))
    return [
        {"file": file, "line": line, "count": count, "bytes": size}
        for (file, line), (count, size) in ordered[:MAX_LINES]
        if count > 0 and size > 0
    ]


def _left_by_line(
    memray: ModuleType,
    calls: Sequence[Callable[[], object]],
    path: str,
    is_own: Callable[[str], bool],
) -> Dict[Tuple[str, int], Tuple[int, int]]:
    """{own line: (allocations, bytes)} of what is there after these calls and was not before."""
    settle()
    with _tracker(memray, TracingRequest(), path):
        for call in calls:
            call()
    left: Dict[Tuple[str, int], Tuple[int, int]] = defaultdict(lambda: (0, 0))
    with memray.FileReader(path) as reader:
        for record in reader.get_leaked_allocation_records(merge_threads=True):
            frames = ((file, line) for _, file, line in _without_ours(record.stack_trace()))
            place = next((frame for frame in frames if is_own(frame[0])), None)
            if place is not None:
                count, size = left[place]
                left[place] = (count + record.n_allocations, size + record.size)
    settle()
    return left
