"""Processes run on after the training has ended.

What it does
    Looks for processes that the training started, directly or through others, and that are still
    running 5 s after its command ended. The line is named that started one with subprocess or
    multiprocessing, in a process that plays environments.

    A note says where several programs of one line ran on in the middle of the training when nothing
    referred to them any more: subprocess.Popen was freed, nothing had asked them to end, and the
    close() of the object that had started them, such as a recorder, was never called.

Why it matters
    Workers and simulators that are never ended keep memory, ports and the GPU. The next run is
    slower, or cannot start.

How to fix it
    Close the vectorizer also where the training raises:

        try:
            model.learn(1_000_000)
        finally:
            venv.close()

    A trainer that is killed closes nothing. Let what it starts notice that: a simulator ends where
    its standard input does, and a worker where multiprocessing.parent_process() is not alive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.remedy import Aim
from envdoctor.model.training import FORK, Training, TrainingProcess
from envdoctor.model.training_ends import GivenUp
from envdoctor.model.training_instances import Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.evidence.training_deaths import endings
from envdoctor.rules.remedies.aims import close_made, end_once
from envdoctor.rules.remedies.training_failures import mend_failure
from envdoctor.rules.wording.leftovers import listing

INTERRUPT = 2  # Ctrl-C
SEVERAL = 2  # one may be meant to run on
MULTIPROCESSING = "multiprocessing"  # in the command line of its workers that are not forked
NOT_OVER = "the training was not over when it was last looked at"


def _unjudged(view: View) -> str:
    return nothing_made(view) or ("" if training_of(view).over else NOT_OVER)


@rule(
    "TRN006",
    "process-left-behind",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
    counts=counted("processes left", "processes"),
)
def process_left_behind(view: View) -> Iterator[Finding]:
    training = training_of(view)
    left = training.left
    if left:
        places = dict.fromkeys(each.location for each in left if each.location is not None)
        started = {"started_at": [f"{each.file}:{each.line}" for each in places]} if places else {}
        yield process_left_behind.finding(
            f"{of(len(left), 'process', 'processes')} left running:"
            f" {listing(process.command or str(process.pid) for process in left)}",
            remedy_for(training),
            aim=_aim(training, list(places)),
            location=next(iter(places), None),
            key=(),
            evidence={
                "processes": {str(process.pid): process.command for process in left},
                **started,
            },
        )
    for group in _given_up(training):
        first, place = group[0], group[0].made_at or group[0].used_at
        used = "made" if first.made_at is not None else "used"
        yield process_left_behind.finding(
            f"{len(group)} programs that {first.owner} started ran on when it was freed: close() of"
            f" the {first.outer} {used} at {_line_of(place)} was never called",
            f"call close() of the {first.outer} when it is done, in a finally: what it has written"
            " may not be in its file before that, and nothing waits for the program any more.",
            severity=NOTE,
            aim=close_made(place) if first.made_at is not None else None,
            location=first.location,
            key=(first.owner,),
            evidence={"programs": len(group), "made_at": f"{place.file}:{place.line}"},
        )


def _line_of(place: Location) -> str:
    name = place.file.replace("\\", "/").rsplit("/", 1)[-1]
    return f"{name}:{place.line} in {place.function}()"


def _given_up(training: Training) -> Iterator[list[GivenUp]]:
    """Programs of one line that were given up, of lines with several. Environments that are not
    closed are reported as such.
    """
    known = {each.class_name for each in training.instances}
    groups: dict[tuple[object, ...], list[GivenUp]] = {}
    for each in training.given_up:
        groups.setdefault((each.location, each.owner, each.made_at or each.used_at), []).append(
            each
        )
    several = (group for group in groups.values() if len(group) >= SEVERAL)
    return (group for group in several if not known & {group[0].owner, group[0].outer})


def _aim(training: Training, places: Sequence[Location]) -> Aim | None:
    """Workers of a trainer that was killed end where it is gone; all else ends before it: also
    where a close() raises before that.
    """
    if _is_killed(training) and _are_workers(training):
        return end_once(places[0], "parent") if len(places) == 1 else None
    for ending in endings(training):
        aim = mend_failure(ending.error)
        if aim is not None and aim.kind == "missing":
            return aim
    return close_made(next(iter(places), None), _unclosed(training))


def _is_killed(training: Training) -> bool:
    return training.code < 0 and training.code != -INTERRUPT


def _are_workers(training: Training) -> bool:
    return all(_is_worker(training, each) for each in training.left)


def _unclosed(training: Training) -> Location | None:
    """The one line that made what was not closed; nothing where it is none, or one of several."""
    places = {each.location for each in training.created_here if each.unclosed}
    return places.pop() if len(places) == 1 else None


def remedy_for(training: Training) -> str:
    """A trainer that is killed ends nothing: daemonic workers stay, too."""
    if not _is_killed(training):
        return (
            "end what the training starts before it ends, also where it raises or is interrupted:"
            " close environments in a finally."
        )
    if not _are_workers(training):
        return (
            "let each program that the training starts end when its parent is gone: nothing that"
            " the trainer does when it ends is done where it is killed. Start it with"
            " stdin=subprocess.PIPE, and have it end where its standard input does; or have the"
            " kernel end it with its parent: prctl(PR_SET_PDEATHSIG, SIGTERM), on Linux."
        )
    return (
        "let each worker end when its parent is gone: nothing that the trainer does when it"
        " ends is done where it is killed, and daemon=True does not help. In the worker's loop:"
        " if not multiprocessing.parent_process().is_alive(): env.close(); return"
    )


def _is_worker(training: Training, process: TrainingProcess) -> bool:
    """Return whether a process is one of multiprocessing, or has instances, and not a program."""
    reported = training.process(process.pid)
    is_forked = reported is not None and reported.started == FORK
    has_instances = any(each.pid == process.pid for each in training.instances)
    return is_forked or has_instances or MULTIPROCESSING in process.command


_PLACES = Location("/record.py", 23, "__init__"), Location("/train.py", 19, "record")
_VIDEO = GivenUp(9, "Encoder", "Recorder", *_PLACES, Location("/train.py", 16, "record"))

EXAMPLES = (
    Example(
        "recorders that are forgotten, and the processes of their encoders",
        watched_view(Training((), given_up=(_VIDEO, replace(_VIDEO, pid=10)))),
        "2 programs that Encoder started ran on when it was freed: close() of the Recorder"
        " made at train.py:16 in record() was never called",
    ),
    Example(
        "environments that are forgotten, and their simulators",
        watched_view(
            Training(
                (),
                instances=(Instances(1, 1, "record.Recorder"),),
                given_up=(_VIDEO, replace(_VIDEO, pid=10)),
            )
        ),
    ),
    Example("one, which may be meant to run on", watched_view(Training((), given_up=(_VIDEO,)))),
    Example(
        "a simulator",
        watched_view(Training((), left=(TrainingProcess(9, command="simulator --port 7"),))),
        "1 process left running: simulator --port 7",
    ),
    Example(
        "a simulator, and the line that started it",
        watched_view(
            Training(
                (),
                left=(TrainingProcess(9, command="simulator", location=Location("track.py", 27)),),
            )
        ),
        "1 process left running: simulator",
    ),
    Example(
        "a simulator, of a trainer that was killed",
        watched_view(Training((), 1, -9, left=(TrainingProcess(9, command="simulator --port 7"),))),
        "1 process left running: simulator --port 7",
    ),
    Example(
        "a forked worker, of a trainer that was killed",
        watched_view(
            Training(
                *((), 1, -9),
                processes=(TrainingProcess(9, 1, started="fork"),),
                left=(
                    TrainingProcess(9, command="python train.py", location=Location("train.py", 8)),
                ),
            )
        ),
        "1 process left running: python train.py",
    ),
    Example("none", watched_view(Training(()))),
)
