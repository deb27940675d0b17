"""Verdicts on replayed deltas: what was measured once, and what must hold for every sequence."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from envdoctor.analysis.growth.verdicts import (
    FILLING,
    FLAT,
    LEAK,
    MOST_CYCLES,
    OPEN,
    Block,
    _is_constant,
    _since_fall,
    bearable,
    early,
    floor,
    judge,
    next_cycles,
    tolerance,
    verdicts,
)
from envdoctor.model.meters import CHILD_MEMORY, METERS, judged, meter_of, things

LENGTHS = (7, 7, 7, 14, 28, 56, 112)
#: The meters of which growth is judged, and one of a sensor of which only the name is known.
EVERY = judged([*(meter.name for meter in METERS), "open-channels"])


def blocks(
    deltas: list[int], meter: str = "objects", lengths: tuple[int, ...] = LENGTHS
) -> list[Block]:
    return [Block(cycles, {meter: delta}) for cycles, delta in zip(lengths, deltas, strict=False)]


def counted(
    period: float, phase: int, lengths: tuple[int, ...] = LENGTHS, gain: int = 1
) -> list[int]:
    """Deltas of `gain` objects every `period` cycles."""
    bounds = [phase, *(phase + length for length in itertools.accumulate(lengths))]
    totals = [math.floor(bound / period) * gain for bound in bounds]
    return [after - before for before, after in itertools.pairwise(totals)]


@pytest.mark.parametrize(
    ("deltas", "kind"),
    [
        ([7, 7, 7, 14, 28], LEAK),
        ([140, 140, 140, 280, 560], LEAK),  # twenty steps a cycle
        # A logger for each instance, in a dictionary that grows by leaps.
        ([47, 77, 52, 120, 230, 480], LEAK),
        ([0, 1, 1, 1, 3, 5, 11], LEAK),  # every tenth cycle
        ([2, 0, 1, 2, 2, 6, 11], LEAK),  # the same, and the list that keeps them
        ([60, 20, 7, 14, 28, 56], LEAK),  # behind one-time costs
        ([60, 32, 12, 3, 0], FILLING),
        ([7, 7, 7, 14, 28, 56, 9], FILLING),  # a cache of 128 entries
        ([10, 10, 10, 14, 20, 28, 40], FILLING),  # like the square root
        ([0, 0, 69, 0], OPEN),
        ([0, 0, 69, 0, 0], FLAT),
        ([0, 0, 0, 0], FLAT),
        ([9, 0, 0, 0], FLAT),
        ([0, 1, 0, 0], OPEN),  # one object in 25 cycles could be hiding
        ([5, -5, 5, -5, 5], FLAT),  # taken and given back
        ([-900, 7, 7, 14, 28], LEAK),  # a fall at first excuses nothing later
        ([7, 7, 7, 14], OPEN),  # too early to tell
        ([0, 0, 0], OPEN),
    ],
)
def test_replayed(deltas: list[int], kind: str) -> None:
    assert judge("objects", blocks(deltas)).kind == kind


@pytest.mark.parametrize(
    ("deltas", "kind"),
    [
        ([11424, 11424, 11424, 22848, 45696], LEAK),  # LunarLander, 1632 bytes a reset
        ([224, 336, 224, 448, 896], LEAK),  # 24 bytes a cycle, 32 with malloc's header
        ([256, -288, 128, -96], FLAT),  # HalfCheetah
        ([32, -32, 16, 0], FLAT),
        ([432, 80, 368, 96, 1136], OPEN),  # irregular
        ([2128, 1776, 2016, 4160, 8352], LEAK),
    ],
)
def test_replayed_heap(deltas: list[int], kind: str) -> None:
    assert judge("heap", blocks(deltas, "heap")).kind == kind


def test_the_rate_and_the_horizon_come_with_the_verdict() -> None:
    growth = judge("objects", blocks([7, 7, 7, 14, 28]))
    assert (growth.rate, growth.cycles) == (1.0, 63)
    assert judge("objects", blocks([9, 0, 0, 0])).rate == 0.0


def test_a_meter_that_was_not_read_is_not_judged() -> None:
    assert judge("heap", blocks([1, 1])) == judge("heap", [])
    assert judge("heap", []).kind == OPEN
    assert list(verdicts(blocks([7, 7, 7]))) == ["objects"]
    assert verdicts([Block(7, {"rss": 4096})]) == {}


def test_two_equal_blocks_are_enough_for_descriptors() -> None:
    assert early("descriptors", blocks([7, 7], "descriptors"))
    assert early("processes", blocks([3, 14, 14], "processes"))
    assert judge("threads", blocks([7, 7], "threads")).kind == LEAK
    assert not early("descriptors", blocks([7], "descriptors"))
    # Two pairs for a pool of four.
    assert not early("descriptors", blocks([2, 2], "descriptors", (2, 2)))
    assert not early("descriptors", blocks([7, 8], "descriptors"))
    assert not early("descriptors", blocks([0, 0], "descriptors"))
    assert not early("descriptors", blocks([1, 1], "descriptors"))  # not one for each cycle
    assert not early("objects", blocks([7, 7]))


@pytest.mark.parametrize("meter", EVERY)
@given(gain=st.integers(1, 10**6), least=st.integers(5, 9))
def test_an_exactly_steady_growth_is_a_leak(meter: str, gain: int, least: int) -> None:
    lengths = (7, 7, 7, 14, 28, 56, 112, 224, 448)[:least]
    gain += max(tolerance(meter), int(floor(meter)))
    growth = judge(meter, blocks([gain * length for length in lengths], meter, lengths))
    is_enough = gain * sum(lengths) >= meter_of(meter).least
    assert (growth.kind, growth.rate) == (LEAK if is_enough else OPEN, gain)


KIB = 1 << 10


@pytest.mark.parametrize(
    ("deltas", "kind"),
    [
        ([448, 448, 448, 896, 1792, 3584, 7168], LEAK),  # 64 KiB a cycle
        ([448, 448, 448, 896, 1792], OPEN),  # 4 MiB, which a cache may hold
        ([448, 448, 448, 896, 1792, 3584, 576, 0], FILLING),  # 8 MiB, which are full
        ([448, 448, 448, 896, 1792, 3584, 576, 0, 0], FLAT),
        ([0, 2048, 0, 2048, 4096, 6144, 14336, 28672], LEAK),  # in pages of 2 MiB
        ([8192, 8192, 8192, 16384, -28672], FILLING),  # what is freed now and then
        ([64, 12, 64, 40, 60, 64, 64], FLAT),  # pages that come and go
        ([900, 300, 40, 0, 0], FLAT),
    ],
)
def test_replayed_memory_of_child_processes(deltas: list[int], kind: str) -> None:
    lengths = (7, 7, 7, 14, 28, 56, 112, 224, 448)
    found = blocks([delta * KIB for delta in deltas], CHILD_MEMORY, lengths)
    assert judge(CHILD_MEMORY, found).kind == kind


def test_search_ends_before_child_processes_take_all_memory() -> None:
    small, large = (blocks([7 * kib * KIB] * 2, CHILD_MEMORY) for kib in (64, 1 << 20))
    assert bearable(small) == 4096
    assert bearable(large) == sum(LENGTHS[:5])
    assert bearable(blocks([0, -KIB], CHILD_MEMORY)) == MOST_CYCLES
    played: list[Block] = []
    while (cycles := next_cycles(played, False, 455)) is not None:
        played += [Block(cycles, {CHILD_MEMORY: cycles << 30})]
    assert sum(block.cycles for block in played) == bearable(large)


@given(period=st.floats(1, 25), phase=st.integers(0, 1000), gain=st.integers(1, 1000))
def test_one_in_25_cycles_is_a_leak(period: float, phase: int, gain: int) -> None:
    assert judge("objects", blocks(counted(period, phase, gain=gain))).kind == LEAK


@given(period=st.floats(1, 50), phase=st.integers(0, 1000))
def test_one_in_50_cycles_is_a_leak_when_thorough(period: float, phase: int) -> None:
    lengths = (*LENGTHS, 224)
    assert judge("objects", blocks(counted(period, phase, lengths), lengths=lengths)).kind == LEAK


@given(period=st.floats(1, 28), phase=st.integers(0, 1000), thorough=st.booleans())
def test_a_rare_leak_does_not_pass_for_flat(period: float, phase: int, thorough: bool) -> None:
    """However the phase falls: the leak check does not end before it is seen."""
    played: list[Block] = []
    while (cycles := next_cycles(played, thorough, 231)) is not None:
        lengths = (*(block.cycles for block in played), cycles)
        played = blocks(counted(period, phase, lengths), lengths=lengths)
    assert judge("objects", played).kind == LEAK


def fading(start: int, ratios: list[float], lengths: tuple[int, ...]) -> list[int]:
    rates = itertools.accumulate([float(start), *ratios], lambda rate, ratio: rate * ratio)
    return [int(rate * length) for rate, length in zip(rates, lengths, strict=False)]


@given(
    st.sampled_from(["objects", "tracked", "files"]),
    st.integers(0, 10**6),
    st.lists(st.floats(0, 0.7), min_size=3, max_size=8),
)
def test_a_rate_that_fades_is_no_leak(meter: str, start: int, ratios: list[float]) -> None:
    lengths = (*LENGTHS, 224, 448)
    deltas = fading(start, ratios, lengths)
    for number in range(len(deltas) + 1):
        assert judge(meter, blocks(deltas[:number], meter, lengths)).kind != LEAK


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1, max_size=7),
    st.sampled_from(["objects", "heap", "files", "data"]),
)
def test_growth_that_has_stopped_is_not_a_leak(deltas: list[int], meter: str) -> None:
    assert judge(meter, blocks([*deltas[:6], 0], meter)).kind != LEAK


@given(st.integers(1, 10**6), st.floats(0.05, 0.5))
def test_growth_like_a_root_is_no_leak(scale: int, power: float) -> None:
    totals = [int(scale * bound**power) for bound in itertools.accumulate(LENGTHS, initial=3)]
    deltas = [after - before for before, after in itertools.pairwise(totals)]
    assert judge("objects", blocks(deltas)).kind != LEAK


def test_a_leak_needs_a_horizon() -> None:
    assert judge("objects", blocks([9, 9, 9, 18, 36], lengths=(1, 1, 1, 2, 4))).kind == OPEN
    assert judge("objects", blocks([27, 27, 27, 54, 108], lengths=(3, 3, 3, 6, 12))).kind == LEAK


@given(size=st.integers(1, 200))
def test_a_cache_that_fills_within_the_horizon_is_no_leak(size: int) -> None:
    totals = [min(size, bound) for bound in itertools.accumulate(LENGTHS, initial=0)]
    deltas = [after - before for before, after in itertools.pairwise(totals)]
    assert judge("objects", blocks(deltas)).kind in (FLAT, FILLING)


@given(st.lists(st.integers(-300, 300), min_size=4, max_size=7))
def test_any_sequence_has_a_verdict(deltas: list[int]) -> None:
    for meter in EVERY:
        growth = judge(meter, blocks(deltas, meter))
        assert growth.kind in (FLAT, LEAK, FILLING, OPEN)
        assert growth.cycles == sum(LENGTHS[: len(deltas)])
        assert growth.kind != FLAT or growth.rate == 0


def lengths_played(
    delta: int, meter: str = "objects", thorough: bool = False, cap: int = 231, unit: int = 7
) -> list[int]:
    played = [Block(unit, {meter: delta * unit})]
    while (cycles := next_cycles(played, thorough, cap)) is not None:
        played.append(Block(cycles, {meter: delta * cycles}))
    return [block.cycles for block in played]


def test_flat_ends_early_and_growth_is_followed_to_the_cap() -> None:
    assert next_cycles([], thorough=False, cap=231) == 7
    assert lengths_played(0) == [7, 7, 7, 14]
    assert lengths_played(0, thorough=True) == [7, 7, 7, 14, 28, 56]
    assert lengths_played(1) == [7, 7, 7, 14, 28, 56, 112]
    assert lengths_played(1, cap=455) == [7, 7, 7, 14, 28, 56, 112, 224]
    assert lengths_played(0, unit=3) == [3, 3, 3, 6]


def test_the_cap_is_used_up_and_never_passed() -> None:
    assert lengths_played(1, cap=100) == [7, 7, 7, 14, 28, 37]
    assert lengths_played(1, cap=65) == [7, 7, 7, 14, 28]  # two more would tell nothing
    assert next_cycles([], thorough=False, cap=5) == 5


def test_costly_growth_ends_the_check_sooner() -> None:
    assert lengths_played(2, "processes") == [7, 7, 7, 10]
    assert lengths_played(1, "threads") == [7, 7, 7, 14, 28]  # nothing else grows
    assert lengths_played(20, "descriptors") == [7, 7, 7, 9]  # one in each step


def test_one_leak_does_not_end_the_search_for_the_next() -> None:
    """A thread a cycle is proven after two blocks; what a list keeps is not decided by then."""
    played = [Block(7, {"threads": 7, "objects": 47 - at}) for at in range(3)]
    played += [Block(14, {"threads": 14, "objects": 80}), Block(28, {"threads": 28, "objects": 90})]
    assert next_cycles(played, thorough=False, cap=231) == 56


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30), st.booleans(), st.integers(7, 500))
def test_every_leak_check_ends(deltas: list[int], thorough: bool, cap: int) -> None:
    played: list[Block] = []
    for delta in itertools.cycle(deltas):
        cycles = next_cycles(played, thorough, cap)
        if cycles is None:
            break
        assume(cycles > 0)
        played.append(Block(cycles, {"objects": delta}))
    assert sum(block.cycles for block in played) <= cap


def test_a_table_of_objects_that_fills_is_no_leak_of_bytes() -> None:
    """A cache of 128 entries: its table doubles when it is full, and that looks steady in
    blocks that double.
    """
    objects, heap = (21, 21, 21, 42, 84, 168, 12), (576, 0, 544, 0, 1088, 2432, 4608)
    found = verdicts(
        [
            Block(n, {"objects": o, "heap": h})
            for n, o, h in zip((7, 7, 7, 14, 28, 56, 112), objects, heap, strict=True)
        ]
    )
    assert (found["objects"].kind, found["heap"].kind) == (FILLING, FILLING)


def test_pages_of_what_fills_are_no_leak_of_pages() -> None:
    rises = {
        "objects": (29, 30, 29, 46, 79, 101, 165),
        "heap": (14640, 13504, 15664, 21824, 40928, 49904, 83664),
        "data": (4096, 12288, 16384, 20480, 40960, 49152, 86016),
    }
    blocks = [
        Block(n, {meter: of[at] for meter, of in rises.items()})
        for at, n in enumerate((7, 7, 7, 14, 28, 56, 112))
    ]
    assert {growth.kind for growth in verdicts(blocks).values()} == {FILLING}


def test_native_memory_beside_something_that_fills_is_a_leak() -> None:
    objects = (21, 21, 21, 42, 84, 168, 12)
    found = verdicts(
        [
            Block(n, {"objects": o, "heap": 1632 * n})
            for n, o in zip((7, 7, 7, 14, 28, 56, 112), objects, strict=True)
        ]
    )
    assert found["heap"].kind == LEAK


def test_a_list_that_gets_longer_is_a_leak_of_bytes() -> None:
    heap = (1712, 1840, 2064, 2928, 7920, 14256, 25712)
    found = verdicts(
        [
            Block(n, {"objects": 0, "heap": h})
            for n, h in zip((7, 7, 7, 14, 28, 56, 112), heap, strict=True)
        ]
    )
    assert found["heap"].kind == LEAK


def test_meter_of_a_sensor_needs_no_entry() -> None:
    channels = meter_of("open-channels")
    assert (channels.singular, channels.plural) == ("open channel", "open channels")
    assert channels.grows == channels.title == "open channels"
    assert "rss" not in EVERY  # its entry says that it is never judged
    assert things(["open-channels", "heap", "threads"]) == ("threads", "open-channels")
    found = verdicts(blocks([14, 14], "open-channels", (7, 7)))
    assert (found["open-channels"].kind, found["open-channels"].rate) == (LEAK, 2.0)


def test_only_blocks_after_the_last_fall_are_compared() -> None:
    read = [(7, 7), (7, -3), (7, 5), (14, -1), (28, 28), (56, 56)]
    assert _since_fall(read) == [(28, 28), (56, 56)]
    assert _since_fall(read[4:]) == [(28, 28), (56, 56)]


@pytest.mark.parametrize(
    ("deltas", "kind"),
    [([7, 7, 7], LEAK), ([14, 14, 14], LEAK), ([7, 7, 14], OPEN), ([7, 14, 7], FILLING)],
)
def test_things_that_grow_by_one_whole_number_a_cycle_are_known_early(
    deltas: list[int], kind: str
) -> None:
    assert judge("threads", blocks(deltas, "threads")).kind == kind


@pytest.mark.parametrize(
    ("meter", "read", "is_constant"),
    [
        ("threads", [(14, 14), (14, 14), (14, 14), (14, 14)], True),
        ("threads", [(14, 28), (14, 28), (14, 28), (14, 28)], True),
        ("threads", [(14, 0), (14, 0), (14, 0), (14, 0)], False),
        ("threads", [(14, 14), (14, 14), (14, 14), (14, 28)], False),
        ("threads", [(14, 7), (14, 7), (14, 7), (14, 7)], False),
        ("threads", [(7, 7), (7, 7)], False),
        ("heap", [(14, 14), (14, 14), (14, 14), (14, 14)], False),
    ],
)
def test_same_whole_number_in_each_block_is_constant(
    meter: str, read: list[tuple[int, int]], is_constant: bool
) -> None:
    assert _is_constant(meter, read) == is_constant
