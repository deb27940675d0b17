"""The state of a training, as values: what a live view shows of it, now or from a saved run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence

from envdoctor.analysis.training_growth import GROWS, growths, held
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_calls import LONG, SLOW, STILL, LongCall
from envdoctor.model.training_instances import Instances
from envdoctor.model.units import duration
from envdoctor.rules.evidence.stacks import own_frame
from envdoctor.rules.evidence.training import of
from envdoctor.rules.evidence.training_deaths import deaths
from envdoctor.rules.evidence.training_growth import rate

CURVE = 16  # readings of RSS that are shown
MOST = 3  # remarks on the one line of a log
#: Kinds of remarks.
LONG_CALL, DEATH, CONTAINER, NOT_FOLLOWED = "long-call", "death", "container", "not-followed"


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
class Remark:
    """A sentence on what needs a look: of which `kind`, and in which process."""

    kind: str
    pid: int
    text: str


@dataclass(frozen=True)
class TrainingStanding:
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


def standing(
    training: Training, rss: Callable[[int], int], earlier: TrainingStanding | None
) -> TrainingStanding:
    """Return its state; what it did since `earlier` is its pace, or else since it began."""
    steps = training.total("step")
    since = earlier if earlier is not None and earlier.seconds < training.seconds else None
    made, dropped = (
        sum(instances.made for instances in training.created_here),
        sum(instances.dropped for instances in training.created_here),
    )
    workers = _workers(training)
    return TrainingStanding(
        title=" ".join([os.path.basename(training.command[0]), *training.command[1:]]),
        seconds=training.seconds,
        made=made,
        open=sum(instances.unclosed for instances in training.created_here) - dropped,
        dropped=dropped,
        resets=training.total("reset"),
        steps=steps,
        pace=_pace(steps, since.steps if since else 0, training.seconds, since),
        workers=len(workers),
        running=sum(worker.ended is None for worker in workers),
        attached=training.attached,
        trainer=_trainer(training, rss),
        rows=tuple(_rows(training, rss, since)),
        remarks=tuple(each.text for each in remarks(training)),
    )


def _workers(training: Training) -> list[TrainingProcess]:
    own = {instance.pid for instance in training.instances if instance.is_used}
    processes = (
        training.process(pid) for pid in sorted(own - {training.pid})
    )  # once, also after an exec
    return [process for process in processes if process is not None]


def _trainer(training: Training, rss: Callable[[int], int]) -> Trainer | None:
    readings = next(
        (series.readings for series in training.series if series.pid == training.pid), ()
    )
    if not readings:
        return None
    last = readings[-1]
    every = -(-len(readings) // CURVE)
    curve = tuple(reading.rss for reading in readings[::every])
    return Trainer(
        training.pid, rss(training.pid) or last.rss, curve, last.descriptors, last.threads
    )


def _pace(steps: int, before: int, seconds: float, since: TrainingStanding | None) -> float:
    passed = seconds - (since.seconds if since else 0.0)
    return (steps - before) / passed if passed > 0 else 0.0


def _rows(
    training: Training, rss: Callable[[int], int], since: TrainingStanding | None
) -> Iterable[Row]:
    if training.attached:
        yield from _rows_outside(training, rss)
    before = {row.pid: row.steps for row in since.rows} if since else {}
    for pid in dict.fromkeys([training.pid, *(instance.pid for instance in training.instances)]):
        own = [instance for instance in training.instances if instance.pid == pid]
        used = [instances for instances in own if instances.is_used]
        process = training.process(pid)
        if not used or (pid == training.pid and not any(each.is_called for each in used)):
            continue
        steps = sum(instances.step.ended for instances in used)
        yield Row(
            pid,
            "trainer" if pid == training.pid else process.started if process else "",
            ", ".join(dict.fromkeys(instances.class_name for instances in used)),
            sum(instances.reset.ended for instances in used),
            steps,
            _pace(steps, before.get(pid, 0), training.seconds, since),
            rss(pid),
            _grows(training, pid),
            _now(
                used,
                process,
                [long_call for long_call in training.long_calls if long_call.pid == pid],
            ),
        )


def _rows_outside(training: Training, rss: Callable[[int], int]) -> Iterable[Row]:
    """Of processes that were only looked at from outside."""
    still = {still.pid: still.seconds for still in training.still}
    for process in training.processes:
        role = "trainer" if process.pid == training.pid else "child"
        now = f"still for {duration(still[process.pid])}" if process.pid in still else ""
        now = "ended" if process.ended is not None else now
        grows = _grows(training, process.pid)
        yield Row(process.pid, role, "", 0, 0, 0.0, rss(process.pid), grows, now)


def _grows(training: Training, pid: int) -> str:
    series = [series for series in training.series if series.pid == pid]
    known = [each for series in series for each in growths(series.readings, training.attached)]
    result = [growth for growth in known if growth.verdict == GROWS]
    return "; ".join(f"{growth.meter} {rate(growth.rate, growth.per)}" for growth in result)


def _now(
    own: Sequence[Instances], process: TrainingProcess | None, long: Sequence[LongCall]
) -> str:
    if process is not None and process.ended is not None:
        return "ended" if not process.code else f"ended with {process.code}"
    running = next((instances.running for instances in own if instances.running), "")
    waited = max(
        (long_call.seconds for long_call in long if long_call.method == running), default=0.0
    )
    since = f" {duration(waited)}" if waited >= LONG else ""
    return f"{running}(){since}" if running else ""


def remarks(training: Training) -> Iterable[Remark]:
    """Return what needs a look."""
    for call in training.long_calls:
        if call.still >= STILL or call.seconds >= SLOW:
            yield Remark(LONG_CALL, call.pid, _long(training, call))
    for death in deaths(training):
        pid = death.process.pid
        yield Remark(DEATH, pid, f"pid {pid} {death.sentence}")
    for series in training.series:
        for kept in held(series, training.attached):
            text = f"pid {series.pid}: {kept.chain} gets longer: {kept.length:,} elements"
            yield Remark(CONTAINER, series.pid, text)
    for silent in training.silent:
        text = f"pid {silent.pid} is not followed: {silent.reason}"
        yield Remark(NOT_FOLLOWED, silent.pid, text)


def _long(training: Training, call: LongCall) -> str:
    own = (
        instance
        for instance in training.instances
        if (instance.pid, instance.row) == (call.pid, call.row)
    )
    name = next((f" of {instances.class_name}" for instances in own), "")
    how = f"nothing ran for {duration(call.still)}" if call.still >= STILL else "it runs"
    where = own_frame(call.stacks, call.method)
    at = f", at {os.path.basename(where.file)}:{where.line} in {where.function}()" if where else ""
    waits = ""
    if call.waiter:
        waits = (
            "; the trainer waits" if call.waiter == training.pid else f"; pid {call.waiter} waits"
        )
    span = duration(call.seconds)
    return f"pid {call.pid} has been in {call.method}(){name} for {span}: {how}{at}{waits}"
