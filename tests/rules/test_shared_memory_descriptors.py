"""Descriptors of shared memory that a container keeps: the rule on shared memory explains them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import LIFECYCLE, Holder
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, played_block
from envdoctor.rules.engine.view import View
from envdoctor.rules.leak.lek005_descriptors_grow import _of_segments

CYCLES = (7, 7, 7, 14, 28, 56, 112)
SEGMENTS = (1, 2, 1, 3, 5, 12, 22)  # every fifth instance has one
VIEWER = Holder("arm.VIEWER", "list", "SharedMemory", handle="segments")
#: As fitted from the blocks of 28 and 56 cycles; the pace of segments from those of 28 to 112.
LEAK = Leak("descriptors", LIFECYCLE, "cycle", 34 / 84, 231, {"create": 34 / 84}, VIEWER)


def seen(descriptors_each: int) -> View:
    return direct_view(
        *(
            played_block(cycles, {"descriptors": descriptors_each * segments, "segments": segments})
            for cycles, segments in zip(CYCLES, SEGMENTS, strict=True)
        )
    )


@pytest.mark.parametrize(
    ("leak", "descriptors_each", "explained"),
    [
        (LEAK, 2, (Cause.SHARED_MEMORY_GROWS,)),
        (LEAK, 3, ()),
        (replace(LEAK, holder=None), 2, ()),
        (replace(LEAK, holder=replace(VIEWER, handle="processes")), 2, ()),
    ],
)
def test_two_descriptors_of_each_segment_are_explained(
    leak: Leak, descriptors_each: int, explained: tuple[Cause, ...]
) -> None:
    assert _of_segments(seen(descriptors_each), leak) == explained
