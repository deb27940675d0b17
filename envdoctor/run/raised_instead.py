"""Errors that only a copy raises, by a line that it got: where the original waited for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from envdoctor.model.errors import ErrorValue, Frame, one_line
from envdoctor.model.records import VerbRecord
from envdoctor.model.trace import Trace
from envdoctor.run.hidden_growth import lines_of

RAISE = "raise "


def raised_instead(traces: Iterable[Trace], copies: Mapping[str, str]) -> set[str]:
    """The texts of errors that calls of a copy raise by such a line. `copies` are the paths of the
    user's files, with those of the changed ones that are played in their place.
    """
    texts = {path: tuple(map(lines_of, (path, copy))) for path, copy in copies.items()}
    raised = (
        record.error
        for trace in traces
        for record in trace.records(VerbRecord, state="raised")
        if record.error is not None
    )
    return {one_line(error) for error in raised if _is_by_copy(error, texts)}


def _is_by_copy(error: ErrorValue, texts: Mapping[str, tuple[list[str], ...]]) -> bool:
    return any(
        _is_new_raise(frame, *texts[frame.file]) for frame in error.frames if frame.file in texts
    )


def _is_new_raise(frame: Frame, original: list[str], copy: list[str]) -> bool:
    line = copy[frame.line - 1] if 0 < frame.line <= len(copy) else ""
    return line.strip().startswith(RAISE) and line not in original
