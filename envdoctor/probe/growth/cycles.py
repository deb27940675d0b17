"""One cycle over and over, between two readings of the exact meters.

A cycle is what a training loop does to one instance: make, resets with steps, close, let go. Seeds
and actions are the same in every cycle, because a healthy environment reads exactly zero only where
nothing is left to chance.
"""

from __future__ import annotations

import gc
import random
import sys
import types
from array import array
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from envdoctor.probe import clock, environment_api, loaded
from envdoctor.probe.actions import Actions
from envdoctor.probe.growth import containers, elements, meters
from envdoctor.probe.growth.chains import OPEN
from envdoctor.probe.growth.containers import WatchedContainer
from envdoctor.probe.growth.meters import MeterReader
from envdoctor.probe.heartbeat import beat
from envdoctor.probe.system.deadline import Deadline, Stopwatch
from envdoctor.probe.wrappers import innermost, wrappers

CREATES, RESETS, STEPS, RENDERS, CLOSES = range(5)  # operations; their calls, in a tally
OPERATIONS = ("create", "reset", "step", "render", "close")
RAISED = len(OPERATIONS)  # places further on, a tally has the calls that raised
NAMES = (*("%ss" % name for name in OPERATIONS), *("%s_raised" % name for name in OPERATIONS))

FAILED = object()  # what a reset() that raised returned
MAX_REPORTED = 3  # errors of one operation that are reported with their frames

MAX_WARM = 3  # times as many cycles as were asked for, while modules are still being imported
# Seconds spent at most on calling everything often enough (meters.CALLS): what is too slow to be
# called so often then will not be later either.
HEATING = 2.5
STEPS_OF_HEATING = 16  # of each reset
CROWD = 7  # cycles after which threads get time to end
# Bytes that instances may pile up while the collector waits for the end of the block.
MAX_GARBAGE = 512 << 20
# Cycles that garbage waits for the collector in a block. Python's table of subclasses is made for
# as many as ever lived at once: BipedalWalker's reset() makes a class, and blocks that double took
# 20 bytes a reset as long as all their classes waited for the end.
PILE = 14


class Size(NamedTuple):
    """An amount of work: `times` cycles of so many resets, each with so many steps and renders."""

    times: int
    resets: int = 1
    steps: int = 20
    renders: int = 0


def size(argument: str) -> Size:
    """The size that a verb's argument gives: `7x3x20x1` is seven cycles of three resets, each
    with twenty steps and a render.
    """
    return Size(*[int(word) for word in argument.split("x")])


#: The operation that failed, its error, and the moment: episode of the instance, step of that.
Report = Callable[[str, BaseException, "array[int]"], None]
EPISODE, STEP = range(2)


class Cycles:
    """Runs cycles one by one and counts what was done in `tally`: an array, because ints above
    256 would be in the readings.
    """

    def __init__(self) -> None:
        self.tally = array("q", [0] * len(NAMES))

    def run(self, size: Size) -> None:
        """One cycle."""
        raise NotImplementedError

    def read_workers(self) -> List[Dict[str, object]]:
        """Read the worker processes, where the same ones serve every cycle."""
        return []

    def seconds(self, _size: Size) -> Dict[str, float]:
        """Seconds of each operation in the last cycle, where they are known."""
        return {}

    def count_elements(self) -> int:
        """The elements of the environment's containers; -1 where they are not counted."""
        return -1


class BareCycles(Cycles):
    """Instances without a manager, as the subject builds them: nothing of ours is around them.

    An error of the subject does not end the cycles: it is counted, the first ones are handed to
    `report`, what can be closed is closed, and the next cycle begins. A subject whose close()
    always raises is followed all the same. `module` is where the name of its class's module is
    noted: it is known from the first instance on, and for the next cycles of this process.
    """

    def __init__(
        self,
        build: Callable[[], object],
        seed: int,
        report: Report,
        module: Optional[List[str]] = None,
    ) -> None:
        super().__init__()
        self.module = module or [""]
        self.build = build
        self.seed = seed
        self.report = report
        self.last = array("d", [0.0] * len(NAMES))  # seconds of each operation in the last cycle
        self.moment = array("q", [0, 0])  # episode of this instance, step of this episode

    def run(self, size: Size) -> None:
        """One instance from make to its end."""
        began = clock.now()
        self.last[RESETS] = self.last[STEPS] = 0.0
        environment, actions = self.made()
        self.last[CREATES] = clock.now() - began
        if environment is not None:
            self.drive(environment, actions, size)
            self.close(environment)

    def made(self) -> Tuple[Any, Any]:
        """One instance, and the actions for it; (None, None) where the constructor raises."""
        try:
            return self.make()
        except BaseException as error:
            self.failed(CREATES, error)
            return None, None

    def make(self) -> Tuple[object, object]:
        """One instance, and the actions for it. Raises what the constructor raises."""
        self.moment[EPISODE] = self.moment[STEP] = 0
        seed_everything(self.seed)
        environment = self.build()
        beat()
        self.tally[CREATES] += 1
        if not self.module[0]:
            self.module[0] = type(innermost(environment)).__module__
        return environment, Actions(self.seed)

    def count_elements(self) -> int:
        """The elements of the containers of the modules that are the environment's own."""
        return elements.count(None, self.module[0]) if self.module[0] else -1

    def drive(self, environment: object, actions: Actions, size: Size) -> None:
        """Resets, with steps and renders after each; a new episode where one ended, unless an
        instance has only one.
        """
        once = environment_api.has_one_episode(environment)
        for index in range(min(size.resets, 1) if once else size.resets):
            began = clock.now()
            info = self.reset(environment, actions, None if index else self.seed)
            self.last[RESETS] += clock.now() - began
            if info is FAILED:
                continue
            began = clock.now()
            ended = False
            for _ in range(size.steps):
                if ended and once:
                    break
                if ended:
                    info = self.reset(environment, actions, None)
                    if info is FAILED:
                        break
                ended, info = self.step(environment, actions, info)
            self.last[STEPS] += clock.now() - began
            for _ in range(size.renders):
                self.render(environment)

    def reset(self, environment: object, actions: Actions, seed: Optional[int]) -> object:
        """Reset; returns info, or FAILED."""
        self.tally[RESETS] += 1
        self.moment[EPISODE] += 1
        self.moment[STEP] = 0
        try:
            observation, info = environment_api.reset(environment, seed, environment)
            actions.see(observation)
            actions.look_at(environment_api.action_space(environment))
        except BaseException as error:
            self.failed(RESETS, error)
            return FAILED
        return info

    def step(self, environment: object, actions: Actions, info: object) -> Tuple[bool, object]:
        """One step; returns (episode ended, info). One that raises ends the episode."""
        self.tally[STEPS] += 1
        self.moment[STEP] += 1
        try:
            return environment_api.step(environment, actions, info)
        except BaseException as error:
            self.failed(STEPS, error)
            return True, None

    def render(self, environment: Any) -> None:
        """Render once."""
        self.tally[RENDERS] += 1
        try:
            environment.render()
        except BaseException as error:
            self.failed(RENDERS, error)
        beat()

    def close(self, environment: object) -> None:
        """Close it, where it has a method for that."""
        if not callable(getattr(environment, "close", None)):
            return
        try:
            environment_api.close(environment)
        except BaseException as error:
            self.failed(CLOSES, error)
        beat()

    def seconds(self, size: Size) -> Dict[str, float]:
        """{"create_seconds", "reset_seconds", "step_seconds"} of one call of each."""
        calls = (1, max(1, size.resets), max(1, size.resets * size.steps))
        return {
            "%s_seconds" % OPERATIONS[operation]: self.last[operation] / calls[operation]
            for operation in (CREATES, RESETS, STEPS)
        }

    def failed(self, operation: int, error: BaseException) -> None:
        """Count an error of the subject, and report it if it is one of the first."""
        self.tally[RAISED + operation] += 1
        if self.tally[RAISED + operation] <= MAX_REPORTED:
            self.report(OPERATIONS[operation], error, self.moment)


class CallCycles(BareCycles):
    """Calls of a function, which a cycle has one of: what it makes is counted as created."""

    def count_elements(self) -> int:
        """The elements of the containers of the function's own modules."""
        return elements.count(None, self.module[0])

    def run(self, size: Size) -> None:  # noqa: ARG002
        """One call. What it returns is let go."""
        began = clock.now()
        self.tally[CREATES] += 1  # also one that raises: it is as much of a cycle
        seed_everything(self.seed)
        try:
            self.build()
        except BaseException as error:
            self.failed(CREATES, error)
        self.last[CREATES] = clock.now() - began


class OpenCycles(BareCycles):
    """Resets and steps of one bare instance that is there already. `root` is a module that no
    code imports and that holds the instance and its wrappers, so that a search for what keeps an
    object finds a way that begins at one of these. With `varies`, each cycle has a seed that no
    cycle of this process had before: a cache of the module has met the others.
    """

    _varied = array("q", [0])

    def __init__(
        self,
        build: Callable[[], object],
        seed: int,
        inner: Callable[[object], object],
        report: Report,
        module: Optional[List[str]] = None,
    ) -> None:
        super().__init__(build, seed, report, module)
        self.environment, _ = super().make()
        self.root: object = types.ModuleType(OPEN)
        layers = {type(layer).__name__: layer for layer in wrappers(self.environment)}
        layers["self"] = inner(self.environment)
        vars(self.root).update(layers)
        self.names = list(layers)
        self.varies = False
        self.tally[CREATES] = 0

    def layers(self) -> Dict[str, object]:
        """The instance as `self`, and its wrappers by the names of their classes."""
        return {name: vars(self.root)[name] for name in self.names}

    def make(self) -> Tuple[object, object]:
        """The instance, and actions that are the same in each cycle, unless it varies."""
        if self.varies:
            self._varied[0] += 1
            self.seed = self._varied[0]
        seed_everything(self.seed)
        return self.environment, Actions(self.seed)

    def count_elements(self) -> int:
        """Those of the instance and its wrappers, too."""
        return elements.count(self.root, self.module[0])

    def close(self, environment: object) -> None:
        """It stays open."""

    def end(self) -> None:
        """Close it, and let go of it."""
        environment, self.environment, self.root = self.environment, None, None
        super().close(environment)


def seed_everything(seed: int) -> None:
    """Seed what environments share in a process and draw from although they should not."""
    random.seed(seed)
    numpy = loaded.module("numpy")
    if numpy is not None:
        numpy.random.seed(seed)


def warm(cycles: Cycles, size: Size, budget: float) -> Dict[str, object]:
    """Whole cycles without readings, until no module is imported any more. What is taken once
    is taken now.
    """
    deadline, done, modules = Deadline(budget), 0, -1
    least: Dict[str, float] = {}  # of each operation: a spell of waiting is not what it costs
    while done < size.times or (len(sys.modules) != modules and done < MAX_WARM * size.times):
        modules, began = len(sys.modules), clock.now()
        cycles.run(size)
        took = {"cycle_seconds": clock.now() - began, **cycles.seconds(size)}
        least = {name: min(seconds, least.get(name, seconds)) for name, seconds in took.items()}
        done += 1
        if deadline.passed:
            break
    measured: Dict[str, object] = {"cycles": done, **least}
    measured.update(zip(NAMES, cycles.tally))
    if sys.version_info < (3, 11):
        _heat(cycles, size, deadline)
    return measured


def _heat(cycles: Cycles, size: Size, deadline: Deadline) -> None:
    """Let functions take what they take the 1024th time they are called, those of steps and
    resets first.
    """
    enough, resets = Deadline(HEATING), 1
    for _ in range(meters.CALLS):
        if enough.passed or deadline.passed:
            break
        # Twice as many each time: where one takes seconds, few are begun.
        is_long = resets < meters.CALLS // STEPS_OF_HEATING
        long = size._replace(resets=resets, steps=STEPS_OF_HEATING, renders=0)
        cycles.run(long if is_long else size)
        resets *= 2


def block(
    cycles: Cycles,
    size: Size,
    reader: MeterReader,
    budget: float,
    watched: Sequence[WatchedContainer] = (),
) -> Dict[str, object]:
    """A reading, the cycles, a reading. Ends early, after a whole cycle, when the time is over.

    With `watched` containers, "grew" says by how many elements each of them grew, and "sizes" by
    how many bytes, without its elements.

    The collector waits for the end of the block, so that what only it brings back is seen
    ("uncollected"; None when it ran before, because too much piled up or PILE cycles left garbage).
    """
    readings = _Readings(reader, budget)
    earlier = array("q", cycles.tally)  # of an instance that stays open
    cycles.read_workers()  # the first question is answered with what it takes to answer
    workers = cycles.read_workers()
    collecting = gc.isenabled()
    # Up to Python 3.10 a function keeps its first frame.
    _repeat(cycles, size._replace(times=0), readings)
    # The collector lets go of nested tuples one level at a time: the request's own would be in
    # "tracked".
    gc.collect()
    grown, sizes = [each.grown for each in watched], containers.sizes(watched)
    counted = cycles.count_elements()
    reader.read(readings.before)
    gc.disable()
    try:
        _repeat(cycles, size, readings)
        reader.read_as_it_is(readings.uncollected)
        readings.garbage[0] = gc.collect()
    finally:
        if collecting:
            gc.enable()
    reader.rest(readings.before, size.times)
    reader.read_again(readings.after)
    measured: Dict[str, object] = {
        name: done - before for name, done, before in zip(NAMES, cycles.tally, earlier)
    }
    measured.update(readings.values(counted, cycles.count_elements()))
    if watched:
        measured["grew"] = [each.grown - before for each, before in zip(watched, grown)]
        measured["sizes"] = [now - then for now, then in zip(containers.sizes(watched), sizes)]
    if workers:
        measured["workers"] = _paired(workers, cycles.read_workers())
    return measured


class _Readings:
    """The readings of a block. Room for all of them is there before the block begins."""

    def __init__(self, reader: MeterReader, budget: float) -> None:
        self.reader = reader
        self.before, self.uncollected, self.after = reader.blank(), reader.blank(), reader.blank()
        self.garbage = array("q", [0])
        self.waited = array("b", [1])  # whether the collector waited for the end
        self.seconds = array("d", [0.0])
        self.deadline = Deadline(budget)

    def values(self, *elements: int) -> Dict[str, object]:
        """As the journal has it, with the elements of containers before and after, if counted."""
        before, after = self.reader.values(self.before), self.reader.values(self.after)
        if min(elements) >= 0:
            before, after = (
                {**read, "elements": number} for read, number in zip((before, after), elements)
            )
        uncollected = {
            "before": before,
            "after": self.reader.values(self.uncollected),
            "garbage": self.garbage[0],
        }
        return {
            "seconds": self.seconds[0],
            "before": before,
            "after": after,
            "uncollected": uncollected if self.waited[0] else None,
        }


def _repeat(cycles: Cycles, size: Size, readings: _Readings) -> None:
    """The cycles themselves. All that is made in here is gone when it returns.

    Threads that were asked to stop get the time to do so every few cycles: a crowd of them would
    take memory that grows with the length of the block.
    """
    watch, room, piles = Stopwatch(), meters.resident() + MAX_GARBAGE, True
    for done in range(1, size.times + 1):
        cycles.run(size)
        if done % CROWD == 0 or done == size.times:
            readings.reader.rest(readings.before, done)
        if readings.deadline.passed:
            break
        if readings.waited[0] and meters.resident() > room:
            readings.waited[0] = 0
            gc.enable()
        if piles and done % PILE == 0 and done < size.times:
            piles = gc.collect() > 0
            readings.waited[0] &= not piles
    readings.seconds[0] = watch.seconds()


def _paired(
    before: List[Dict[str, object]], after: List[Dict[str, object]]
) -> List[Dict[str, object]]:
    """The two readings of each worker, by process id; a worker that the manager replaced in
    between has none.
    """
    later = {reading.pop("pid"): reading for reading in after}
    return [
        {"pid": pid, "before": reading, "after": later[pid]}
        for reading in before
        for pid in [reading.pop("pid")]
        if pid in later
    ]
