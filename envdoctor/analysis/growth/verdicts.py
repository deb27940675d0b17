"""Growth over blocks of cycles: deltas in, verdicts out.

A block is a number of identical cycles between two settled readings. The meters are exact, so no
test of significance is needed: a healthy environment gives zeros, a leak gives one rate in every
block however long it is, and what fills up (a cache, a buffer) gives a rate that fades. `[7, 7,
7, 14, 28]` over as many cycles is a leak, `[60, 32, 12, 3, 0]` fills, and `[0, 0, 69, 0]` was one
event. A cache larger than the blocks followed it looks like a leak: the horizon is part of every
verdict.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.meters import CHILD_MEMORY, HEAP, OBJECTS, judged, meter_of

FLAT, LEAK, FILLING, OPEN = "flat", "leak", "filling", "open"

EARLY_CYCLES = 5  # of both together: a pool of three connections is not a leak

MOST_CYCLES = 100_000

# Before which nothing but the early meters is called a leak: small caches are full by then.
LEAK_CYCLES = 24
# Cycles of the first block; a prime, so that every fifth or tenth cycle does not hide behind it.
UNIT = 7
EQUAL_BLOCKS = 3  # blocks of one unit, after which they double
LEAST_BLOCKS = {False: 4, True: 6}  # 35 cycles; thorough: 119
RARELY = 200  # cycles in which a single event is not growth: less than what is called a leak
LEAK_BLOCKS = 5  # the same, in blocks
COMPARED = 3  # the last blocks, whose rates must agree
# By which a rate may differ from block to block and still be one; growth like sqrt(cycles) differs
# more.
SLACK = 0.25
DECLINING = 4  # blocks, each slower than the one before
EXACT = 0.05  # by which even equal rates may differ in the next block
FEW = 6  # events in the compared blocks that are too few: what fades has them as easily
# Events in the compared blocks that speak for themselves; with fewer all but the first are heard,
# which takes what is taken once.
MANY = 24
ROOM = 128  # bytes that a table may have for each object in it
PAGES = 2  # times as much as what was taken from them, for what lies between
# That the quiet blocks at the end must span together: one object in 25 cycles cannot hide there.
QUIET_UNITS = 4
DECIDED = 9  # units of the LEAK_BLOCKS first blocks


@dataclass(frozen=True)
class Block:
    """Some cycles, and by how much each meter rose over them."""

    cycles: int
    deltas: Mapping[str, int]


@dataclass(frozen=True)
class Growth:
    """A verdict: flat, leak, filling (fading) or open (neither steady nor fading, or too few
    blocks).

    `rate` is the growth per cycle, of the last blocks for a leak. `cycles` is the horizon: how far
    it was followed.
    """

    kind: str
    rate: float
    cycles: int


def tolerance(meter: str) -> int:
    """Return how much a meter may rise in a block of any length and still count as quiet."""
    return meter_of(meter).tolerance or 0


def floor(meter: str) -> float:
    """Its slowest growth a cycle that is called a leak."""
    return meter_of(meter).floor


def _read_in(blocks: Sequence[Block]) -> dict[str, None]:
    """The names of what was read in any of these blocks."""
    return dict.fromkeys(meter for block in blocks for meter in block.deltas)


def judge(meter: str, blocks: Sequence[Block]) -> Growth:
    """The verdict on one meter. Blocks in which it was not read do not count."""
    read = [
        (block.cycles, block.deltas[meter])
        for block in blocks
        if meter in block.deltas and block.cycles
    ]
    cycles = sum(number for number, _ in read)
    if not read:
        return Growth(OPEN, 0.0, 0)
    if early(meter, blocks):
        return Growth(LEAK, _rate(read[-2:]), cycles)
    if _is_flat(meter, read):
        return Growth(FLAT, 0.0, cycles)
    if _is_constant(meter, read) or _is_steady(meter, read, _leaps(meter, blocks)):
        least = meter_of(meter).least
        kind = OPEN if least and sum(delta for _, delta in read) < least else LEAK
        return Growth(kind, _rate(read[-COMPARED:]), cycles)
    if _is_fading(read) or _slackens(meter, read) or _declines(read):
        return Growth(FILLING, max(0.0, _rate(read[-1:])), cycles)
    if len(read) >= LEAK_BLOCKS and cycles >= RARELY and _rate(read) < floor(meter):
        return Growth(FLAT, 0.0, cycles)
    return Growth(OPEN, _rate(read), cycles)


def early(meter: str, blocks: Sequence[Block]) -> bool:
    """Return True if each of the last two blocks rose by one whole number a cycle: one descriptor
    for each instance.
    """
    rates = [block.deltas.get(meter, 0) / block.cycles for block in blocks[-2:]]
    if (
        not meter_of(meter).early
        or len(rates) < 2
        or sum(block.cycles for block in blocks[-2:]) < EARLY_CYCLES
    ):
        return False
    return rates[0] == rates[1] >= 1 and rates[0].is_integer()


def verdicts(blocks: Sequence[Block]) -> dict[str, Growth]:
    """The verdict on every meter that was read and may be judged, in the order of their table."""
    result = {meter: judge(meter, blocks) for meter in judged(_read_in(blocks))}
    risen = {meter: sum(max(0, block.deltas.get(meter, 0)) for block in blocks) for meter in result}
    return {meter: _in_company(meter, growth, result, risen) for meter, growth in result.items()}


def _in_company(
    meter: str, growth: Growth, result: Mapping[str, Growth], risen: Mapping[str, int]
) -> Growth:
    """Bytes that are no more than the objects that fill something need are filling, too: a table
    that is full doubles, and that looks steady in blocks that double.
    """
    cause = next(
        (
            result[name]
            for name in ("objects", "heap")
            if name != meter and name in result and result[name].kind in (FILLING, OPEN)
        ),
        None,
    )
    needed = ROOM * risen.get(OBJECTS, 0)
    if meter == "data":
        needed = PAGES * (needed + risen.get(HEAP, 0))
    if (
        growth.kind != LEAK
        or meter not in ("heap", "data")
        or cause is None
        or risen[meter] > needed
    ):
        return growth
    return Growth(cause.kind, growth.rate, growth.cycles)


def next_cycles(blocks: Sequence[Block], thorough: bool, cap: int, least: int = 0) -> int | None:
    """Cycles of the next block, or None when these are enough: all flat, or `cap` cycles played.

    The first block gives the unit; seven, unless the environment is too slow for that. Leaks are
    followed to the cap, too: a cache of a hundred entries looks like one until it is full. What
    costs the machine most ends the search sooner (MOST_CYCLES). `least` blocks are played anyway.
    """
    unit, trace = (blocks[0].cycles if blocks else UNIT), sum(block.cycles for block in blocks)
    cap = min(cap, *_caps(blocks))
    size = min(unit << max(0, len(blocks) - EQUAL_BLOCKS + 1), cap - trace)
    if size < min(unit, cap) or (len(blocks) >= least and _may_stop(blocks, thorough)):
        return None
    return size


def _caps(blocks: Sequence[Block]) -> Iterator[int]:
    """Yield limits for the number of cycles that the machine can bear, given what grows."""
    yield MOST_CYCLES
    for meter in _read_in(blocks[-1:]):
        most = meter_of(meter).most
        if most and early(meter, blocks):
            last = blocks[-1]
            yield max(int(most * last.cycles / last.deltas[meter]), EARLY_CYCLES * LEAK_BLOCKS)
    yield bearable(blocks)


def bearable(blocks: Sequence[Block]) -> int:
    """Cycles after which the processes below take as much memory as a search may leave behind, but
    enough for a verdict.
    """
    rises = [block.deltas.get(CHILD_MEMORY, 0) for block in blocks]
    cycles = sum(block.cycles for block in blocks)
    if sum(rises) <= 0:
        return MOST_CYCLES
    return max(int(meter_of(CHILD_MEMORY).most * cycles / sum(rises)), DECIDED * UNIT)


def first_blocks(thorough: bool, cap: int) -> tuple[int, ...]:
    """The cycles of the blocks that even an environment needs in which nothing grows."""
    blocks: tuple[Block, ...] = ()
    while (cycles := next_cycles(blocks, thorough, cap)) is not None:
        blocks += (Block(cycles, {}),)
    return tuple(block.cycles for block in blocks)


def _may_stop(blocks: Sequence[Block], thorough: bool) -> bool:
    """Return True if every meter is decided: flat, or proven to grow by a whole number a cycle. One
    leak does not end the search for the next: undecided meters are followed.
    """
    if len(blocks) < LEAST_BLOCKS[thorough]:
        return False
    growing = [meter for meter, growth in verdicts(blocks).items() if growth.kind != FLAT]
    return not growing or (
        len(blocks) >= LEAK_BLOCKS and all(early(meter, blocks) for meter in growing)
    )


Read = Sequence[tuple[int, int]]  # (cycles, delta) of one meter's blocks


def _rate(read: Read) -> float:
    return sum(delta for _, delta in read) / sum(cycles for cycles, _ in read)


def _is_flat(meter: str, read: Read) -> bool:
    """Quiet at the end: for two blocks at least, and for long enough that a rare leak would
    have shown.
    """
    quiet = quiet_cycles(meter, read)
    return len(quiet) >= 2 and sum(quiet) >= QUIET_UNITS * read[0][0]


def quiet_cycles(meter: str, read: Read) -> list[int]:
    """The lengths of the quiet blocks at the end, last first. What only comes back after a fall
    is not a rise.
    """
    quiet: list[int] = []
    for at in range(len(read) - 1, -1, -1):
        cycles, delta = read[at]
        fallen = min(0, read[at - 1][1]) if at else 0
        if delta + fallen > tolerance(meter):
            break
        quiet.append(cycles)
    return quiet


def _is_constant(meter: str, read: Read) -> bool:
    """Return True if several blocks rose by one whole number of things a cycle. Memory is followed
    further: a cache of a hundred entries does so, too, until it is full.
    """
    rates = {delta / cycles for cycles, delta in read}
    if not meter_of(meter).thing or len(read) < LEAST_BLOCKS[False] or len(rates) > 1:
        return False
    rate = rates.pop()
    return rate >= 1 and rate.is_integer() and sum(cycles for cycles, _ in read) >= LEAK_CYCLES


def _is_steady(meter: str, read: Read, leaps: float) -> bool:
    """Return True if the last blocks have one rate in common, above the floor.

    Each run of neighbouring blocks allows an interval of rates: its own, give or take a quarter, or
    one event (one leak in 25 cycles gives a block of 28 one or two), or the tolerance. A leak's
    intervals share a point; those of a rate that fades do not: 2, 3, 4 in 28, 56, 112 cycles could
    each be an honest count, but not all three together.
    """
    last = read[-COMPARED:]
    if len(read) < LEAK_BLOCKS or sum(cycles for cycles, _ in read) < LEAK_CYCLES:
        return False
    if last[-1][1] <= tolerance(meter) or any(delta <= 0 for _, delta in last):
        return False
    quantum = _quantum(read)
    events = sum(delta for _, delta in last) / quantum
    if events < FEW or _rate(last) <= floor(meter):
        return False
    compared = last if events > MANY else _since_fall(read[1:])
    intervals = [_interval(run, max(quantum, tolerance(meter))) for run in _runs(compared)]
    steady = max(low for low, _ in intervals) < min(high for _, high in intervals)
    return steady and not _slackens(meter, read, leaps) and not _declines(read)


def _declines(read: Read) -> bool:
    """Return True if the rate fell from block to block, and by a quarter in all. A large table that
    is filled at random does so, and each two neighbours are nearly alike.
    """
    rates = [delta / cycles for cycles, delta in read[-DECLINING:]]
    falls = all(later < earlier for earlier, later in pairwise(rates))
    return len(rates) == DECLINING and falls and rates[-1] <= rates[0] * (1 - SLACK)


def _leaps(meter: str, blocks: Sequence[Block]) -> float:
    """Return how uneven steady growth may be. Where bytes grow and objects do not, something gets
    longer, like a list, and takes an eighth of itself at a time.
    """
    still = all(block.deltas.get(OBJECTS, 1) <= 0 for block in blocks[-COMPARED:])
    return SLACK if meter == "heap" and still else EXACT


def _quantum(read: Read) -> int:
    """The largest size that one event can have had."""
    return math.gcd(*(delta for _, delta in read if delta > 0))


def _since_fall(read: Read) -> Read:
    """The blocks after the last one that fell: what was given back then says nothing of what
    grows now.
    """
    fallen = [at for at, (_, delta) in enumerate(read) if delta < 0]
    return read[fallen[-1] + 1 :] if fallen else read


def _slackens(meter: str, read: Read, leaps: float = EXACT) -> bool:
    """Return True if the last block falls behind those before it by more than they differ from each
    other. A cache of 175 entries gives 28, 56 and 80 objects in 28, 56 and 112 cycles: within a
    quarter of one rate, but the first two are too exact for that.
    """
    before, (cycles, delta) = read[-COMPARED:-1], read[-1]
    rates = [each / number for number, each in before]
    if len(read) < COMPARED or min(rates) <= 0:
        return False
    noise = max(_quantum(read), tolerance(meter))
    spread = max(leaps, 1 - min(rates) / max(rates))
    return (delta + noise) / cycles < _interval(before, noise, 0.0)[0] * (1 - spread)


def _runs(blocks: Read) -> Iterator[Read]:
    return (blocks[start:end] for start, end in combinations(range(len(blocks) + 1), 2))


def _interval(run: Read, noise: int, slack: float = SLACK) -> tuple[float, float]:
    cycles, delta = sum(cycles for cycles, _ in run), sum(delta for _, delta in run)
    by = max(noise, slack * delta)
    return (delta - by) / cycles, (delta + by) / cycles


def _is_fading(read: Read) -> bool:
    """Return True if it grew in more than one block, and grows clearly slower than it did."""
    grown = [delta for _, delta in read if delta > 0]
    fastest = max(delta / cycles for cycles, delta in read)
    return len(grown) > 1 and _rate(read[-1:]) <= fastest * (1 - SLACK) / (1 + SLACK)
