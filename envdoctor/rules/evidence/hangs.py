"""The common part of the five rules on hangs: the trace that hung, its place, and the finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envdoctor.model.environment_aims import EndWait
from envdoctor.model.errors import Frame
from envdoctor.model.failure_aims import RaiseEnd, TakeSpaces
from envdoctor.model.finding import Finding, Location
from envdoctor.model.remedy import Aim
from envdoctor.model.scenario import DIRECT, verb_name
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.model.units import ordinal
from envdoctor.model.waits import CHILD, PIPE, READS, SOCKET, Wait
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.circumstances import (
    AGAIN,
    EARLY,
    Seeded,
    circumstance,
    hung_beside_another,
    is_in_process,
    nth_reset,
    seeds_that_hang,
)
from envdoctor.rules.evidence.deaths import was_cut_back
from envdoctor.rules.evidence.ended_by_error import FailedChild, ended_by_error
from envdoctor.rules.evidence.episodes import last_moment
from envdoctor.rules.evidence.forks import start_otherwise, well_started_by
from envdoctor.rules.evidence.stacks import (
    entered_by,
    joined_threads,
    main_first,
    parse_stacks,
    process_of,
    where_it_was,
)
from envdoctor.rules.evidence.waiting import name_of_worker, wait_for_gone
from envdoctor.rules.wording.waits import (
    full_pipe,
    pipe_remedy,
    pipe_words,
    program,
    waits_by_process,
)

#: Verbs that call more than their name says: an episode that ends is reset within `step`, the
#: others play whole cycles.
MIXED = (
    *("step", "episode", "check", "open", "shut", "warm", "block", "suspects", "memray"),
    *("beginnings", "reseed", "repeat", "vary", "count", "mirror", "picture", "copy", "replay"),
)
COMMUNICATE = "communicate", "subprocess.py"
#: Verbs that do so under a manager: a launch resets, and a reset waits for answers to earlier
#: steps.
MANAGED = (*MIXED, "make", "reset", "relaunch")
CALLS = {
    "__init__": "make",
    "reset": "reset",
    "step": "step",
    "render": "render",
    "close": "close",
    "__del__": "drop",
}


PLACES = 3  # of other threads that are named

_CURES = {
    EARLY: "have {what} end what still runs of the last episode before it waits for it: a training"
    " resets in the middle of episodes as well; and ",
    AGAIN: "have {what} end what still runs since the last one before it waits for it; and ",
}


_USED_UP = (
    "see whether each {what} takes something that none gives back, until after {before} of them"
    " there is none left; and "
)


_ORDERED = (
    "send what the other process waits for before its answer is read: where one order comes after"
    " the answer, ask for the answer before that order, and read it after; and "
)


_RUNS_ON = (
    "end it and all that it has started when a time limit is over (start_new_session=True,"
    " os.killpg()), or run it under `timeout`: a read of its output has no limit of its own; and "
)


_BOUND = (
    "bound what {name}() computes: count its rounds, and raise with the reason when they are too"
    " many. It waits for nothing."
)


def hung_in(trace: Trace, verb: str, view: View) -> bool:
    """Return True if `verb` hung. Where a verb calls several things, the stacks show which it
    was.
    """
    if was_cut_back(trace):
        return False
    if trace.outcome.kind != TIMED_OUT or verb_name(trace.outcome.verb) not in (
        MIXED if trace.scenario.manager == DIRECT else MANAGED
    ):
        return trace.hung_in(verb)
    entered = CALLS.get(entered_by(trace.outcome.stacks, view), "")
    if entered:
        return verb == entered
    return trace.hung_in(verb) or (verb == "step" and trace.hung_in("episode"))


def first_hang(view: View, verb: str) -> Trace | None:
    """The first trace of this place in which `verb` hung: the others would only repeat it. Not
    where the manager waits for a worker that is gone, which PRC003 tells, nor in an instance that
    was closed before, which CLS016 tells.
    """
    return next(
        (
            trace
            for trace in view.traces
            if hung_in(trace, verb, view) and not _reported_otherwise(trace, verb, view)
        ),
        None,
    )


def _reported_otherwise(trace: Trace, verb: str, view: View) -> bool:
    reopened = (
        verb in ("reset", "step") and trace.scenario.traits.reopens and trace.reached("close")
    )
    return reopened or wait_for_gone(trace, view) is not None or _is_mak004(trace, view)


def _is_mak004(trace: Trace, view: View) -> bool:
    """Return whether a hang comes of a second instance in the process, which MAK004 tells."""
    beside = hung_beside_another(view)
    return beside is not None and (trace == beside or is_in_process(trace))


def report_hang(
    rule: Rule, view: View, trace: Trace, what: str, *, verb: str, remedy: str
) -> Iterator[Finding]:
    """The finding of a hang in `what` (`reset()`), with the stacks as they stood when the time
    was up.
    """
    frame = where_it_was(trace.outcome.stacks, view)
    worker = (
        process_of(trace.outcome.stacks, frame) if frame and trace.scenario.start_method else None
    )
    alone = first_hang(view.direct, verb)
    pair = "" if view.is_direct or alone else ", though not without a manager"
    method = well_started_by(view, trace.scenario.name) if pair else ""
    same = _same_function(frame, alone, view)
    computes = _computes(trace, frame) or (alone is not None and _computes(alone, same))
    frame = same or frame
    about = [name_of_worker(trace, worker)] if worker is not None else []
    about += ["it computes"] if computes else []
    place = in_frame(frame) + (f" ({', '.join(about)})" if about else "")
    only = circumstance(view.direct, verb) if not pair else ""
    number = nth_reset(view.direct) if verb == "reset" and not (pair or only) else 0
    seeds = _seeds(view, verb) if computes and not (only or number) else ()
    if computes and frame is not None:
        remedy = _BOUND.format(name=frame.function.rpartition(".")[2])
    if seeds:
        pair, remedy = "", f"{remedy} To see it, call {seeds[0].calls} of a new instance."
    full, ended = _full_pipe(trace), ended_by_error(trace, view)
    when = ""
    if full:
        why, cure = f": {pipe_words(full)}", pipe_remedy(full, trace.outcome.waits)
    elif ended:
        why, cure = f": {ended.words}", ended.remedy(f"{view.class_name}.{what}")
    elif number:
        when = f"the {ordinal(number)} of an instance, whose first {number - 1} come back"
        why, cure = f": {when}", _USED_UP.format(what=what, before=number - 1) + remedy
    elif seeds:
        when, cure = f"{' and '.join(each.words for each in seeds)}; others come back", remedy
        why = f": {when}"
    else:
        awaited, order = ("", "") if only or computes else _awaited(trace, frame)
        first = _CURES.get(only, "").format(what=what) or joined_words(trace, frame) or order
        when, cure = only, first + (_of_child(trace, frame) or remedy)
        why = f", only {only}" if only else awaited
    yield rule.finding(
        f"{what} hangs{place}{last_moment(trace)}{pair}{why}",
        start_otherwise(method) + cure,
        aim=_aim(frame, ended, full is not None) if frame and not computes else None,
        location=frame,
        evidence={
            "scenario": trace.scenario.name,
            **({"circumstance": when} if when else {}),
            "ceiling": trace.outcome.reason,
            "stacks": main_first(trace.outcome.stacks),
            "stderr": trace.outcome.stderr,
        },
    )


def _aim(frame: Location, ended: object, full: bool) -> Aim | None:
    """Let a wait end; of one for what had ended by an error, no such error is raised any more, or
    the call raises.
    """
    if ended:
        is_raised = isinstance(ended, FailedChild) and ended.error
        return TakeSpaces() if is_raised else RaiseEnd(Frame(frame.file, frame.line))
    return EndWait(Frame(frame.file, frame.line), full)


def joined_words(trace: Trace, frame: Location | None) -> str:
    """The first words of a remedy for a wait in join(): the lines of the other threads."""
    others = joined_threads(trace.outcome.stacks, frame) if frame is not None else {}
    places = [
        f"{number} other {'thread' if number == 1 else 'threads'} of its process"
        f" {'is' if number == 1 else 'are'}{in_frame(place)}"
        for place, number in list(others.items())[:PLACES]
    ]
    text = f"see why the thread that it joins does not end: {', and '.join(places)}; and "
    return text if places else ""


def _awaited(trace: Trace, frame: Location | None) -> tuple[str, str]:
    """Say for whose answer the call waits, and whether that one waits for this process; and then
    the first words of the remedy.
    """
    process = process_of(trace.outcome.stacks, frame) if frame is not None else None
    waits = waits_by_process(trace.outcome.waits)
    own = waits.get(process) if process is not None else None
    if own is None or not _reads(own):
        return "", ""
    peers = [waits[pid] for pid in own.peers if pid in waits and pid != own.pid]
    first = _without_children(peers)
    if len(first) != 1:
        return "", ""
    other = first[0]
    if len(peers) > 1 and own.on == PIPE and not any(map(_is_read, peers)):
        return f": it waits for the output of {program(other)} and its children", _RUNS_ON
    polls = _is_read(other) and other.peers == (own.pid,)  # again and again, for a moment each
    each_other = polls or (_reads(other) and own.pid in other.peers)
    who = f": it waits for an answer of {program(other)}"
    return (f"{who}, which waits for one of this process", _ORDERED) if each_other else (who, "")


def _without_children(peers: Sequence[Wait]) -> list[Wait]:
    """The processes but those that another of them waits for, as a shell does for its commands."""
    awaited = {pid for each in peers if each.on == CHILD for pid in each.peers}
    return [each for each in peers if each.pid not in awaited]


def _reads(wait: Wait) -> bool:
    return wait.known and _is_read(wait)


def _is_read(wait: Wait) -> bool:
    return wait.on in (PIPE, SOCKET) and wait.way == READS


def _of_child(trace: Trace, frame: Location | None) -> str:
    """The remedy for communicate() of a child, whose output something else may have open."""
    threads = parse_stacks(trace.outcome.stacks)
    stack = next((thread for thread in threads if frame in thread), ())
    if not any((each.function, short(each.file)) == COMMUNICATE for each in stack):
        return ""
    return (
        "give communicate() a timeout, and end all that has the child's output open when it is"
        " over: start it with start_new_session=True, and call os.killpg() for its group."
    )


def _computes(trace: Trace, frame: Location | None) -> bool:
    """Return whether the main thread of the process with the call ran, and ran all the time."""
    process = process_of(trace.outcome.stacks, frame) if frame is not None else None
    waiting = {each.pid for each in trace.outcome.waits if each.main}
    return trace.outcome.computed and process is not None and process not in waiting


def _same_function(frame: Location | None, alone: Trace | None, view: View) -> Location | None:
    """The line in which the call hangs without a manager, where that is in the same function: a
    loop is met in any of its lines.
    """
    other = where_it_was(alone.outcome.stacks, view) if alone is not None else None
    if frame is None or other is None:
        return None
    same = (other.file, other.function) == (frame.file, frame.function)
    return other if same else None


def _seeds(view: View, verb: str) -> tuple[Seeded, ...]:
    """The resets of a place that hang, and no others."""
    hung = [trace for trace in view.traces if hung_in(trace, "reset", view)]
    traces = view.traces if view.is_direct else (*view.direct.traces, *view.traces)
    return seeds_that_hang(hung, traces) if verb == "reset" else ()


def _full_pipe(trace: Trace) -> Wait | None:
    """The wait of a process that writes to a pipe, for which the one waits that has to read it."""
    readers = dict.fromkeys(each.pid for each in trace.outcome.waits)
    waits = (full_pipe(trace.outcome.waits, reader) for reader in readers)
    return next(filter(None, waits), None)


def in_frame(frame: Location | None) -> str:
    """` in walker.py:30, wait_for_frame`, or nothing."""
    return f" in {short(frame.file)}:{frame.line}, {frame.function}" if frame else ""


def short(file: str) -> str:
    """The last part of a path."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]
