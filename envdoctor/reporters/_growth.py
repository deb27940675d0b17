"""The hunt for growth on the screen: meters with sparklines over the blocks, one sentence of verdict, the stack, the holder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from envdoctor.model.report import GrowthReport, MeterGrowth
from envdoctor.reporters._folding import name_places
from envdoctor.reporters._lines import Grid, Line, line
from envdoctor.reporters._verdict import number
from envdoctor.stats import FILLING, FLAT, LEAK, OPEN, TOLERANCE, project

MILLION = 1_000_000
MAX_STACKS = 3  # of what stays allocated
INNERMOST = 2  # frames of libraries below the user's that are shown
MAX_NAMED = 5  # types, holders, caches
LABEL = 13  # columns

#: What a meter counts, one and several; bytes have no noun.
NOUNS = {
    "objects": ("object", "objects"),
    "tracked": ("tracked object", "tracked objects"),
    "heap": ("", ""),
    "descriptors": ("descriptor", "descriptors"),
    "threads": ("thread", "threads"),
    "processes": ("process", "processes"),
    "files": ("file", "files"),
    "segments": ("shared segment", "shared segments"),
    "data": ("", ""),
}

TITLES = {
    "objects": "Python objects",
    "tracked": "tracked by gc",
    "heap": "native heap",
    "files": "temporary files",
    "segments": "shared memory",
    "data": "mapped memory",
}

#: Growth that another meter's growth brings with it, if that is there, too.
_LIVE = ("threads", "processes")
FOLLOWS = {"objects": _LIVE, "tracked": ("objects", *_LIVE), "heap": ("objects", *_LIVE), "data": ("heap", "objects", *_LIVE)}

WORDS = {FLAT: ("flat", "green"), LEAK: ("grows", "bold red"), FILLING: ("still filling", "yellow"), OPEN: ("undecided", "yellow")}

BARS, ASCII_BARS = "▁▂▃▄▅▆▇█", "_.-:=+*#"

#: operation: what one is called, what many are called.
CALLS = {"create": "creates", "reset": "resets", "step": "steps", "render": "renders", "cycle": "cycles"}


def growth(spec: str, hunts: Iterable[GrowthReport], unicode: bool) -> Iterator[Line | Grid]:
    """All hunts of one subject. A quick one has no table."""
    for hunt in hunts:
        where = _where(hunt)
        if not hunt.quick and hunt.blocks:
            yield _table(hunt, unicode)
        text, style = verdict(hunt)
        yield line("  ", where, (text, style), hang=4)
        if hunt.ended:
            yield line("  ", "It ended early: ", hunt.ended, ".", hang=4)
        if hunt.tier == "degraded":
            yield line("  ", "Not all can be seen here: ", "; ".join(hunt.reasons), ".", hang=4)
        yield from _causes(hunt)
        if hunt.quick and not hunt.side and any(meter.kind != FLAT for meter in hunt.meters):
            yield line("  ", "`envdoctor leak ", spec, "` follows it further and names the line.", hang=4)


def _where(hunt: GrowthReport) -> str:
    """`[gymnasium-async, fork; worker 1] `; nothing for whole lives without a manager."""
    place = name_places([(hunt.manager, hunt.start_method)])
    if hunt.manager == "direct":
        return "In one instance that stays open: " if hunt.side else ""
    return f"[{place}; {hunt.side}] " if hunt.side else f"[{place}] "


def _table(hunt: GrowthReport, unicode: bool) -> Grid:
    own = [meter.meter for meter in _tellable(hunt)]
    rows = tuple(_row(meter, hunt.blocks, unicode, meter.meter in own) for meter in hunt.meters)
    return Grid(("meter", "growth", "in all", "per cycle", ""), rows, frozenset((2, 3)))


def _row(meter: MeterGrowth, blocks: tuple[int, ...], unicode: bool, own: bool) -> tuple[tuple[str, str], ...]:
    word, style = WORDS[meter.kind] if own or meter.kind == FLAT else ("follows", "")
    rates = [delta / cycles for delta, cycles in zip(meter.deltas, blocks, strict=False)]
    return (
        (TITLES.get(meter.meter, meter.meter), ""),
        (sparkline(rates, unicode), style if meter.kind != FLAT else ""),
        (_signed(meter.meter, sum(meter.deltas)), ""),
        (amount(meter.meter, meter.rate) if meter.kind != FLAT and meter.rate > 0 else "", ""),
        (word, style),
    )


def sparkline(values: Iterable[float], unicode: bool) -> str:
    """One bar for each value; the highest fills its row, none or less than none is the lowest bar."""
    values = [max(0.0, value) for value in values]
    bars, most = (BARS if unicode else ASCII_BARS), max(values, default=0.0)
    return "".join(bars[round(value / most * (len(bars) - 1)) if most else 0] for value in values)


def verdict(hunt: GrowthReport) -> tuple[str, str]:
    """The sentence, and its style."""
    if not hunt.blocks:
        return "Growth could not be measured.", "yellow"
    one = "reset" if hunt.side else "cycle"
    span = number(hunt.cycles, one)
    kinds = {kind: [meter for meter in _tellable(hunt) if meter.kind == kind and meter.rate > 0] for kind in (LEAK, FILLING, OPEN)}
    if kinds[LEAK]:
        grown = ", ".join(_pace(meter, hunt.allocations, one) for meter in kinds[LEAK])
        return f"Grows by {grown}; steady through {span}.", "bold red"
    if kinds[FILLING]:
        pace = " and ".join(amount(meter.meter, meter.rate) for meter in kinds[FILLING])
        return f"Still filling, slower and slower: {pace} per {one} at the end of {span}.", "yellow"
    if kinds[OPEN]:
        rises = " and ".join(amount(meter.meter, sum(meter.deltas)) for meter in kinds[OPEN])
        return f"Undecided: {rises} more after {span}, which are too uneven or too few to tell.", "yellow"
    if any(meter.kind == OPEN for meter in hunt.meters):
        return f"No growth in {span}, which are too few to tell.", "yellow"
    return f"No growth in {span}{_sees(hunt)}.", "green"


def _tellable(hunt: GrowthReport) -> Iterator[MeterGrowth]:
    growing = {meter.meter for meter in hunt.meters if meter.kind != FLAT}
    return (meter for meter in hunt.meters if not growing & set(FOLLOWS.get(meter.meter, ())))


def _sees(hunt: GrowthReport) -> str:
    """` (sees >= 1 object or 32 B per cycle)`: what the controls showed to be visible, less what short blocks hide."""
    least = {meter: max(float(hunt.sees[meter]), TOLERANCE[meter] / hunt.blocks[-1]) for meter in ("objects", "heap") if meter in hunt.sees}
    told = " or ".join(amount(meter, rate) for meter, rate in least.items())
    return f" (sees >= {told} per {'reset' if hunt.side else 'cycle'})" if told else ""


def _pace(meter: MeterGrowth, allocations: Mapping[str, Any], one: str) -> str:
    """`1.6 KB per reset: 1.6 GB per million resets`; what objects cost only memray knows."""
    worst = max(meter.per_operation.values(), default=0.0)
    shares = {name: rate for name, rate in meter.per_operation.items() if rate > worst / 20} or {one: meter.rate}
    each = " and ".join(f"{amount(meter.meter, rate)} per {name}" for name, rate in shares.items())
    name = max(shares, key=lambda operation: shares[operation])
    cost = shares[name] if not NOUNS[meter.meter][0] else _bytes_seen(allocations, name) if meter.meter == "objects" else 0.0
    return each + (f": {_bytes(project(cost, MILLION))} per million {CALLS[name]}" if cost else "")


def _bytes_seen(allocations: Mapping[str, Any], operation: str) -> float:
    """Bytes that one operation keeps, as memray saw it; 0 where it did not look at that operation."""
    if allocations.get("operation") != operation or not allocations.get("cycles"):
        return 0.0
    return float(sum(record["bytes"] for record in allocations["records"]) / allocations["cycles"])


def amount(meter: str, count: float) -> str:
    """`1 object`, `0.04 objects`, `3 million objects`, `1.6 KB`."""
    one, many = NOUNS.get(meter, ("", ""))
    if not one:
        return _bytes(count)
    for word, factor in (("billion", 1e9), ("million", 1e6)):
        if count >= factor:
            return f"{count / factor:.3g} {word} {many}"
    text = f"{count:.0f}" if count >= 100 or float(count).is_integer() else f"{count:.2g}"
    return f"{text} {one if text == '1' else many}"


def _bytes(count: float) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= factor:
            return f"{count / factor:.1f} {unit}"
    return f"{count:.0f} B" if count >= 1 or not count else f"{count:.2g} B"


def _signed(meter: str, count: int) -> str:
    size = _bytes(abs(count)) if not NOUNS.get(meter, ("", ""))[0] else str(abs(count))
    return f"{'+' if count > 0 else '-' if count < 0 else ''}{size}"


def _causes(hunt: GrowthReport) -> Iterator[Line]:
    """Where it is allocated, and who holds it; nothing where nothing grows."""
    if all(meter.kind == FLAT for meter in hunt.meters):
        return
    if hunt.allocations.get("missing"):
        yield _labelled("which line", f"not known: {hunt.allocations['missing']}")
    for at, record in enumerate((hunt.allocations.get("records") or ())[:MAX_STACKS]):
        yield from _stack("" if at else "which line", record, hunt.allocations)
    if hunt.allocations.get("file"):
        yield _labelled("capture", f"memray flamegraph --leaks {hunt.allocations['file']}")
    yield from _named("which types", (f"{one['type']} +{one['grew']}" for one in hunt.suspects.get("types") or ()))
    yield from _named("who holds it", (f"{one['chain']} ({one['type']})" for one in hunt.suspects.get("holders") or ()))
    yield from _named("which caches", (_cache(one) for one in hunt.suspects.get("caches") or ()))


def _stack(label: str, record: Mapping[str, Any], allocations: Mapping[str, Any]) -> Iterator[Line]:
    """The user's line first, then what it called down to what allocates; of a long way the middle is counted."""
    frames = list(record["frames"])
    user = record.get("user") or 0
    calls = CALLS.get(allocations.get("operation", ""), "cycles")
    yield _labelled(label, f"{record['count']} allocations ({_bytes(record['bytes'])}) kept in {allocations.get('cycles')} {calls}")
    yield _labelled("", f"  {_frame(frames[user])}")
    if user > INNERMOST:
        yield _labelled("", f"    ({user - INNERMOST} more)")
    for frame in reversed(frames[:user][:INNERMOST]):
        yield _labelled("", f"    {_frame(frame)}")


def _frame(frame: Mapping[str, Any]) -> str:
    known = str(frame["file"]).strip("<>") not in ("unknown", "")
    return f"{frame['file']}:{frame['line']} in {frame['function']}" if known else str(frame["function"])


def _cache(cache: Mapping[str, Any]) -> str:
    bound = "no bound" if cache.get("maxsize") is None else f"of {cache['maxsize']}"
    return f"{cache['what']}: {cache['size']} entries, {bound}"


def _named(label: str, texts: Iterable[str]) -> Iterator[Line]:
    for at, text in enumerate(list(texts)[:MAX_NAMED]):
        yield _labelled("" if at else label, text)


def _labelled(label: str, text: str) -> Line:
    return Line(((f"  {label}".ljust(LABEL + 2), "dim"), (text, "")), hang=LABEL + 2, whole=text.startswith("  "))
