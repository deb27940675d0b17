"""The timeline of a scenario: processes, and the instances in them, from the journal. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import one_line
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import (
    InstanceRecord,
    ReadingRecord,
    VerbRecord,
    WorkerExitRecord,
    WorkersRecord,
)
from envdoctor.model.trace import FINISHED, TIMED_OUT, Trace

PROBE, WORKER, CHILD = "probe", "worker", "child"

# What ends an instance, the first that is known.
ENDS = ("finalized", "make-raised")

# How a process went, as far as that is known.
OUTLIVED = "outlived"  # it was there when all had to be gone
THERE = "there"  # it was there when the scenario ended, as it may be
UNSEEN = "unseen"  # its end was not seen
ENDED = "ended"  # the doctor ended it with all the rest, when a verb had passed its deadline


@dataclass(frozen=True)
class TimelineSpan:
    """From `began` to `ended` (seconds since the scenario began), None where it did not end.
    `error` is one line or nothing.
    """

    name: str
    began: float
    ended: float | None = None
    error: str = ""


@dataclass(frozen=True)
class InstanceSpan:
    """One instance: made, reset at these times, its closings, gone at `ended`, at the latest with
    its process. A `kept` one was still there when the scenario had come to its end; None and not
    kept: not known.
    """

    serial: int
    type: str
    began: float
    ended: float | None
    resets: tuple[float, ...]
    closings: tuple[TimelineSpan, ...]
    kept: bool = False


@dataclass(frozen=True)
class TimelineProcess:
    """One process: `role` is probe, worker or child (what the environment started). `launched` is
    when its manager began to start it, `began` when it was first heard of. `end` is `exit 0`,
    `SIGKILL` or one of the words above.
    """

    pid: int
    role: str
    text: str
    launched: float
    began: float
    ended: float | None
    end: str
    instances: tuple[InstanceSpan, ...] = ()


@dataclass(frozen=True)
class Timeline:
    """A scenario in time: how long it took, its verbs, its processes in the order of their
    birth.
    """

    seconds: float
    verbs: tuple[TimelineSpan, ...]
    processes: tuple[TimelineProcess, ...]


def timeline(trace: Trace) -> Timeline | None:
    """The timeline of a trace; None where nothing was journalled."""
    times = trace.times()
    if not times:
        return None
    start = times[0]
    last = max(times) - start
    seconds = last if trace.outcome.kind == FINISHED else max(last, trace.outcome.seconds)
    verbs = tuple(_verbs(trace, start))
    if not verbs:
        return None
    return Timeline(seconds, verbs, tuple(_processes(trace, start, verbs)))


def _verbs(trace: Trace, start: float) -> Iterator[TimelineSpan]:
    began: VerbRecord | None = None
    for event in trace.records(VerbRecord):
        if event.state == "began":
            if began is not None:
                yield TimelineSpan(began.verb, began.t - start)
            began = event
        elif began is not None:
            error = one_line(event.error) if event.state == "raised" else ""
            yield TimelineSpan(began.verb, began.t - start, event.t - start, error)
            began = None
    if began is not None:
        yield TimelineSpan(began.verb, began.t - start)


def _processes(
    trace: Trace, start: float, verbs: tuple[TimelineSpan, ...]
) -> Iterator[TimelineProcess]:
    probe = int(next(event.pid for event in trace.records(VerbRecord)))
    workers = list(
        dict.fromkeys(int(pid) for event in trace.records(WorkersRecord) for pid in event.pids)
    )
    workers += [
        pid
        for pid in dict.fromkeys(event.pid for event in trace.records(InstanceRecord))
        if pid not in (probe, *workers)
    ]
    yield TimelineProcess(
        probe,
        PROBE,
        "",
        0.0,
        0.0,
        None,
        _end_of_probe(trace),
        tuple(_instances(trace, probe, start, None, _watches(trace))),
    )
    for pid in workers:
        yield _worker(trace, pid, start, verbs)
    yield from _children(trace, {probe, *workers}, start)


def _end_of_probe(trace: Trace) -> str:
    return THERE if trace.outcome.kind == FINISHED else trace.outcome.signal or trace.outcome.kind


def _worker(
    trace: Trace, pid: int, start: float, verbs: tuple[TimelineSpan, ...]
) -> TimelineProcess:
    own = [t - start for t in trace.times(pid)]
    texts = [event.t - start for event in trace.records(WorkersRecord) if pid in event.pids]
    began = min(own + texts)
    launch = [verb.began for verb in verbs if verb.name.startswith("make") and verb.began <= began]
    exits = [event for event in trace.records(WorkerExitRecord) if event.pid_of_worker == pid]
    ended = exits[-1].t - start if exits else None
    instances = tuple(_instances(trace, pid, start, ended, False))
    return TimelineProcess(
        pid,
        WORKER,
        "",
        max(launch, default=began),
        began,
        ended,
        _end(trace, pid, exits),
        instances,
    )


def _end(trace: Trace, pid: int, exits: list[WorkerExitRecord]) -> str:
    if exits:
        code = exits[-1].code
        return UNSEEN if code is None else f"exit {code}" if code >= 0 else f"signal {-code}"
    return (
        OUTLIVED
        if str(pid) in trace.left_processes
        else ENDED
        if trace.outcome.kind == TIMED_OUT
        else UNSEEN
    )


def _children(trace: Trace, known: set[int], start: float) -> Iterator[TimelineProcess]:
    """Yield the environment's children: present in one reading and not in the one before, so their
    times are those of readings.
    """
    readings = [
        (event.t - start, event.by_key("processes"))
        for event in trace.records(ReadingRecord)
        if event.has("processes")
    ]
    before = set(readings[0][1]) if readings else set()
    visited: dict[str, str] = {
        pid: text
        for _, processes in readings
        for pid, text in processes.items()
        if pid not in before
    }
    for pid, text in visited.items():
        if pid.isdigit() and int(pid) not in known:
            times = [at for at, processes in readings if pid in processes]
            gone = next(
                (at for at, processes in readings if at > times[-1] and pid not in processes), None
            )
            end = (
                UNSEEN
                if gone is not None
                else (
                    OUTLIVED
                    if pid in trace.left_processes
                    else ENDED
                    if trace.outcome.kind == TIMED_OUT
                    else THERE
                )
            )
            yield TimelineProcess(int(pid), CHILD, text, times[0], times[0], gone, end)


def _watches(trace: Trace) -> bool:
    """Return True if leftovers at the end would have been seen to go."""
    return trace.outcome.kind == FINISHED and not trace.scenario.leaves_alive


def _instances(
    trace: Trace, pid: int, start: float, last: float | None, watches: bool
) -> Iterator[InstanceSpan]:
    """The instances of a process, which was gone at `last`."""
    by_serial: dict[int, list[InstanceRecord]] = {}
    for event in trace.records(InstanceRecord, pid=pid):
        by_serial.setdefault(event.serial, []).append(event)
    for serial, own in by_serial.items():
        at = {event.what: event.t - start for event in own}
        resets = tuple(event.t - start for event in own if event.what == "reset")
        made = next((event for event in own if event.what == "made"), None)
        ended = next((at[what] for what in ENDS if what in at), last)
        kept = ended is None and made is not None and made.watched is not False and watches
        yield InstanceSpan(
            serial,
            made.type if made else "",
            own[0].t - start,
            ended,
            resets,
            tuple(_closings(own, start)),
            kept,
        )


def _closings(own: list[InstanceRecord], start: float) -> Iterator[TimelineSpan]:
    began: float | None = None
    for event in own:
        if event.what == "closing":
            if began is not None:
                yield TimelineSpan("close", began)
            began = event.t - start
        elif event.what in ("closed", "close-raised") and began is not None:
            yield TimelineSpan(
                "close",
                began,
                event.t - start,
                one_line(event.error) if event.what == "close-raised" else "",
            )
            began = None
    if began is not None:
        yield TimelineSpan("close", began)
