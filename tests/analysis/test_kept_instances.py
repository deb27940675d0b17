"""A container that keeps every instance, whose elements no operation adds steadily."""

from __future__ import annotations

import pytest

from envdoctor.analysis.growth.leaks import _with_instances
from envdoctor.analysis.growth.sides import LIFECYCLE, Causes, Holder, Pass, Side
from envdoctor.model.records import PlayedBlock


def block(cycles: int, steps: int, grew: int) -> PlayedBlock:
    calls = {"creates": cycles, "resets": cycles, "steps": cycles * steps}
    return PlayedBlock({}, {}, grew=(grew,), wire=calls)


BLOCKS = (block(140, 0, 0), block(140, 0, 0), block(140, 10, 420), block(140, 30, 420))


@pytest.mark.parametrize(
    ("is_instance", "blocks", "elements"),
    [(True, BLOCKS, {"cycle": 3.0}), (False, BLOCKS, {}), (True, BLOCKS[:2], {})],
)
def test_elements_are_those_of_the_cycles_that_have_any(
    is_instance: bool, blocks: tuple[PlayedBlock, ...], elements: dict[str, float]
) -> None:
    holder = Holder("arm.Arm.table", "lru_cache", "float", instance=is_instance)
    side = Side(LIFECYCLE, "cycle", (), {}, Causes(holders=(holder,)))
    assert _with_instances(side, Pass(0, blocks), 0) == elements
