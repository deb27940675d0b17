"""Replay storages on the screen: a table, and one sentence for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envdoctor.analysis.replay_buffers import FLAT, GROWS
from envdoctor.model.facts import SampledSlices
from envdoctor.model.meters import HEAP, TRACKED
from envdoctor.model.report import StorageReport
from envdoctor.model.units import size
from envdoctor.reporters._growth import sparkline
from envdoctor.reporters._lines import Grid, Line, line
from envdoctor.reporters._verdict import number

HEADINGS = ("storage", "memory", "stored", "forecast", "measured", "past it", "gc gives back")
WAITS = 64  # transitions, from which on it is worth a word
MORE = 1.5  # times the forecast
STYLES = {FLAT: "green", GROWS: "bold red"}


def storages(reports: Sequence[StorageReport], unicode: bool) -> Iterator[Line | Grid]:
    """The table of those that were filled, then what is to be said of each."""
    filled = [report for report in reports if not report.missing]
    if filled:
        yield Grid(
            HEADINGS, tuple(_row(report, unicode) for report in filled), frozenset((2, 3, 4, 5, 6))
        )
    for report in reports:
        if report.missing:
            yield line(
                "  ", (f"{report.storage} was not filled: ", "yellow"), report.missing, hang=4
            )
            continue
        text, style = verdict(report)
        yield line("  ", f"{report.storage}: ", (text, style), hang=4)
        for more in _more(report):
            yield line("  ", more, hang=4)
    if filled:
        yield line(
            "  ",
            "What your own loop keeps beside it: `envdoctor leak train.py:iteration --callable`, in"
            " a test `assert_no_growth(iteration)`; a whole training: `envdoctor watch`.",
            hang=4,
        )


def _row(report: StorageReport, unicode: bool) -> tuple[tuple[str, str], ...]:
    return (
        (report.storage, ""),
        (sparkline(report.points, unicode), ""),
        (f"{report.capacity:,}", ""),
        (size(report.forecast), ""),
        (size(report.measured) if report.measured is not None else "", ""),
        (_past(report), STYLES.get(report.kind, "yellow")),
        (_collected(report), ""),
    )


def _past(report: StorageReport) -> str:
    """Return the cost of a transition when it is full."""
    if not report.turns:
        return "?"
    last = report.turns[-1]
    rose = max(0, last.rose.get(HEAP, 0)) / max(1, last.stored)
    return "+0 bytes" if report.kind == FLAT else f"+{size(rose)}"


def _collected(report: StorageReport) -> str:
    """Return the effect of gc.collect() when it was full: bytes of malloc, and objects that the
    collector knows.
    """
    memory, objects = (max(0, int(report.collected.get(meter, 0))) for meter in (HEAP, TRACKED))
    if not report.collected:
        return ""
    return f"{size(memory)}, {objects:,}" if memory or objects else "nothing"


def verdict(report: StorageReport) -> tuple[str, str]:
    """The sentence, and its style."""
    each, text = report.measured or report.forecast, size(report.forecast * report.asked)
    if report.ended:
        return f"It ended early: {report.ended}.", "yellow"
    if not report.kind:
        return (
            "It was not filled in the time that there was; nothing can be said past its capacity.",
            "yellow",
        )
    stored = sum(turn.stored for turn in report.turns)
    if report.kind == GROWS:
        return (
            (
                f"Grows past its capacity of {report.capacity:,}: {_past(report)} per transition,"
                f" steady through {stored:,} more."
            ),
            "bold red",
        )
    if report.kind != FLAT:
        return (
            (
                f"Undecided: it still changes by {_past(report)} per transition after {stored:,}"
                " past its capacity."
            ),
            "yellow",
        )
    line_of = (
        f"The line rises until the capacity is reached, which is not a leak: {size(each)} per"
        " transition"
    )
    if report.capacity < report.asked:  # what was not filled was not turned over
        return (
            (
                f"{line_of}; no growth in {stored:,} transitions past the {report.capacity:,} that"
                f" it was filled with. {report.asked:,} would take {text}."
            ),
            "green",
        )
    return (
        f"{line_of}, {text} at {report.asked:,}; no growth in {stored:,} transitions past it.",
        "green",
    )


def _more(report: StorageReport) -> Iterator[str]:
    if report.reduced:
        yield f"It was {report.reduced}."
    if report.measured and report.measured > MORE * report.forecast:
        yield (
            f"That is {report.measured / report.forecast:.1f} times what the spaces say: a view,"
            " for one, keeps the whole array that it is a part of."
        )
    if report.read:
        wrong = (
            f"{report.wrong} are not what was stored"
            if report.wrong
            else "all are what the environment produced"
        )
        yield f"Read back {number(report.read, 'transition')}: {wrong}.{_slices(report)}"
    if report.dropped:
        waiting = max(0, report.dropped.collected.get(HEAP, 0))
        waits = waiting > WAITS * report.forecast
        yield (
            f"Dropped, {size(waiting)} of it wait for the next garbage collection."
            if waits
            else "Dropped, it is gone at once."
        )


def _slices(report: StorageReport) -> str:
    slices = report.slices or SampledSlices()
    if slices.failed:
        return f" Its sampler gave no slices: {slices.failed}."
    if not slices.compared:
        return ""
    bad = [
        f"{count} {word}"
        for count, word in ((slices.wrong, "differ"), (slices.torn, "have gaps"))
        if count
    ]
    return (
        f" Its sampler returned {number(slices.compared, 'slice')} of episodes:"
        f" {' and '.join(bad) or 'each in order, and as produced'}."
    )
