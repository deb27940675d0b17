"""Readings of a block, and the division of growth where several things grow at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from envdoctor.analysis.growth.kept import kept_by
from envdoctor.analysis.growth.leaks import leaks_in
from envdoctor.analysis.growth.side_reading import sides_of
from envdoctor.analysis.growth.sides import Holder, Pass, rises
from envdoctor.model.facts import AllocationRecord
from envdoctor.model.facts.decoding import decoded
from envdoctor.model.finding import Location
from envdoctor.model.meters import MEMORY
from envdoctor.model.records import PlayedBlock, Span, Uncollected
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, played_block, trace, verb
from envdoctor.rules.evidence.growth import _may_belong_to

MIB = 2**20


def block(waiting: dict[str, int] | None = None, **rose: int) -> Span:
    uncollected = None if waiting is None else Uncollected(waiting)
    return Span(dict.fromkeys(rose, 0), rose, uncollected)


def test_mapped_memory_is_what_is_mapped_besides_mallocs() -> None:
    """Garbage of 200 MiB that malloc could not give back, beside 14 MiB that mmap() took."""
    found = rises(block(data=214 * MIB, malloc=200 * MIB, heap=0, python=0))
    assert found["data"] == 14 * MIB


def test_mapped_memory_that_garbage_of_python_took_is_left_out() -> None:
    rose = {"data": MIB, "malloc": 0, "heap": 0, "python": 0}
    assert rises(block({"python": 2 * MIB, "heap": 0}, **rose))["data"] == 0
    assert rises(block(**rose))["data"] == MIB


def test_garbage_is_left_out_where_malloc_cannot_be_read() -> None:
    assert rises(block({"heap": 2 * MIB}, data=3 * MIB, heap=0))["data"] == MIB


def descriptors(cycles: int, resets: int, rose: int, steps: int = 0) -> Trace:
    return played_block(cycles, {"descriptors": rose}, resets=resets, steps=steps)


def test_a_rare_leak_beside_a_steady_one_has_the_rate_of_the_long_blocks() -> None:
    """One in every reset(), and one in every 5th instance: short designs saw it in every 4th."""
    blocks = [descriptors(n, 2, 2 * n + -(-n // 5)) for n in (7, 7, 7, 14, 28, 56, 112)]
    designs = (
        *((7, 1, 9), (7, 1, 8), (7, 1, 9, 10)),
        *((7, 3, 22, 10), (7, 3, 22), (7, 3, 23, 10), (14, 1, 17)),
    )
    known = {"cycles": 7, "types": [], "holders": [], "caches": []}
    begun = trace(verb("suspects:7x1x20"), name="leak-causes")
    events = [event for design in designs for event in descriptors(*design).events]
    causes = trace(fact("suspects", known), *begun.events, *events, name="leak-causes")
    view = direct_view(*blocks, causes)
    shares = {
        leak.operation: leak.shares[leak.operation] for leak in leaks_in(sides_of(view.traces))
    }
    assert shares["reset"] == 1
    assert 0.19 < shares["create"] < 0.22


def test_a_record_of_another_operation_is_no_part_of_a_leak() -> None:
    """A thread that reset() starts, and memory that step() takes."""

    def record(*functions: str) -> AllocationRecord:
        frames = tuple(Location("env.py", 1, function) for function in functions)
        return AllocationRecord(7, 448, 1.0, "MALLOC", frames, None)

    thread = record("Thread.__init__", "Env.reset")
    nested = record("Env.reset", "Env.step")
    helper = record("load")
    assert not _may_belong_to("step", thread)
    assert _may_belong_to("reset", thread)
    assert _may_belong_to("step", nested)
    assert _may_belong_to("step", helper)
    assert _may_belong_to("cycle", thread)


#: Creates, resets and steps of designs; a list gets one element a step, another one a create.
CALLS = ((7, 7, 0), (7, 7, 0), (7, 14, 70), (7, 28, 210), (7, 21, 0), (14, 14, 0))


def cut_back(cut: int, **rises: Callable[[int, int], int]) -> Pass:
    """A pass in which each meter rose by what a function of creates and steps says."""
    blocks = [
        {
            "creates": creates,
            "resets": resets,
            "steps": steps,
            "grew": [steps, creates],
            "before": dict.fromkeys(rises, 0),
            "after": {meter: rise(creates, steps) for meter, rise in rises.items()},
        }
        for creates, resets, steps in CALLS
    ]
    return Pass(cut, tuple(decoded(PlayedBlock, one) for one in blocks))


def test_containers_that_were_cut_back_together_keep_what_the_designs_tell() -> None:
    """61 objects and 3 descriptors in each instance, and one object a step: divided by the numbers
    of elements, an object of each was 7 of the other.
    """
    passes = (
        cut_back(
            0,
            objects=lambda creates, steps: 95 * creates + steps,
            descriptors=lambda creates, steps: 3 * creates,
        ),
        cut_back(
            2, objects=lambda creates, steps: 34 * creates, descriptors=lambda creates, steps: 0
        ),
    )
    holders = (Holder("sick.VISITED", "list", "tuple"), Holder("sick.FLEET", "list", "sick.Sick"))
    steps, creates = sum(each[2] for each in CALLS), sum(each[0] for each in CALLS)
    assert kept_by(passes, holders, 0, "objects") == pytest.approx(steps)
    assert kept_by(passes, holders, 1, "objects") == pytest.approx(61 * creates)
    assert kept_by(passes, holders, 0, "descriptors") == pytest.approx(0)
    assert kept_by(passes, holders, 1, "descriptors") == pytest.approx(3 * creates)


def test_the_bytes_of_a_list_beside_threads_are_the_median_of_the_designs() -> None:
    """Tables of the interpreter took 4 KB more in one design of the first pass."""
    once = iter((0, 0, 4096, 0, 0, 0))
    first = cut_back(
        0,
        heap=lambda creates, steps: 2688 * creates + 72 * steps + next(once),
        threads=lambda creates, steps: creates,
    )
    second = cut_back(
        1, heap=lambda creates, steps: 2688 * creates, threads=lambda creates, steps: creates
    )
    kept = kept_by((first, second), (Holder("sick.VISITED", "list", "tuple"),), 0, MEMORY)
    assert kept == pytest.approx(72 * sum(each[2] for each in CALLS))


def test_pass_that_was_cut_short_is_compared_as_far_as_it_goes() -> None:
    first = cut_back(
        0,
        heap=lambda creates, steps: 2688 * creates + 72 * steps,
        threads=lambda creates, steps: creates,
    )
    second = cut_back(
        1, heap=lambda creates, steps: 2688 * creates, threads=lambda creates, steps: creates
    )
    shorter = replace(second, blocks=second.blocks[:-1])
    kept = kept_by((first, shorter), (Holder("sick.VISITED", "list", "tuple"),), 0, MEMORY)
    assert kept == pytest.approx(72 * sum(each[2] for each in CALLS))
