"""Known defects of frameworks: which versions have them, what shows that this subject meets one,
and what helps.

An entry never speaks for its version alone: something in the journal of this very run must show it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from envdoctor.model.errors import ErrorValue, one_line
from envdoctor.model.facts import Survey
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import CycleErrorRecord, InstanceRecord, UnraisableRecord, VerbRecord
from envdoctor.model.trace import TIMED_OUT, Trace

Shows = Callable[[Trace], str]

Failing = VerbRecord | InstanceRecord | UnraisableRecord | CycleErrorRecord


@dataclass(frozen=True)
class Defect:
    """`package` has it from version `since` up to, and without, `until` (empty: no end is known),
    where the packages of `beside` are at least as new as it says. `shows` tells from a trace what
    met it, or nothing.
    """

    name: str
    package: str
    since: str
    until: str
    meaning: str
    cure: str
    url: str
    shows: Shows
    beside: tuple[tuple[str, str], ...] = ()
    manager: str = ""


def errors_in(trace: Trace) -> Iterator[ErrorValue]:
    """Every error that a trace knows of."""
    failed: list[Failing] = [
        *trace.records(VerbRecord),
        *trace.records(InstanceRecord),
        *trace.records(UnraisableRecord),
        *trace.records(CycleErrorRecord),
    ]
    yield from (item.error for item in sorted(failed, key=lambda item: item.index) if item.error)
    survey = trace.fact(Survey)
    if survey and survey.error:
        yield survey.error


@dataclass(frozen=True)
class Saying:
    """Shown by an error whose text has the pattern."""

    pattern: str

    def __call__(self, trace: Trace) -> str:
        """Return the text of the error, or nothing."""
        texts = [one_line(error) for error in errors_in(trace)]
        # Long where they came from a worker.
        causes = (re.search(self.pattern, error.cause) for error in errors_in(trace))
        return next((text for text in texts if re.search(self.pattern, text)), "") or next(
            (match[0] for match in causes if match), ""
        )


def defect_in(known: Iterable[Defect], message: str, module: str) -> Defect | None:
    """The known defect that an exception with a message shows, which a module raised: one of the
    package that has it.
    """
    package = module.partition(".")[0]
    return next(
        (
            defect
            for defect in known
            if defect.package == package
            and isinstance(defect.shows, Saying)
            and re.search(defect.shows.pattern, message)
        ),
        None,
    )


def workers_errors(trace: Trace, *what: str) -> list[InstanceRecord]:
    """The errors of instances in workers, at these moments."""
    return [
        event for event in trace.records(InstanceRecord) if event.what in what and not event.parent
    ]


def first_of_workers(trace: Trace, *what: str) -> str:
    """The first error of an instance in a worker, at these moments."""
    raised = workers_errors(trace, *what)
    return one_line(raised[0].error) if raised else ""


def close_error_lost(trace: Trace) -> str:
    """A worker's close() raised, and the manager's returned."""
    return first_of_workers(trace, "close-raised") if trace.verbs("close", "ended") else ""


def error_never_arrived(trace: Trace) -> str:
    """A worker's reset() or step() raised, and the parent still waited when its time was over."""
    if trace.outcome.kind != TIMED_OUT:
        return ""
    return first_of_workers(trace, "reset-raised", "step-raised")


def installed(defect: Defect, versions: Mapping[str, str]) -> bool:
    """Return True if the installed versions have the defect."""
    version = versions.get(defect.package, "")
    if (
        not version
        or number(version) < number(defect.since)
        or (defect.until and number(version) >= number(defect.until))
    ):
        return False
    return all(
        number(versions.get(package, "0")) >= number(least) for package, least in defect.beside
    )


def number(version: str) -> tuple[int, ...]:
    """`1.0.0a2` as (1, 0, 0), without zeros at its end: 1.0 is 1.0.0."""
    digits = re.match(r"[\d.]*", version)
    parts = [int(part) for part in (digits[0] if digits else "").split(".") if part]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
