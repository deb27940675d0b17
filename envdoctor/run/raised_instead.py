"""Errors that only a copy raises: by a line that it got, where the original waited for ever; and
those of a life in which the original raised none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from envdoctor.model.errors import ErrorValue, Frame, one_line
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.scenarios import PLAIN
from envdoctor.run.hidden_growth import lines_of

RAISE = "raise "


def newly_raised(traces: Iterable[Trace], before: Iterable[Trace], instead: set[str]) -> str:
    """Name the call that raises in the first life without a vectorizer, where none did `before`;
    empty where none does. Errors that are raised `instead` of a hang are wanted.
    """
    earlier, now = _plain(before), _plain(traces)
    was_well = (
        earlier is not None and earlier.outcome.kind == FINISHED and not any(_raised(earlier))
    )
    for record in _raised(now) if was_well and now is not None else ():
        if one_line(record.error) not in instead:
            return f"{verb_name(record.verb)}() raises {one_line(record.error)}"
    return ""


def _plain(traces: Iterable[Trace]) -> Trace | None:
    """The plain life, where it was played."""
    by_name = {(trace.scenario.name, trace.scenario.place): trace for trace in traces}
    return by_name.get((PLAIN.name, PLAIN.place))


def _raised(trace: Trace) -> Iterator[VerbRecord]:
    return trace.records(VerbRecord, state="raised")


def raised_instead(traces: Iterable[Trace], copies: Mapping[str, str]) -> set[str]:
    """The texts of errors that calls of a copy raise by such a line. `copies` are the paths of the
    user's files, with those of the changed ones that are played in their place.
    """
    texts = {path: tuple(map(lines_of, (path, copy))) for path, copy in copies.items()}
    raised = (
        record.error for trace in traces for record in _raised(trace) if record.error is not None
    )
    return {one_line(error) for error in raised if _is_by_copy(error, texts)}


def _is_by_copy(error: ErrorValue, texts: Mapping[str, tuple[list[str], ...]]) -> bool:
    return any(
        _is_new_raise(frame, *texts[frame.file]) for frame in error.frames if frame.file in texts
    )


def _is_new_raise(frame: Frame, original: list[str], copy: list[str]) -> bool:
    line = copy[frame.line - 1] if 0 < frame.line <= len(copy) else ""
    return line.strip().startswith(RAISE) and line not in original
