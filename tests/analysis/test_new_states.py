"""Tables that grow with new states, from the blocks of a trace."""

from __future__ import annotations

from typing import Any

import pytest

from envdoctor.analysis.growth.new_states import grows_with_states, state_tables
from envdoctor.analysis.growth.sides import INSTANCE, Side
from envdoctor.analysis.growth.verdicts import LEAK, Growth
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import fact, trace, verb

CYCLES = (7, 7, 7, 14, 28)


def _new_states(*rises: dict[str, int], grew: tuple[tuple[int, ...], ...] = ()) -> Trace:
    """A trace in which meters rose in one block after the other, and containers beside."""
    blocks: list[dict[str, Any]] = []
    for at, rise in enumerate(rises):
        block: dict[str, Any] = {"creates": 0, "resets": CYCLES[at], "steps": 20, "renders": 0}
        block["before"] = dict.fromkeys(rise, 100)
        block["after"] = {meter: 100 + number for meter, number in rise.items()}
        if grew:
            block.update(grew=list(grew[at]), sizes=[0] * len(grew[at]))
        blocks.append({**block, "seconds": 0.1})
    holders = [
        {"type": "dict", "chain": chain, "grew": 7, "unbounded": True}
        for chain in ("self.a", "self.b")
    ]
    census = {"cycles": 7, "types": [], "holders": holders, "caches": []}
    events = [fact("suspects", census)] if grew else []
    events += [verb(f"block:{block['resets']}x1x20", block=block) for block in blocks]
    return trace(*events, name="leak-new-states", script="open:seeds block:7x1x20 shut")


def _side(**rates: float) -> Side:
    growths = {meter: Growth(LEAK, rate, 63) for meter, rate in rates.items()}
    return Side(INSTANCE, "reset", (), growths)


@pytest.mark.parametrize(
    ("rises", "repeated", "expected"),
    [
        ([{"objects": 70}, {"objects": 70}, {"objects": 70}], None, True),
        ([{"objects": 70}, {"objects": 0}, {"objects": 70}], None, False),
        ([{"objects": 0, "elements": 7}] * 3, None, True),
        ([{"objects": 70}] * 3, _side(objects=10.0), False),
        ([{"objects": 84}] * 3, _side(objects=10.0), False),
        ([{"objects": 140}] * 3, _side(objects=10.0), True),
        ([{"heap": 700}] * 3, None, False),
        ([], None, False),
    ],
    ids=[
        "in each block",
        "not in each block",
        "elements alone",
        "as with one seed",
        "hardly more than with one seed",
        "twice as much as with one seed",
        "bytes are not looked at",
        "no block",
    ],
)
def test_growth_of_new_states_is_more_than_that_of_one(
    rises: list[dict[str, int]], repeated: Side | None, expected: bool
) -> None:
    assert grows_with_states(_new_states(*rises), repeated) is expected


def test_tables_keep_one_pace() -> None:
    steady, fading = (14, 14, 14, 28, 56), (70, 30, 10, 6, 2)
    met = _new_states(*[{"objects": 1}] * 5, grew=tuple(zip(steady, fading, strict=True)))
    (table,) = state_tables([met], frozenset())
    assert (table.holder.chain, table.each, table.episodes) == ("self.a", 2.0, 63)
    assert list(state_tables([met], frozenset({"self.a"}))) == []


def test_without_a_census_there_is_no_table() -> None:
    assert list(state_tables([_new_states({"objects": 70})], frozenset())) == []
    assert list(state_tables([], frozenset())) == []
