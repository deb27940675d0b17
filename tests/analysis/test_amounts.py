"""What is read of a block, and how growth is divided, where several things grow at once."""

from __future__ import annotations

from typing import Any

from envdoctor.analysis.growth.leaks import leaks_in
from envdoctor.analysis.growth.sides import rises, sides_of
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, played_block, trace, verb
from envdoctor.rules.evidence.growth import _may_be_taken_in

MIB = 2**20


def block(**rose: int) -> dict[str, Any]:
    return {"before": dict.fromkeys(rose, 0), "after": rose}


def test_mapped_memory_is_what_is_mapped_besides_mallocs() -> None:
    """Garbage of 200 MiB that malloc could not give back, beside 14 MiB that mmap() took."""
    found = rises(block(data=214 * MIB, malloc=200 * MIB, heap=0, python=0))
    assert found["data"] == 14 * MIB


def test_mapped_memory_that_garbage_of_python_took_is_left_out() -> None:
    told = {**block(data=MIB, malloc=0, heap=0, python=0)}
    waiting = {"uncollected": {"after": {"python": 2 * MIB, "heap": 0}}}
    assert rises({**told, **waiting})["data"] == 0
    assert rises(told)["data"] == MIB


def test_where_malloc_does_not_tell_garbage_is_left_out() -> None:
    told = block(data=3 * MIB, heap=0)
    waiting = {"uncollected": {"after": {"heap": 2 * MIB}}}
    assert rises({**told, **waiting})["data"] == MIB


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
    thread = {"frames": [{"function": "Thread.__init__"}, {"function": "Env.reset"}]}
    nested = {"frames": [{"function": "Env.reset"}, {"function": "Env.step"}]}
    helper = {"frames": [{"function": "load"}]}
    assert not _may_be_taken_in("step", thread)
    assert _may_be_taken_in("reset", thread)
    assert _may_be_taken_in("step", nested)
    assert _may_be_taken_in("step", helper)
    assert _may_be_taken_in("cycle", thread)
