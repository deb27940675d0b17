"""Growth that comes only with new states: episodes of an open instance, each with another seed.

The other sides repeat one seed, so that a healthy environment reads zero. A table by observation,
or a cache without a bound, reads zero there as well, and grows in training for as long as that
meets new states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from envdoctor.analysis.growth.sides import Side, rises
from envdoctor.analysis.growth.verdicts import LEAK, SLACK, Block, judge
from envdoctor.model.facts import GrownHolder, Suspects
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.meters import ELEMENTS, OBJECTS
from envdoctor.model.records import PlayedBlock
from envdoctor.model.trace import Trace
from envdoctor.model.traits import NEW_STATES


@dataclass(frozen=True)
class StateTable:
    """A container that gains `each` elements an episode that begins with another seed, at one pace
    through `episodes`; `blocks` are (episodes, elements).
    """

    holder: GrownHolder
    each: float
    episodes: int
    blocks: tuple[tuple[int, int], ...]


def grows_with_states(trace: Trace, repeated: Side | None) -> bool:
    """Return True if objects or elements rose in each block of new states, and faster than where
    one state is repeated.
    """
    return any(_rises_faster(_blocks(trace), meter, repeated) for meter in (OBJECTS, ELEMENTS))


def _blocks(trace: Trace) -> list[PlayedBlock]:
    return [record.block for record in trace.verbs("block", "ended") if record.block]


def _rises_faster(blocks: Sequence[PlayedBlock], meter: str, repeated: Side | None) -> bool:
    known = repeated.grows(meter).rate if repeated else 0.0
    rates = [rises(block).get(meter, 0) / max(1, block.calls("reset")) for block in blocks]
    return bool(rates) and min(rates) > (1 + SLACK) * max(0.0, known)


def state_tables(traces: Sequence[Trace], known: frozenset[str]) -> Iterator[StateTable]:
    """The containers that grow with new states alone, steadily. `known` are the chains of those
    that grow where one state is repeated.
    """
    met = [trace for trace in traces if trace.scenario.traits.growth == NEW_STATES]
    suspects = met[-1].fact(Suspects) if met else None
    if suspects is None:
        return
    watched = [holder for holder in suspects.holders if holder.unbounded]
    for at, holder in enumerate(watched):
        blocks = [
            Block(block.calls("reset"), {ELEMENTS: block.grew[at]})
            for block in _blocks(met[-1])
            if at < len(block.grew)
        ]
        growth = judge(ELEMENTS, blocks)
        if growth.kind == LEAK and holder.chain not in known:
            measured = tuple((block.cycles, block.deltas[ELEMENTS]) for block in blocks)
            yield StateTable(holder, growth.rate, growth.cycles, measured)
