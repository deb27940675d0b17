"""Open descriptors, threads, child processes or shared memory of a training grow.

What it does
    Counts them in /proc for each process of a watched training in which environments are called,
    and for the trainer's, with the calls of all processes: there, growth is a note, since a buffer
    may fill. The least count of each of eight stretches after the warm-up is followed: where each
    is higher than the one before, they grow. Where they grow with the vectorizers that are made, or
    threads or processes of multiprocessing do that one line starts, that line is named, and how
    many were closed or are alive; else the container whose elements keep them, where one gets
    longer as fast. Child processes that one line starts are a note from 16 resets after the warm-up
    on. In one that was attached to, which is only looked at from outside, growth with time is a
    note. Processes that are started anew all the time give back what they hold: those that ended
    before they had enough readings are left out.

Why it matters
    A process may have 1024 open files by default. The call that needs one more fails, hours after
    the one that forgot to close.

How to fix it
    Give back in close(), or before it is opened again, what reset() opens:

        def reset(self, *, seed=None, options=None):
            if self._socket is not None:
                self._socket.close()
            self._socket = connect(self._port)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.analysis.training_growth import CHILDREN, GROWS, OPEN, SECOND
from envdoctor.frameworks.threads import how_to_end
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.remedy import Aim
from envdoctor.model.training import PROCESS, THREAD, VECTORIZER, Site, Training, TrainingProcess
from envdoctor.model.training_growth import (
    ENVIRONMENT_SIDE,
    RESOURCES,
    TRAINER_SIDE,
    Reading,
    Series,
    TrainingHolder,
)
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import grown
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import training_of, watched_view
from envdoctor.rules.evidence.training_growth import (
    Grown,
    blame_of,
    described,
    growing,
    holder_of,
    name_of,
    not_followed,
    places,
    shadow,
    side_of,
)
from envdoctor.rules.evidence.training_sites import SiteLine, lines_of
from envdoctor.rules.remedies.aims import close_made, end_once

UNCLOSED = Cause.VECTORIZER_NOT_CLOSED
FEW = 16  # calls, with which child processes of one line pile up
ALONE = (
    "give back what each reset() and step() takes. Play the same environment alone to see the line"
    " that takes it:"
)
PERHAPS = (
    "give back what each reset() and step() takes, and the script's own code in this process. Play"
    " the environment without it, and see whether they grow there too:"
)


def _unjudged(view: View) -> str:
    return not_followed(view, RESOURCES)


@rule(
    "TRN010",
    "resources-grow",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
    counts=grown("resources"),
    gives_way=(UNCLOSED,),
)
def resources_grow(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for item in (*growing(places(view), RESOURCES), *_piling_up(view)):
        cause = _cause(training, item)
        piled = cause.vectorizers is not None and cause.vectorizers.piles_up
        yield resources_grow.finding(
            f"{item.sentence}{cause.words}",
            cause.remedy,
            severity=NOTE if _is_minor(item) else WARNING,
            commands=cause.commands,
            aim=cause.aim,
            location=cause.location or item.location,
            blame=blame_of(cause.side or item.place.side),
            key=item.key,
            explained_by=(UNCLOSED,) if piled else (),
            evidence=item.evidence,
        )


def _piling_up(view: View) -> Iterator[Grown]:
    """Yield child processes that came with each of some calls, too few for other growth to be
    known, and that one line started.
    """
    for place in places(view):
        for growth in place.growths:
            is_few = growth.verdict == OPEN and growth.rise > 0 and growth.over >= FEW
            item = Grown(place, growth)
            if growth.meter == CHILDREN and is_few and _line_of_processes(training_of(view), item):
                yield item


def _is_minor(item: Grown) -> bool:
    """Return whether growth is a note: it may be a start, a buffer of the trainer's that fills, or
    a pool that starts its processes one by one.
    """
    return item.growth.per == SECOND or item.place.is_sent_all or item.growth.verdict == OPEN


@dataclass(frozen=True)
class _Cause:
    """Facts about the lines behind growth: the rest of the sentence, and what to do."""

    remedy: str
    words: str = ""
    commands: tuple[str, ...] = ()
    location: Location | None = None
    vectorizers: SiteLine | None = None
    side: str = ""
    aim: Aim | None = None


def _cause(training: Training, item: Grown) -> _Cause:
    if training.attached:
        return _Cause(
            "start the training with `envdoctor watch`: it shows with which calls they grow."
        )
    pid = item.place.series.pid
    if item.growth.per == VECTORIZER:
        lines = sorted(item.place.vectorizers, key=lambda each: -each.made)
        if lines:
            return _of_vectorizers(item, lines[0])
    if item.growth.meter in ("threads", "descriptors"):
        lines = sorted(lines_of(training, THREAD, pid), key=lambda each: -each.alive)
        if lines and lines[0].alive >= item.growth.rise / 2 and _have_come(item):
            return _of_threads(lines[0])
    if item.growth.meter in (CHILDREN, "descriptors"):
        line = _line_of_processes(training, item)
        if line is not None:
            return _of_processes(item, line)
    if item.place.is_sent_all:
        return _Cause(_of_trainer(item), _parts(item))
    held = holder_of(item)
    if held is not None:
        return _of_holder(training, item, held)
    remedy = ALONE if item.place.side else PERHAPS
    return _Cause(remedy, _parts(item), shadow(training, item.place))


def _of_holder(training: Training, item: Grown, held: TrainingHolder) -> _Cause:
    side = side_of(held, item.place)
    is_environments = side == ENVIRONMENT_SIDE
    remedy = (
        f"close or end what {name_of(held)} keeps when it is not needed any more, and take it out"
    )
    return _Cause(
        f"{remedy}{'; this names the line:' if is_environments else '.'}",
        f"{_parts(item)}; {described(held, side)} gets longer as fast",
        shadow(training, item.place) if is_environments else (),
        side=side,
    )


def _line_of_processes(training: Training, item: Grown) -> SiteLine | None:
    """The line that started at least half of the child processes that came, and still run."""
    lines = sorted(lines_of(training, PROCESS, item.place.series.pid), key=lambda each: -each.alive)
    came = (item.growth,) if item.growth.meter == CHILDREN else item.place.growths
    is_known = (GROWS, item.growth.verdict)
    more = sum(each.rise for each in came if each.meter == CHILDREN and each.verdict in is_known)
    return lines[0] if lines and 0 < more <= 2 * lines[0].alive else None


def _of_trainer(item: Grown) -> str:
    remedy = "give back what this process takes for each episode: no environment is called in it."
    others = sum(rise for _, rise in item.growth.parts)  # a tensor's is a file
    if item.growth.meter != "descriptors" or others > item.growth.rise / 2:
        return remedy
    return (
        f"{remedy} A tensor that a worker of PyTorch sent holds a descriptor for as long as it is"
        " kept: clone() it, or call torch.multiprocessing.set_sharing_strategy('file_system')."
    )


def _parts(item: Grown) -> str:
    """`: 60 more pipes, 60 more sockets`."""
    text = ", ".join(f"{rise:,} more {name}" for name, rise in item.growth.parts)
    return f": {text}" if text else ""


def _of_vectorizers(item: Grown, line: SiteLine) -> _Cause:
    counts = f"; of {line.made:,} {line.name} {line.made - line.unclosed:,} were closed"
    if line.unclosed > 1 or line.alive <= 1:
        remedy = (
            f"call close() of each {line.class_name} when it is not needed any more, or make one"
            " and reset it."
        )
        aim = close_made(line.location)
        return _Cause(
            remedy, _parts(item) + counts, location=line.location, vectorizers=line, aim=aim
        )
    remedy = (
        f"let go of each {line.class_name} once it is closed: its pipes and sockets are given back"
        " when it is freed, and what refers to it (a model in a list, a study) keeps it. Keep the"
        " figures that you need, or set its place to None (model.env = None)."
    )
    words = f"{_parts(item)}{counts}, and {line.alive:,} were still referred to"
    kept = end_once(line.location, "kept")
    return _Cause(remedy, words, location=line.location, vectorizers=line, aim=kept)


def _have_come(item: Grown) -> bool:
    """Return whether threads grow that may hold what grows: of descriptors, as many as these."""
    came = sum(
        each.rise
        for each in item.place.growths
        if each.meter == "threads" and each.verdict == GROWS and each.per == item.growth.per
    )
    return 0.8 <= came / item.growth.rise <= 1.25


def _of_threads(line: SiteLine) -> _Cause:
    first = line.sites[0]
    name = first.function or first.type
    ends = how_to_end(first.type, first.function)
    words = (
        f"; {line.alive:,} of {line.made:,} threads of {name} that {first.place or 'a library'}"
        " started are alive"
    )
    remedy = ends or f"end them where they are not needed any more: join what {name} serves"
    if first.owner and not ends:
        remedy = (
            f"call close() of each {first.owner}, which starts one, when it is not needed any more,"
            " and have that end its thread"
        )
    aim = end_once(line.location, "logger") if ends else None
    return _Cause(f"{remedy}.", words, location=line.location, aim=aim)


def _of_processes(item: Grown, line: SiteLine) -> _Cause:
    words = (
        f"{_parts(item)}; {line.alive:,} of {line.made:,} processes made at"
        f" {line.sites[0].place or 'a line of a library'} ran on when the last one was started"
    )
    remedy = (
        "end each process where it is not needed any more: have the function that it runs return,"
        " join() it, and close its pipe; of a pool, call close() and join()."
    )
    return _Cause(remedy, words, location=line.location, aim=close_made(line.location))


_AT = Location("/train.py", 14)
_CALLS = Calls(640, 640)
_ARM = Instances(2, 1, "arm.Arm", _AT, "gymnasium-async", reset=_CALLS, step=_CALLS)


def _example(
    per_reset: int,
    pid: int = 2,
    children: int = 0,
    started: tuple[Site, ...] = (),
    held: tuple[TrainingHolder, ...] = (),
    by: str = "gymnasium-async",
    threads: int = 0,
) -> View:
    readings = tuple(
        Reading(
            t,
            1,
            10 * t,
            100 * t,
            1,
            descriptors=5 + per_reset * 10 * t,
            children=children * t,
            threads=threads * t,
        )
        for t in range(64)
    )
    processes = (TrainingProcess(1), TrainingProcess(2, 1))
    series = (Series(pid, readings, held),)
    own = (replace(_ARM, by=by),)
    return watched_view(Training((), 1, 0, 9.0, processes, own, series=series, sites=started))


def _pools(resets: int, is_known: bool = True) -> View:
    """A short training that starts two processes before each reset, and ends none."""
    readings = tuple(
        Reading(t / 5, 1, t, 12 * t, 1, descriptors=5 + 2 * t, children=2 * t)
        for t in range(resets)
    )
    location = replace(_AT, function="pool")
    kind, count = "multiprocessing.context.Process", 2 * resets
    site = Site(1, PROCESS, kind, location, made=count, alive=count)
    own, trainer = (replace(_ARM, pid=1, by=""),), (TrainingProcess(1),)
    training = Training((), 1, 0, resets / 5, trainer, own, series=(Series(1, readings),))
    return watched_view(replace(training, sites=(site,) if is_known else ()))


_SOCKETS = TrainingHolder(
    "__main__.connections",
    "list",
    100,
    400,
    100,
    1000,
    "socket.socket",
    side=TRAINER_SIDE,
    keeps="descriptors",
)
_OPENS = replace(_AT, function="open_log")
_WRITERS = (Site(1, THREAD, "log.Writes", _OPENS, made=640, alive=640, owner="FileWriter"),)
_OF_WRITERS = (
    "{} grow in the trainer's process by 1.0 for each reset, over 420 resets; 640 of 640 threads of"
    " log.Writes that train.py:14 in open_log() started are alive"
)

EXAMPLES = (
    Example(
        "a log file that each reset opens",
        _example(1),
        "open descriptors grow in a worker of Arm by 1.0 for each reset, over 420 resets",
    ),
    Example(
        "a trainer that calls no environment, and keeps what workers send",
        _example(1, pid=1),
        "open descriptors grow in the trainer's process by 1.0 for each reset, over 420 resets",
    ),
    Example(
        "a worker of the script's own that keeps each connection",
        _example(1, held=(_SOCKETS,), by=""),
        "open descriptors grow in a worker of Arm by 1.0 for each reset, over 420 resets;"
        " __main__.connections (list of socket.socket, the trainer's) gets longer as fast",
    ),
    Example(
        "a list that gets longer ten times as fast",
        _example(1, held=(replace(_SOCKETS, grew=1000),), by=""),
        "open descriptors grow in a worker of Arm by 1.0 for each reset, over 420 resets",
    ),
    Example(
        "a trainer whose trials start workers, and end none",
        _example(
            0,
            1,
            children=2,
            started=(
                Site(
                    1,
                    PROCESS,
                    "multiprocessing.context.Process",
                    replace(_AT, function="trial"),
                    made=128,
                    alive=128,
                ),
            ),
        ),
        "child processes grow in the trainer's process by 0.2 for each reset, over 420"
        " resets; 128 of 128 processes made at train.py:14 in trial() ran on when the last"
        " one was started",
    ),
    Example(
        "a writer of each reset, with a thread and a file",
        _example(1, 1, started=_WRITERS, threads=10),
        (_OF_WRITERS.format("open descriptors"), _OF_WRITERS.format("threads")),
    ),
    Example(
        "a file of each reset, and a pool of threads that fills",
        _example(1, 1, started=_WRITERS),
        _OF_WRITERS.format("open descriptors").partition(";")[0],
    ),
    Example(
        "thirty epochs, each with a pool that is not closed",
        _pools(30),
        "child processes grow in the trainer's process of Arm by 2.0 for each reset, over"
        " 19 resets; 60 of 60 processes made at train.py:14 in pool() ran on when the last"
        " one was started",
    ),
    Example("the same, by an unknown line", _pools(30, is_known=False)),
    Example("a dozen epochs", _pools(12)),
    Example(
        "a process that was attached to",
        watched_view(
            Training(
                (),
                1,
                attached=True,
                series=(Series(1, tuple(Reading(t, threads=t) for t in range(64))),),
            )
        ),
        "threads grow in the trainer's process by 1.0 for each second, over 42 seconds",
    ),
    Example("no growth", _example(0)),
)
