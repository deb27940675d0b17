"""How a training stands, as values: what a live view shows, of one that runs or of a saved one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from envdoctor.analysis.training_growth import GROWS, growths, held
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training import Instances, Process, Training
from envdoctor.model.training_calls import LONG, SLOW, STILL, LongCall
from envdoctor.model.units import duration
from envdoctor.rules.evidence.stacks import own_frame
from envdoctor.rules.evidence.training import of
from envdoctor.rules.evidence.training_deaths import deaths
from envdoctor.rules.evidence.training_growth import rate

CURVE = 16  # readings of RSS that are shown
MOST = 3  # remarks on the one line of a log


@dataclass(frozen=True)
class Row:
    """One process in which environments were made or called. `now` is the call that it is in, or
    how it ended.
    """

    pid: int
    role: str
    class_name: str
    resets: int
    steps: int
    pace: float
    rss: int
    grows: str
    now: str


@dataclass(frozen=True)
class Trainer:
    """The process of the command: bytes of RSS now and before, and what it holds."""

    pid: int
    rss: int
    curve: tuple[int, ...]
    descriptors: int | None
    threads: int | None


@dataclass(frozen=True)
class Standing:
    """A training at one moment. Of the instances `made`, some are `open`, and some were `dropped`:
    freed without a close(). Of the `workers`, in which there are instances, some are `running`.
    `remarks` are sentences on what needs a look.
    """

    title: str
    seconds: float
    made: int = 0
    open: int = 0
    dropped: int = 0
    resets: int = 0
    steps: int = 0
    pace: float = 0.0
    workers: int = 0
    running: int = 0
    attached: bool = False
    trainer: Trainer | None = None
    rows: tuple[Row, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """All of it on one line, for a log."""
        if self.attached:
            number = of(len(self.rows), "process", "processes")
            return f"{duration(self.seconds)}: {number} seen from outside"
        counts = (
            of(self.steps, "step"),
            of(self.resets, "reset"),
            f"{of(self.made, 'instance')} made",
        )
        more = len(self.remarks) - MOST
        return "; ".join(
            (
                f"{duration(self.seconds)}: {', '.join(counts)}",
                *self.remarks[:MOST],
                *([f"and {of(more, 'more remark')}"] if more > 0 else ()),
            )
        )


def standing(seen: Training, rss: Callable[[int], int], earlier: Standing | None) -> Standing:
    """How it stands; what it did since `earlier` is its pace, or else since it began."""
    steps = seen.total("step")
    since = earlier if earlier is not None and earlier.seconds < seen.seconds else None
    made, dropped = (sum(one.made for one in seen.born), sum(one.dropped for one in seen.born))
    workers = _workers(seen)
    return Standing(
        title=" ".join([os.path.basename(seen.command[0]), *seen.command[1:]]),
        seconds=seen.seconds,
        made=made,
        open=sum(one.unclosed for one in seen.born) - dropped,
        dropped=dropped,
        resets=seen.total("reset"),
        steps=steps,
        pace=_pace(steps, since.steps if since else 0, seen.seconds, since),
        workers=len(workers),
        running=sum(one.ended is None for one in workers),
        attached=seen.attached,
        trainer=_trainer(seen, rss),
        rows=tuple(_rows(seen, rss, since)),
        remarks=tuple(_remarks(seen)),
    )


def _workers(seen: Training) -> list[Process]:
    own = {one.pid for one in seen.instances if one.is_used}
    found = (seen.process(pid) for pid in sorted(own - {seen.pid}))  # once, also after an exec
    return [one for one in found if one is not None]


def _trainer(seen: Training, rss: Callable[[int], int]) -> Trainer | None:
    readings = next((one.readings for one in seen.series if one.pid == seen.pid), ())
    if not readings:
        return None
    last = readings[-1]
    every = -(-len(readings) // CURVE)
    curve = tuple(one.rss for one in readings[::every])
    return Trainer(seen.pid, rss(seen.pid) or last.rss, curve, last.descriptors, last.threads)


def _pace(steps: int, before: int, seconds: float, since: Standing | None) -> float:
    passed = seconds - (since.seconds if since else 0.0)
    return (steps - before) / passed if passed > 0 else 0.0


def _rows(seen: Training, rss: Callable[[int], int], since: Standing | None) -> Iterable[Row]:
    if seen.attached:
        yield from _rows_outside(seen, rss)
    before = {row.pid: row.steps for row in since.rows} if since else {}
    for pid in dict.fromkeys([seen.pid, *(one.pid for one in seen.instances)]):
        own = [one for one in seen.instances if one.pid == pid]
        used = [one for one in own if one.is_used]
        process = seen.process(pid)
        if not used or (pid == seen.pid and not any(each.is_called for each in used)):
            continue
        steps = sum(one.step.ended for one in used)
        yield Row(
            pid,
            "trainer" if pid == seen.pid else process.started if process else "",
            ", ".join(dict.fromkeys(one.class_name for one in used)),
            sum(one.reset.ended for one in used),
            steps,
            _pace(steps, before.get(pid, 0), seen.seconds, since),
            rss(pid),
            _grows(seen, pid),
            _now(used, process, [one for one in seen.long_calls if one.pid == pid]),
        )


def _rows_outside(seen: Training, rss: Callable[[int], int]) -> Iterable[Row]:
    """Of processes that were only looked at from outside."""
    still = {one.pid: one.seconds for one in seen.still}
    for one in seen.processes:
        role = "trainer" if one.pid == seen.pid else "child"
        now = f"still for {duration(still[one.pid])}" if one.pid in still else ""
        now = "ended" if one.ended is not None else now
        grows = _grows(seen, one.pid)
        yield Row(one.pid, role, "", 0, 0, 0.0, rss(one.pid), grows, now)


def _grows(seen: Training, pid: int) -> str:
    series = [one for one in seen.series if one.pid == pid]
    known = [each for one in series for each in growths(one.readings, seen.attached)]
    found = [one for one in known if one.verdict == GROWS]
    return "; ".join(f"{one.meter} {rate(one.rate, one.per)}" for one in found)


def _now(own: Sequence[Instances], process: Process | None, long: Sequence[LongCall]) -> str:
    if process is not None and process.ended is not None:
        return "ended" if not process.code else f"ended with {process.code}"
    running = next((one.running for one in own if one.running), "")
    waited = max((one.seconds for one in long if one.method == running), default=0.0)
    since = f" {duration(waited)}" if waited >= LONG else ""
    return f"{running}(){since}" if running else ""


def _remarks(seen: Training) -> Iterable[str]:
    for call in seen.long_calls:
        if call.still >= STILL or call.seconds >= SLOW:
            yield _long(seen, call)
    for death in deaths(seen):
        yield f"pid {death.process.pid} {death.sentence}"
    for one in seen.series:
        for kept in held(one, seen.attached):
            yield f"pid {one.pid}: {kept.chain} gets longer: {kept.length:,} elements"
    for silent in seen.silent:
        yield f"pid {silent.pid} is not followed: {silent.reason}"


def _long(seen: Training, call: LongCall) -> str:
    own = (one for one in seen.instances if (one.pid, one.row) == (call.pid, call.row))
    name = next((f" of {one.class_name}" for one in own), "")
    how = f"nothing ran for {duration(call.still)}" if call.still >= STILL else "it runs"
    where = own_frame(call.stacks, call.method)
    at = f", at {os.path.basename(where.file)}:{where.line} in {where.function}()" if where else ""
    waits = ""
    if call.waiter:
        waits = "; the trainer waits" if call.waiter == seen.pid else f"; pid {call.waiter} waits"
    span = duration(call.seconds)
    return f"pid {call.pid} has been in {call.method}(){name} for {span}: {how}{at}{waits}"
