"""What blocks of cycles tell of growth: deltas in, verdicts out.

A block is a number of identical cycles between two settled readings. The meters are exact, so no test of significance is
needed: a healthy environment gives zeros, a leak gives one rate in every block however long it is, and whatever fills up
(a cache, a buffer) gives a rate that fades. `[7, 7, 7, 14, 28]` over as many cycles is a leak, `[60, 32, 12, 3, 0]` fills,
and `[0, 0, 69, 0]` was one event. A cache larger than the blocks followed it looks like a leak: the horizon is part of
every verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from envdoctor.model.trace import Trace

FLAT, LEAK, FILLING, OPEN = "flat", "leak", "filling", "open"

#: The scenario in which one instance stays open, and the one that tells its operations apart.
WHILE_OPEN, DESIGNS_WHILE_OPEN = "leak-open", "leak-open-design"

#: How much each meter may rise in a block of whatever length and still count as quiet. Meters that are not named here are
#: never judged: resident memory is a staircase and depends on what other processes do.
TOLERANCE: Mapping[str, int] = {
    "objects": 0,
    "tracked": 0,
    "heap": 256,  # MuJoCo leaves +-288 bytes between two readings and takes them back
    "descriptors": 0,
    "threads": 0,
    "processes": 0,
    "files": 0,
    "segments": 0,
    "data": 65536,
}

#: The slowest growth a cycle that is called a leak: one object in a hundred cycles, half a chunk of malloc in four.
FLOOR: Mapping[str, float] = {name: {"heap": 4.0, "data": 512.0}.get(name, 0.01) for name in TOLERANCE}

#: Meters of things so few that two equal blocks are proof.
EARLY = ("descriptors", "threads", "processes")
EARLY_CYCLES = 5  # of both together: a pool of three connections is no leak

NAMES = ("create", "reset", "step", "render")
EVENT, NOISE = 1.5, 0.03  # by which a design may miss its fit: things, share

LEAK_CYCLES = 24  # before which nothing but the early meters is called a leak: small caches are full by then
UNIT = 7  # cycles of the first block; a prime, so that every fifth or tenth cycle does not hide behind it
EQUAL_BLOCKS = 3  # blocks of one unit, after which they double
LEAST_BLOCKS = {False: 4, True: 6}  # 35 cycles; thorough: 119
LEAK_BLOCKS = 5  # the same, in blocks
COMPARED = 3  # the last blocks, whose rates must agree
SLACK = 0.25  # by which a rate may differ from block to block and still be one; growth like sqrt(cycles) differs more
EXACT = 0.05  # by which even equal rates may differ in the next block
FEW = 6  # events in the compared blocks that are too few: what fades has them as easily
MANY = 24  # events in the compared blocks that speak for themselves; with fewer all but the first are heard, which takes what is taken once
ROOM = 128  # bytes that a table may have for each object in it
PAGES = 2  # times as much as what was taken from them, for what lies between
QUIET_UNITS = 4  # that the quiet blocks at the end must span together: one object in 25 cycles cannot hide there


@dataclass(frozen=True)
class Block:
    """Some cycles, and by how much each meter rose over them."""

    cycles: int
    deltas: Mapping[str, int]


@dataclass(frozen=True)
class Growth:
    """A verdict: flat, leak, filling (fading) or open (neither steady nor fading, or too few blocks).

    `rate` is the growth per cycle, of the last blocks for a leak. `cycles` is the horizon: how far it was followed.
    """

    kind: str
    rate: float
    cycles: int


@dataclass(frozen=True)
class Design:
    """A block of `leak-design`: how often each operation ran, and by how much one meter rose."""

    creates: int
    resets: int
    steps: int
    delta: int
    renders: int = 0


@dataclass(frozen=True)
class PerOperation:
    """Growth per call of each operation."""

    create: float = 0.0
    reset: float = 0.0
    step: float = 0.0
    render: float = 0.0


def blocks_of(traces: Iterable[Trace], name: str = "leak") -> tuple[Block, ...]:
    """The blocks of the scenarios `name`, in order. A cycle is a create, or a reset where the instance was there before. A
    block that ended before its first cycle did is none.

    Where `leak-suspects` found bounded caches that grew, they are emptied at every reading from there on: what was read
    before tells of them, and does not count.
    """
    blocks: list[Block] = []
    for trace in traces:
        if trace.scenario.name != WHILE_OPEN and any(cache.get("cleared") for cache in (trace.fact("suspects") or {}).get("caches") or ()):
            blocks.clear()
        elif trace.scenario.name == name:
            found = [event["block"] for event in trace.verbs("block", "ended") if event.get("block")]
            cycles = [int(block["creates"] or block["resets"]) for block in found]
            blocks += [Block(number, rises(block)) for number, block in zip(cycles, found, strict=True) if number]
    return tuple(blocks)


def rises(block: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """By how much each meter of a block's readings rose."""
    before, after = block["before"], block["after"]
    return {meter: after[meter] - before[meter] for meter in after if meter in before}


def judge(meter: str, blocks: Sequence[Block]) -> Growth:
    """The verdict on one meter. Blocks in which it was not read do not count."""
    read = [(block.cycles, block.deltas[meter]) for block in blocks if meter in block.deltas and block.cycles]
    cycles = sum(number for number, _ in read)
    if not read:
        return Growth(OPEN, 0.0, 0)
    if early(meter, blocks):
        return Growth(LEAK, _rate(read[-2:]), cycles)
    if _is_flat(meter, read):
        return Growth(FLAT, 0.0, cycles)
    if _is_steady(meter, read, _leaps(meter, blocks)):
        return Growth(LEAK, _rate(read[-COMPARED:]), cycles)
    if _is_fading(read) or _slackens(meter, read):
        return Growth(FILLING, max(0.0, _rate(read[-1:])), cycles)
    return Growth(OPEN, _rate(read), cycles)


def early(meter: str, blocks: Sequence[Block]) -> bool:
    """Whether each of the last two blocks rose by the same whole number a cycle: one descriptor for each instance."""
    rates = [block.deltas.get(meter, 0) / block.cycles for block in blocks[-2:]]
    if meter not in EARLY or len(rates) < 2 or sum(block.cycles for block in blocks[-2:]) < EARLY_CYCLES:
        return False
    return rates[0] == rates[1] >= 1 and rates[0].is_integer()


def blocks_while_open(traces: Iterable[Trace]) -> tuple[Block, ...]:
    """The blocks of the last instance that stayed open; a cycle is a reset. Its bounded caches were emptied before, if any grew."""
    played = [trace for trace in traces if trace.scenario.name == WHILE_OPEN]
    found = [event["block"] for event in played[-1].verbs("block", "ended") if event.get("block")] if played else []
    return tuple(Block(int(block["resets"]), rises(block)) for block in found if block["resets"])


def verdicts_while_open(traces: Iterable[Trace]) -> dict[str, Growth]:
    """The verdicts on the last instance that stayed open. Where all that got longer in it has a bound, it is filling; where nobody
    looked whether it has (there was no time), it is undecided.
    """
    played = [trace for trace in traces if trace.scenario.name == WHILE_OPEN]
    found = verdicts(blocks_while_open(played))
    fact = played[-1].fact("suspects") if played else None
    bounded = any(cache.get("maxsize") and not cache.get("cleared") for cache in (fact or {}).get("caches") or ())
    unbounded = any(holder.get("grew") for holder in (fact or {}).get("holders") or ())
    if fact is not None and (unbounded or not bounded):
        return found
    kind = OPEN if fact is None else FILLING
    return {meter: replace(growth, kind=kind) if growth.kind == LEAK else growth for meter, growth in found.items()}


def verdicts(blocks: Sequence[Block]) -> dict[str, Growth]:
    """The verdict on every meter that was read and may be judged, in the order of TOLERANCE."""
    found = {meter: judge(meter, blocks) for meter in TOLERANCE if any(meter in block.deltas for block in blocks)}
    risen = {meter: sum(max(0, block.deltas.get(meter, 0)) for block in blocks) for meter in found}
    return {meter: _in_company(meter, growth, found, risen) for meter, growth in found.items()}


def _in_company(meter: str, growth: Growth, found: Mapping[str, Growth], risen: Mapping[str, int]) -> Growth:
    """Bytes that are no more than the objects that fill something need are filling, too: a table that is full doubles, and
    that looks steady in blocks that double.
    """
    cause = next((found[name] for name in ("objects", "heap") if name != meter and name in found and found[name].kind in (FILLING, OPEN)), None)
    needed = ROOM * risen.get("objects", 0)
    if meter == "data":
        needed = PAGES * (needed + risen.get("heap", 0))
    if growth.kind != LEAK or meter not in ("heap", "data") or cause is None or risen[meter] > needed:
        return growth
    return Growth(cause.kind, growth.rate, growth.cycles)


def next_cycles(blocks: Sequence[Block], thorough: bool, cap: int) -> int | None:
    """Cycles of the next block, or None when these are enough: all flat, or `cap` cycles played.

    The first block gives the unit; seven, unless the environment is too slow for that. Leaks are followed to the cap, too:
    a cache of a hundred entries looks like one until it is full. Only processes end the hunt at once: they cost memory.
    """
    unit, played = (blocks[0].cycles if blocks else UNIT), sum(block.cycles for block in blocks)
    size = min(unit << max(0, len(blocks) - EQUAL_BLOCKS + 1), cap - played)
    if size < min(unit, cap) or _may_stop(blocks, thorough):
        return None
    return size


def first_blocks(thorough: bool, cap: int) -> tuple[int, ...]:
    """The cycles of the blocks that even an environment needs in which nothing grows."""
    blocks: tuple[Block, ...] = ()
    while (cycles := next_cycles(blocks, thorough, cap)) is not None:
        blocks += (Block(cycles, {}),)
    return tuple(block.cycles for block in blocks)


def _may_stop(blocks: Sequence[Block], thorough: bool) -> bool:
    if early("processes", blocks):
        return True
    proven = len(blocks) >= LEAK_BLOCKS and any(early(meter, blocks) for meter in EARLY)
    settled = len(blocks) >= LEAST_BLOCKS[thorough] and all(growth.kind == FLAT for growth in verdicts(blocks).values())
    return proven or settled


Read = Sequence[tuple[int, int]]  # (cycles, delta) of one meter's blocks


def _rate(read: Read) -> float:
    return sum(delta for _, delta in read) / sum(cycles for cycles, _ in read)


def _is_flat(meter: str, read: Read) -> bool:
    """Quiet at the end: for two blocks at least, and for long enough that a rare leak would have shown."""
    quiet = quiet_cycles(meter, read)
    return len(quiet) >= 2 and sum(quiet) >= QUIET_UNITS * read[0][0]


def quiet_cycles(meter: str, read: Read) -> list[int]:
    """The lengths of the quiet blocks at the end, last first. What only comes back after a fall is no rise."""
    quiet: list[int] = []
    for at in range(len(read) - 1, -1, -1):
        cycles, delta = read[at]
        fallen = min(0, read[at - 1][1]) if at else 0
        if delta + fallen > TOLERANCE[meter]:
            break
        quiet.append(cycles)
    return quiet


def _is_steady(meter: str, read: Read, leaps: float) -> bool:
    """Whether the last blocks have one rate in common, above the floor.

    Each run of neighbouring blocks allows an interval of rates: its own, give or take a quarter, or one event (one leak in
    25 cycles gives a block of 28 one or two), or the tolerance. A leak's intervals share a point; those of a rate that
    fades do not: 2, 3, 4 in 28, 56, 112 cycles could each be an honest count, but not all three together.
    """
    last = read[-COMPARED:]
    if len(read) < LEAK_BLOCKS or sum(cycles for cycles, _ in read) < LEAK_CYCLES:
        return False
    if last[-1][1] <= TOLERANCE[meter] or any(delta <= 0 for _, delta in last):
        return False
    quantum = _quantum(read)
    events = sum(delta for _, delta in last) / quantum
    if events < FEW or _rate(last) <= FLOOR[meter]:
        return False
    compared = last if events > MANY else _since_fall(read[1:])
    intervals = [_interval(run, max(quantum, TOLERANCE[meter])) for run in _runs(compared)]
    return max(low for low, _ in intervals) < min(high for _, high in intervals) and not _slackens(meter, read, leaps)


def _leaps(meter: str, blocks: Sequence[Block]) -> float:
    """How uneven steady growth may be. Where bytes grow and objects do not, something gets longer, like a list, and takes an
    eighth of itself at a time.
    """
    still = all(block.deltas.get("objects", 1) <= 0 for block in blocks[-COMPARED:])
    return SLACK if meter == "heap" and still else EXACT


def _quantum(read: Read) -> int:
    """The largest size that one event can have had."""
    return math.gcd(*(delta for _, delta in read if delta > 0))


def _since_fall(read: Read) -> Read:
    """The blocks after the last one that fell: what was given back then says nothing of what grows now."""
    fallen = [at for at, (_, delta) in enumerate(read) if delta < 0]
    return read[fallen[-1] + 1 :] if fallen else read


def _slackens(meter: str, read: Read, leaps: float = EXACT) -> bool:
    """Whether the last block falls behind those before it by more than they differ from each other. A cache of 175 entries
    gives 28, 56 and 80 objects in 28, 56 and 112 cycles: within a quarter of one rate, but the first two are too exact for that.
    """
    before, (cycles, delta) = read[-COMPARED:-1], read[-1]
    rates = [each / number for number, each in before]
    if len(read) < COMPARED or min(rates) <= 0:
        return False
    noise = max(_quantum(read), TOLERANCE[meter])
    spread = max(leaps, 1 - min(rates) / max(rates))
    return (delta + noise) / cycles < _interval(before, noise, 0.0)[0] * (1 - spread)


def _runs(blocks: Read) -> Iterator[Read]:
    return (blocks[start:end] for start, end in combinations(range(len(blocks) + 1), 2))


def _interval(run: Read, noise: int, slack: float = SLACK) -> tuple[float, float]:
    cycles, delta = sum(cycles for cycles, _ in run), sum(delta for _, delta in run)
    by = max(noise, slack * delta)
    return (delta - by) / cycles, (delta + by) / cycles


def _is_fading(read: Read) -> bool:
    """Whether it grew in more than one block, and grows clearly slower than it did."""
    grown = [delta for _, delta in read if delta > 0]
    fastest = max(delta / cycles for cycles, delta in read)
    return len(grown) > 1 and _rate(read[-1:]) <= fastest * (1 - SLACK) / (1 + SLACK)


def attribute(designs: Sequence[Design]) -> PerOperation | None:
    """Growth per create, reset, step and render by least squares; None where the designs do not tell them apart.

    No operation is said to shrink anything: where the best fit has one that does (CarRacing draws another track in each
    design), it is fitted again without that one. Where the counts are not exact, the fewest operations that explain them
    are enough: one object in 25 creates gives 7 or 8 in as many designs, and the difference is no part of step().
    """
    rows = [(design.creates, design.resets, design.steps, design.renders) for design in designs]
    deltas = [float(design.delta) for design in designs]
    used = [at for at in range(len(NAMES)) if any(row[at] for row in rows)]
    whole = _fit(rows, deltas, used)
    if whole is None or not used:
        return None
    fit = _without_shrinking(whole, rows, deltas)
    if not _explains(fit, rows, deltas, 0.0, 0.0):
        subsets = (subset for size in range(1, len(fit)) for subset in combinations(fit, size))
        smaller = (part for subset in subsets if (part := _fit(rows, deltas, subset)) and min(part.values()) >= 0)
        fit = next((part for part in smaller if _explains(part, rows, deltas, EVENT, NOISE)), fit)
    return PerOperation(**{NAMES[at]: _rounded(value) for at, value in fit.items() if value * _most(rows, at) >= 1})


Counts = Sequence[tuple[int, int, int, int]]


def _fit(rows: Counts, deltas: Sequence[float], used: Sequence[int]) -> dict[int, float] | None:
    """The growth of each of the operations `used` (by place), if nothing else grew."""
    solved = _least_squares([[float(row[at]) for at in used] for row in rows], deltas)
    return None if solved is None else dict(zip(used, solved, strict=True))


def _without_shrinking(fit: dict[int, float], rows: Counts, deltas: Sequence[float]) -> dict[int, float]:
    """The fit of those operations that grow."""
    while fit and min(fit.values()) < 0:
        worst = min(fit.items(), key=lambda item: item[1] * _most(rows, item[0]))[0]
        fit = _fit(rows, deltas, [at for at in fit if at != worst]) or {}
    return fit


def _most(rows: Counts, at: int) -> int:
    """How often an operation ran in the design that has most of it."""
    return max(row[at] for row in rows)


def _explains(fit: Mapping[int, float], rows: Counts, deltas: Sequence[float], event: float, noise: float) -> bool:
    """Whether the fit meets every design to an event, or to a share of it."""
    misses = ((abs(delta - sum(value * row[at] for at, value in fit.items())), delta) for row, delta in zip(rows, deltas, strict=True))
    return all(miss <= max(1e-6 * abs(delta), event, noise * abs(delta), 1e-6) for miss, delta in misses)


def _rounded(value: float) -> float:
    near = round(value)
    return float(near) if (near and abs(value - near) <= 0.1) or value >= 100 else value


def _least_squares(rows: Sequence[Sequence[float]], values: Sequence[float]) -> list[float] | None:
    """The solution of the normal equations by elimination with pivots; None when they have more than one."""
    size = len(rows[0]) if rows else 0
    matrix = [
        [sum(row[i] * row[j] for row in rows) for j in range(size)] + [sum(row[i] * value for row, value in zip(rows, values, strict=True))]
        for i in range(size)
    ]
    for column in range(size):
        pivot = max(range(column, size), key=lambda at: abs(matrix[at][column]))
        if abs(matrix[pivot][column]) < 1e-6:
            return None
        matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
        for at in range(size):
            if at != column:
                share = matrix[at][column] / matrix[column][column]
                matrix[at] = [own - share * other for own, other in zip(matrix[at], matrix[column], strict=True)]
    return [matrix[at][size] / matrix[at][at] for at in range(size)] if size else None


def project(rate: float, number: int) -> float:
    """What `rate` per operation comes to after `number` operations."""
    return rate * number
