"""Replay storages on the screen: a table, and one sentence for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envdoctor.model.report import StorageReport
from envdoctor.reporters._growth import amount, sparkline
from envdoctor.reporters._lines import Grid, Line, line
from envdoctor.reporters._verdict import number
from envdoctor.storages import FLAT, GROWS

HEADINGS = ("storage", "memory", "stored", "forecast", "measured", "past it", "gc gives back")
WAITS = 64  # transitions, from which on it is worth a word
MORE = 1.5  # times the forecast
STYLES = {FLAT: "green", GROWS: "bold red"}


def storages(found: Sequence[StorageReport], unicode: bool) -> Iterator[Line | Grid]:
    """The table of those that were filled, then what is to be said of each."""
    filled = [one for one in found if not one.missing]
    if filled:
        yield Grid(HEADINGS, tuple(_row(one, unicode) for one in filled), frozenset((2, 3, 4, 5, 6)))
    for one in found:
        if one.missing:
            yield line("  ", (f"{one.storage} was not filled: ", "yellow"), one.missing, hang=4)
            continue
        text, style = verdict(one)
        yield line("  ", f"{one.storage}: ", (text, style), hang=4)
        for more in _more(one):
            yield line("  ", more, hang=4)


def _row(one: StorageReport, unicode: bool) -> tuple[tuple[str, str], ...]:
    return (
        (one.storage, ""),
        (sparkline(one.points, unicode), ""),
        (f"{one.capacity:,}", ""),
        (_bytes(one.forecast), ""),
        (_bytes(one.measured) if one.measured is not None else "", ""),
        (_past(one), STYLES.get(one.kind, "yellow")),
        (_collected(one), ""),
    )


def _past(one: StorageReport) -> str:
    """What a transition adds when it is full."""
    if not one.turns:
        return "?"
    last = one.turns[-1]
    rose = max(0, int(last["rose"].get("heap", 0))) / max(1, int(last["stored"]))
    return "+0 B" if one.kind == FLAT else f"+{_bytes(rose)}"


def _collected(one: StorageReport) -> str:
    """What gc.collect() changed when it was full: bytes of malloc, and objects that the collector knows."""
    size, objects = (max(0, int(one.collected.get(meter, 0))) for meter in ("heap", "tracked"))
    if not one.collected:
        return ""
    return f"{_bytes(size)}, {objects:,}" if size or objects else "nothing"


def verdict(one: StorageReport) -> tuple[str, str]:
    """The sentence, and its style."""
    each, whole = one.measured or one.forecast, _bytes(one.forecast * one.asked)
    if one.ended:
        return f"It ended early: {one.ended}.", "yellow"
    if not one.kind:
        return "It was not filled in the time that there was; nothing can be said past its capacity.", "yellow"
    stored = sum(int(turn["stored"]) for turn in one.turns)
    if one.kind == GROWS:
        return f"Grows past its capacity of {one.capacity:,}: {_past(one)} per transition, steady through {stored:,} more.", "bold red"
    if one.kind != FLAT:
        return f"Undecided: it still changes by {_past(one)} per transition after {stored:,} past its capacity.", "yellow"
    line_of = f"The line rises until the capacity is reached, that is no leak: {_bytes(each)} per transition"
    return f"{line_of}, {whole} at {one.asked:,}; no growth in {stored:,} transitions past it.", "green"


def _more(one: StorageReport) -> Iterator[str]:
    if one.reduced:
        yield f"It was {one.reduced}."
    if one.measured and one.measured > MORE * one.forecast:
        yield f"That is {one.measured / one.forecast:.1f} times what the spaces say: a view, for one, keeps the whole array that it is a part of."
    if one.read:
        wrong = f"{one.wrong} are not what was stored" if one.wrong else "all are what the environment produced"
        yield f"Read back {number(one.read, 'transition')}: {wrong}.{_slices(one)}"
    if one.dropped:
        waiting = max(0, int(one.dropped["collected"].get("heap", 0)))
        waits = waiting > WAITS * one.forecast
        yield f"Dropped, {_bytes(waiting)} of it wait for the next garbage collection." if waits else "Dropped, it is gone at once."


def _slices(one: StorageReport) -> str:
    slices = one.slices
    if slices.get("failed"):
        return f" Its sampler gave no slices: {slices['failed']}."
    if not slices.get("compared"):
        return ""
    bad = [f"{slices[key]} {word}" for key, word in (("wrong", "differ"), ("torn", "have gaps")) if slices.get(key)]
    return f" Its sampler returned {number(slices['compared'], 'slice')} of episodes: {' and '.join(bad) or 'each in order, and as produced'}."


def _bytes(count: float) -> str:
    return amount("heap", count)
