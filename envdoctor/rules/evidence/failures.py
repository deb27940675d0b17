"""Every error, hang and death of the environment in anything that was played, and whether a finding
already tells it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from envdoctor.model.errors import ErrorValue, one_line, read_error
from envdoctor.model.evidence import Failing, read_evidence
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import NOTE, Finding, Location
from envdoctor.model.records import CycleErrorRecord, InstanceRecord, VerbRecord
from envdoctor.model.scenario import BEGINNINGS, DIRECT, verb_name
from envdoctor.model.trace import FINISHED, INTERRUPTED, LOST, TIMED_OUT, Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import CALLS, how_it_died, was_cut_back
from envdoctor.rules.evidence.episodes import end_unread, last_moment, last_step, moment
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.wording.leftovers import place_of

#: What an instance's events are called, and the call that they speak of.
RAISING = {
    "make-raised": "the constructor",
    "reset-raised": "reset()",
    "step-raised": "step()",
    "close-raised": "close()",
}

#: How a finding says that a call or a process ended.
_ENDS = re.compile(r"\b(hangs?|hung|died|ended with|ran out of memory|waits)\b")

#: Verbs that also read and search, and what comes between two verbs.
SEARCHING = ("warm", "block", "rest", "suspects", "garbage", "memray", "cut", "calibrate", "")

#: Verbs that go on where an episode may be over.
STEPPING = ("step", "episode", "beginnings", "mirror")

#: Verbs that use an instance again after its close().
REUSING = ("reset", "step", "picture")

OPERATIONS = {"create": "the constructor"}  # of cycles; the others are called as they are


@dataclass(frozen=True)
class Failure:
    """One failure: the call, what it did (`raises IndexError: ...`, `hangs`), where, and what the
    proof is. `step` is where in a whole episode, `scenario` what was played.
    """

    call: str
    text: str
    scenario: str
    location: Location | None = None
    error: ErrorValue | None = None
    stacks: str = ""
    moment: str = ""

    @property
    def identity(self) -> tuple[object, ...]:
        """The identity of a failure: two equal ones are reported once."""
        line = (self.location.file, self.location.line) if self.location else None
        return (self.call, self.text.partition(":")[0], line)


def failures(view: View) -> Iterator[Failure]:
    """All of a place, in the order of play: of each lifecycle the first, which others follow from;
    and all that repeated cycles met.
    """
    for trace in view.traces:
        scenario = trace.scenario
        if scenario.control or scenario.fault or scenario.traits.surveys or was_cut_back(trace):
            continue
        yield from _raised(trace, view)
        yield from _repeated(trace, view)
        if trace.outcome.kind not in (FINISHED, INTERRUPTED, LOST):
            ended = _ended(trace, view)
            if not _is_ours(trace, ended) and not _is_reopened(trace):
                yield ended


def _is_ours(trace: Trace, failure: Failure) -> bool:
    """Return whether what took too long may be a search or a reading of ours: between two verbs, or
    in a verb that also searches, no frame is the environment's.
    """
    return (
        trace.outcome.kind == TIMED_OUT
        and verb_name(trace.outcome.verb) in SEARCHING
        and failure.location is None
    )


def _is_reopened(trace: Trace) -> bool:
    """Return whether a closed instance hangs that is used again, which CLS016 reports as a note."""
    return (
        trace.outcome.kind == TIMED_OUT
        and trace.scenario.traits.reopens
        and trace.reached("close")
        and verb_name(trace.outcome.verb) in REUSING
    )


def _raised(trace: Trace, view: View) -> Iterator[Failure]:
    """The first error of each lifecycle."""
    failed = False
    for event in trace.records(VerbRecord):
        name = verb_name(event.verb)
        failed = failed and name != "make"
        if event.state == "raised" and not failed:
            failed = True
            error = _own_error(trace, event)
            if name in STEPPING and event.step != 1 and end_unread(view):
                continue
            if error and _is_environments(trace, error, view):
                call = _call(trace, _operation(name, event.step), error)
                text = f"raises {one_line(error)}"
                yield Failure(
                    call,
                    text,
                    trace.scenario.name,
                    place_of(error),
                    error,
                    "",
                    moment(event.episode, event.step, name),
                )


def _own_error(trace: Trace, event: VerbRecord) -> ErrorValue | None:
    """Return the environment's own error, where a manager raised another one because of it."""
    error = event.error
    if trace.scenario.manager == DIRECT:
        return error
    own = [record.error for record in trace.records(InstanceRecord) if record.what in RAISING]
    return next((error for error in own if error), error)


def _is_environments(trace: Trace, error: ErrorValue, view: View) -> bool:
    """Return True if an error is certainly the environment's: it was played alone, or one of its
    own lines raised it. Refusals of a manager are reported by other rules.
    """
    return view.is_direct or (trace.scenario.whole_episodes and error.user is not None)


def _call(trace: Trace, name: str, error: ErrorValue) -> str:
    """The call that raised: a whole episode, a checker and a step reset, too."""
    for event in trace.records(InstanceRecord):
        if event.what in RAISING and one_line(event.error) == one_line(error):
            return RAISING[event.what]
    return CALLS.get(name, f"{name}()")


def _operation(name: str, step: int | None) -> str:
    """Return the call that a verb was in: beginnings are at step 0 while they reset."""
    if name == BEGINNINGS and step is not None:
        return "step" if step else "reset"
    return "step" if name in ("episode", "mirror") else name


def _repeated(trace: Trace, view: View) -> Iterator[Failure]:
    """The first error of each operation in repeated cycles."""
    reported = set()
    for event in trace.records(CycleErrorRecord):
        operation, error = event.operation, event.error
        if operation == "step" and end_unread(view):
            continue
        if (operation, one_line(error)) not in reported:
            reported.add((operation, one_line(error)))
            call = OPERATIONS.get(operation, f"{operation}()")
            text = f"raises {one_line(error)}"
            yield Failure(call, text, trace.scenario.name, place_of(error), error)


def _ended(trace: Trace, view: View) -> Failure:
    """A hang, or the death of the process."""
    end = trace.outcome
    name = verb_name(end.verb)
    _, step = last_step(trace)
    call = CALLS.get(_operation(name, step), name or "the start")
    text = "hangs" if end.kind == TIMED_OUT else f"ends the process, which {how_it_died(end)}"
    place = where_it_was(end.stacks, view)
    at = last_moment(trace)
    return Failure(call, text, trace.scenario.name, place, None, end.stacks, at)


def reported_by(failure: Finding, others: Iterable[Finding]) -> str:
    """The code of another finding that tells the same failure: by its error, by its line, or by how
    it ended. Nothing where none does.
    """
    return next((other.code for other in others if _reports(other, failure)), "")


def _reports(other: Finding, failure: Finding) -> bool:
    error = read_evidence(Failing, failure.evidence).error
    place = place_of(error)
    location = other.location
    if place and location and (place.file, place.line) == (location.file, location.line):
        return True
    if error is None:
        near = other.manager in (failure.manager, DIRECT)
        worse = other.severity == NOTE != failure.severity  # a note hides no hang that fails a gate
        return near and not worse and bool(_ENDS.search(other.message))
    text = one_line(error)
    message = " ".join(error.message.split())
    return (
        text in other.message
        or (bool(message) and f": {message}" in other.message)  # another type was made of it
        or any(one_line(error) == text for error in _errors(other.evidence))
    )


def _errors(value: object, depth: int = 6) -> Iterator[ErrorValue]:
    """Every error value below a value."""
    if isinstance(value, Mapping):
        if "type" in value and "message" in value:
            error = read_error(value)
            if error is not None:
                yield error
        for part in value.values() if depth else ():
            yield from _errors(part, depth - 1)
    elif isinstance(value, (list, tuple)) and depth:
        for part in value:
            yield from _errors(part, depth - 1)
