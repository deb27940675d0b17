"""The leak check on the screen: meters with sparklines over the blocks, one sentence of
verdict, the stack, the holder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.analysis.growth.sides import INSTANCE, LONG
from envdoctor.analysis.growth.verdicts import FILLING, FLAT, LEAK, OPEN, tolerance
from envdoctor.model.facts import AllocationRecord, Allocations, GrownCache, Suspects
from envdoctor.model.finding import Location
from envdoctor.model.meters import meter_of
from envdoctor.model.report import GrowthReport, LeakReport, MeterGrowth
from envdoctor.model.units import size
from envdoctor.reporters._folding import name_places
from envdoctor.reporters._lines import Grid, Line, line
from envdoctor.reporters._verdict import number

MILLION = 1_000_000
MAX_STACKS = 3  # of what stays allocated
INNERMOST = 2  # frames of libraries below the user's that are shown
MAX_NAMED = 5  # types, holders, caches
LABEL = 13  # columns

WORDS = {
    FLAT: ("flat", "green"),
    LEAK: ("grows", "bold red"),
    FILLING: ("still filling", "yellow"),
    OPEN: ("undecided", "yellow"),
}

BARS, ASCII_BARS = "▁▂▃▄▅▆▇█", "_.-:=+*#"

#: operation: what many are called.
CALLS = {
    "create": "instances",
    "reset": "resets",
    "step": "steps",
    "render": "renders",
    "cycle": "cycles",
    "launch": "launches",
    "episode": "episodes",
    "call": "calls",
}
#: How sides without a manager are called.
SIDES = {INSTANCE: "one instance that stays open"}
SINGULAR = {"create": "instance"}


def growth(command: str, checks: Iterable[GrowthReport], unicode: bool) -> Iterator[Line | Grid]:
    """All leak checks of one subject. A quick one has no table."""
    for check in checks:
        where = _where(check)
        if not check.quick and check.blocks:
            yield _table(check, unicode)
        text, style = verdict(check)
        yield line("  ", where, (text, style), hang=4)
        if check.ended:
            yield line("  ", "It ended early: ", check.ended, ".", hang=4)
        if check.tier == "degraded":
            yield line("  ", "Not all can be seen here: ", "; ".join(check.reasons), ".", hang=4)
        yield from _causes(check)
        if check.quick and not check.side and any(meter.kind != FLAT for meter in check.meters):
            yield line(
                "  ",
                "`envdoctor leak ",
                command,
                "` follows it further and names the line.",
                hang=4,
            )


def _where(check: GrowthReport) -> str:
    """`[gymnasium-async, fork; worker 1] `; nothing for whole lives without a manager."""
    hosted = check.manager != "direct"
    place = name_places([(check.manager, check.start_method)]) if hosted else ""
    words = "; ".join(filter(None, (place, SIDES.get(check.side, check.side))))
    return f"[{words}] " if words else ""


def unit(check: GrowthReport) -> str:
    """Return the name of a cycle."""
    unit = check.unit if check.unit == "call" else "cycle"
    return "episode" if check.side == LONG else "reset" if check.side else unit


def _table(check: GrowthReport, unicode: bool) -> Grid:
    rows = tuple(_row(meter, check.blocks, unicode) for meter in check.meters)
    return Grid(("meter", "growth", "in all", f"per {unit(check)}", ""), rows, frozenset((2, 3)))


def follows(meter: MeterGrowth) -> bool:
    """Return True if a meter grows only because another one does: it is in no leak of its own."""
    return meter.kind == LEAK and not meter.leaks


def _row(meter: MeterGrowth, blocks: tuple[int, ...], unicode: bool) -> tuple[tuple[str, str], ...]:
    word, style = ("follows", "") if follows(meter) else WORDS[meter.kind]
    rates = [delta / cycles for delta, cycles in zip(meter.deltas, blocks, strict=False)]
    return (
        (meter_of(meter.meter).title, ""),
        (sparkline(rates, unicode), style if meter.kind != FLAT else ""),
        (_signed(meter.meter, sum(meter.deltas)), ""),
        (amount(meter.meter, meter.rate) if meter.kind != FLAT and meter.rate > 0 else "", ""),
        (word, style),
    )


def sparkline(values: Iterable[float], unicode: bool) -> str:
    """One bar for each value; the highest fills its row, none or less than none is the lowest
    bar.
    """
    values = [max(0.0, value) for value in values]
    bars, most = (BARS if unicode else ASCII_BARS), max(values, default=0.0)
    return "".join(bars[round(value / most * (len(bars) - 1)) if most else 0] for value in values)


def verdict(check: GrowthReport) -> tuple[str, str]:
    """The sentence, and its style."""
    if not check.blocks:
        return "Growth could not be measured.", "yellow"
    text = unit(check)
    span = number(check.cycles, text)
    if check.leaks:
        grown = ", ".join(dict.fromkeys(map(_pace, check.leaks)))
        return f"Grows by {grown}; steady through {span}.", "bold red"
    kinds = {
        kind: [meter for meter in check.meters if meter.kind == kind and meter.rate > 0]
        for kind in (FILLING, OPEN)
    }
    if kinds[FILLING]:
        pace = " and ".join(amount(meter.meter, meter.rate) for meter in kinds[FILLING][:2])
        return (f"Growth is slowing: {pace} per {text} at the end of {span}.", "yellow")
    if kinds[OPEN]:
        rises = " and ".join(amount(meter.meter, sum(meter.deltas)) for meter in kinds[OPEN][:2])
        why = "is too little" if check.cycles == 1 else "are too uneven or too few"
        return f"Undecided: {rises} more after {span}, which {why} to tell.", "yellow"
    if any(meter.kind == OPEN for meter in check.meters):
        why = "is too little" if check.cycles == 1 else "are too few"
        return f"No growth in {span}, which {why} to tell.", "yellow"
    if any(meter.kind == LEAK for meter in check.meters):
        return f"No growth in {span} beyond what outlives the instance.", ""
    return f"No growth in {span}{_sees(check)}.", "green"


def _sees(check: GrowthReport) -> str:
    """` (detection limit: 1 object or 32 B per cycle)`: what the controls showed, less
    what short blocks hide.
    """
    least = {
        meter: max(float(check.sees[meter]), tolerance(meter) / check.blocks[-1])
        for meter in ("objects", "heap")
        if meter in check.sees
    }
    text = " or ".join(amount(meter, rate) for meter, rate in least.items())
    return f" (detection limit: {text} per {unit(check)})" if text else ""


def _pace(leak: LeakReport) -> str:
    """`1.6 KiB per reset (1.5 GiB per million resets)`, with the container that keeps it."""
    main = next(iter(leak.shares))
    each = " and ".join(
        f"{amount(leak.meter, share)} per {SINGULAR.get(name, name)}"
        for name, share in leak.shares.items()
    )
    cost = f": {size(leak.bytes * MILLION)} per million {CALLS[main]}" if leak.bytes else ""
    return f"{each}{cost}" + (f" in {leak.holder}" if leak.holder else "")


def amount(meter: str, count: float) -> str:
    """`1 object`, `0.04 objects`, `3 million objects`, `1.6 KB`."""
    known = meter_of(meter)
    if not known.singular:
        return size(count)
    for word, factor in (("billion", 1e9), ("million", 1e6)):
        if count >= factor:
            return f"{count / factor:.3g} {word} {known.plural}"
    text = f"{count:.0f}" if count >= 100 or float(count).is_integer() else f"{count:.2g}"
    return f"{text} {known.singular if text == '1' else known.plural}"


def _signed(meter: str, count: int) -> str:
    text = size(abs(count)) if not meter_of(meter).singular else str(abs(count))
    return f"{'+' if count > 0 else '-' if count < 0 else ''}{text}"


def _causes(check: GrowthReport) -> Iterator[Line]:
    """Yield allocations and holders; empty where nothing grows, or where a quick check saw no more
    than the first cycles.
    """
    unproven = (FLAT, OPEN) if check.quick else (FLAT,)
    if all(meter.kind in unproven for meter in check.meters):
        return
    allocations, suspects = check.allocations or Allocations(), check.suspects or Suspects()
    if allocations.missing:
        yield _labelled("line", f"not known: {allocations.missing}")
    for at, record in enumerate(allocations.records[:MAX_STACKS]):
        yield from _stack("" if at else "line", record, allocations)
    if allocations.file:
        yield _labelled("capture", f"memray flamegraph --leaks {allocations.file}")
    if allocations.unsaved:
        yield _labelled("capture", f"not kept: {allocations.unsaved}")
    yield from _named("types", (f"{grown.type} +{grown.grew}" for grown in suspects.types))
    yield from _named(
        "held by",
        (
            f"{holder.chain.removeprefix('held from ')} ({holder.type})"
            for holder in suspects.holders
        ),
    )
    if suspects.unsearched:
        label = "" if suspects.holders else "held by"
        yield _labelled(label, "not known: the search for it took too long")
    yield from _named("caches", map(_cache, suspects.caches))


def _stack(label: str, record: AllocationRecord, allocations: Allocations) -> Iterator[Line]:
    """The user's line first, then what it called down to what allocates; of a long way the
    middle is counted.
    """
    frames, user = record.frames, record.user or 0
    calls = CALLS.get(allocations.operation, "cycles")
    yield _labelled(
        label,
        f"{number(record.count, 'allocation')} ({size(record.bytes)}) kept in"
        f" {allocations.cycles} {calls}",
    )
    yield _labelled("", f"  {_frame(frames[user])}")
    if user > INNERMOST:
        yield _labelled("", f"    ({user - INNERMOST} more)")
    for frame in reversed(frames[:user][:INNERMOST]):
        yield _labelled("", f"    {_frame(frame)}")


def _frame(frame: Location) -> str:
    known = frame.file.strip("<>") not in ("unknown", "")
    return f"{frame.file}:{frame.line} in {frame.function}" if known else frame.function


def _cache(cache: GrownCache) -> str:
    bound = "no bound" if cache.maxsize is None else f"of {cache.maxsize}"
    return f"{cache.what}: {number(cache.size, 'entry', 'entries')}, {bound}"


def _named(label: str, texts: Iterable[str]) -> Iterator[Line]:
    for at, text in enumerate(list(texts)[:MAX_NAMED]):
        yield _labelled("" if at else label, text)


def _labelled(label: str, text: str) -> Line:
    return Line(
        ((f"  {label}".ljust(LABEL + 2), "dim"), (text, "")),
        hang=LABEL + 2,
        verbatim=text.startswith("  "),
    )
