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


def storages(found: Sequence[StorageReport], unicode: bool) -> Iterator[Line | Grid]:
    """The table of those that were filled, then what is to be said of each."""
    filled = [one for one in found if not one.missing]
    if filled:
        yield Grid(
            HEADINGS, tuple(_row(one, unicode) for one in filled), frozenset((2, 3, 4, 5, 6))
        )
    for one in found:
        if one.missing:
            yield line("  ", (f"{one.storage} was not filled: ", "yellow"), one.missing, hang=4)
            continue
        text, style = verdict(one)
        yield line("  ", f"{one.storage}: ", (text, style), hang=4)
        for more in _more(one):
            yield line("  ", more, hang=4)
    if filled:
        yield line(
            "  ",
            "What your own loop keeps beside it: `envdoctor leak train.py:iteration --callable`, in"
            " a test `assert_no_growth(iteration)`; a whole training: `envdoctor watch`.",
            hang=4,
        )


def _row(one: StorageReport, unicode: bool) -> tuple[tuple[str, str], ...]:
    return (
        (one.storage, ""),
        (sparkline(one.points, unicode), ""),
        (f"{one.capacity:,}", ""),
        (size(one.forecast), ""),
        (size(one.measured) if one.measured is not None else "", ""),
        (_past(one), STYLES.get(one.kind, "yellow")),
        (_collected(one), ""),
    )


def _past(one: StorageReport) -> str:
    """What a transition adds when it is full."""
    if not one.turns:
        return "?"
    last = one.turns[-1]
    rose = max(0, last.rose.get(HEAP, 0)) / max(1, last.stored)
    return "+0 bytes" if one.kind == FLAT else f"+{size(rose)}"


def _collected(one: StorageReport) -> str:
    """What gc.collect() changed when it was full: bytes of malloc, and objects that the
    collector knows.
    """
    memory, objects = (max(0, int(one.collected.get(meter, 0))) for meter in (HEAP, TRACKED))
    if not one.collected:
        return ""
    return f"{size(memory)}, {objects:,}" if memory or objects else "nothing"


def verdict(one: StorageReport) -> tuple[str, str]:
    """The sentence, and its style."""
    each, whole = one.measured or one.forecast, size(one.forecast * one.asked)
    if one.ended:
        return f"It ended early: {one.ended}.", "yellow"
    if not one.kind:
        return (
            "It was not filled in the time that there was; nothing can be said past its capacity.",
            "yellow",
        )
    stored = sum(turn.stored for turn in one.turns)
    if one.kind == GROWS:
        return (
            (
                f"Grows past its capacity of {one.capacity:,}: {_past(one)} per transition, steady"
                f" through {stored:,} more."
            ),
            "bold red",
        )
    if one.kind != FLAT:
        return (
            (
                f"Undecided: it still changes by {_past(one)} per transition after {stored:,} past"
                " its capacity."
            ),
            "yellow",
        )
    line_of = (
        f"The line rises until the capacity is reached, which is not a leak: {size(each)} per"
        " transition"
    )
    if one.capacity < one.asked:  # what was not filled was not turned over
        return (
            (
                f"{line_of}; no growth in {stored:,} transitions past the {one.capacity:,} that it"
                f" was filled with. {one.asked:,} would take {whole}."
            ),
            "green",
        )
    return (
        f"{line_of}, {whole} at {one.asked:,}; no growth in {stored:,} transitions past it.",
        "green",
    )


def _more(one: StorageReport) -> Iterator[str]:
    if one.reduced:
        yield f"It was {one.reduced}."
    if one.measured and one.measured > MORE * one.forecast:
        yield (
            f"That is {one.measured / one.forecast:.1f} times what the spaces say: a view, for one,"
            " keeps the whole array that it is a part of."
        )
    if one.read:
        wrong = (
            f"{one.wrong} are not what was stored"
            if one.wrong
            else "all are what the environment produced"
        )
        yield f"Read back {number(one.read, 'transition')}: {wrong}.{_slices(one)}"
    if one.dropped:
        waiting = max(0, one.dropped.collected.get(HEAP, 0))
        waits = waiting > WAITS * one.forecast
        yield (
            f"Dropped, {size(waiting)} of it wait for the next garbage collection."
            if waits
            else "Dropped, it is gone at once."
        )


def _slices(one: StorageReport) -> str:
    slices = one.slices or SampledSlices()
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
