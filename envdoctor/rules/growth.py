"""What the hunt for leaks says of one place, for the rules on growth: which meter, in which operation, kept by whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from envdoctor.model.finding import ERROR, WARNING
from envdoctor.rules.view import View
from envdoctor.stats import DESIGNS_WHILE_OPEN, LEAK, OPEN, Block, Design, Growth, attribute, blocks_of, rises, verdicts, verdicts_while_open

EVENTS = 4  # that the short blocks must have seen together, to tell the operations apart
LEAST_BYTES = 32.0  # a cycle; the smallest piece that malloc gives. What grows slower is worth a warning
BYTES = ("heap", "data")
CYCLE = "cycle"
STAYS = " of an instance that stays open"
EPISODE = "episode" + STAYS


@dataclass(frozen=True)
class Leak:
    """Steady growth of one meter. `rate` is per cycle, `shares` per call of each operation that has a part in it, the one that
    keeps most in a cycle first.
    """

    meter: str
    rate: float
    cycles: int
    shares: Mapping[str, float]

    @property
    def operation(self) -> str:
        """The operation that keeps most in a cycle."""
        return next(iter(self.shares))

    @property
    def severity(self) -> str:
        """A leak of less than one thing, or of less than malloc's smallest piece, in a cycle is worth a warning."""
        return ERROR if self.rate >= (LEAST_BYTES if self.meter in BYTES else 0.95) else WARNING


def leak_of(view: View, meter: str) -> Leak | None:
    """The steady growth of a meter in a place: over whole cycles, else in the manager's parent side, else in a worker."""
    whole = CYCLE if view.is_direct else "launch"
    sides = [(whole, cycles_of(view)), ("reset in the parent", _parent_side(view)), *(("reset in a worker", blocks) for blocks in _workers(view))]
    growths = [(operation, _verdict(meter, blocks)) for operation, blocks in sides]
    for operation, growth in [*growths, (EPISODE, verdicts_while_open(view.traces).get(meter) or Growth(OPEN, 0.0, 0))]:
        if growth.kind == LEAK:
            shares = _shares(view, meter, growth.rate) if operation == whole else _shares_while_open(view, meter) if operation == EPISODE else {}
            return Leak(meter, growth.rate, growth.cycles, shares or {operation: growth.rate})
    return None


def objects_leak(view: View) -> Leak | None:
    """Python objects that grow. The collector does not know them all, but where it knows those that leak, its count is the
    clearer one: a list that gets longer changes its block now and then.
    """
    return leak_of(view, "objects") or leak_of(view, "tracked")


def followed(view: View, meter: str) -> Growth:
    """The verdict on a meter over whole cycles."""
    return _verdict(meter, cycles_of(view))


def _verdict(meter: str, blocks: tuple[Block, ...]) -> Growth:
    return verdicts(blocks).get(meter) or Growth(OPEN, 0.0, 0)


def blocks_seen(view: View, meter: str) -> list[tuple[int, int]]:
    """(cycles, rise) of each block, for the evidence."""
    return [(block.cycles, block.deltas[meter]) for block in cycles_of(view) if meter in block.deltas]


def cycles_of(view: View) -> tuple[Block, ...]:
    """The blocks of whole cycles, less what the control grows by."""
    theirs = blocks_of(view.control.traces) if view.control else ()
    return _less(blocks_of(view.traces), theirs)


def _less(blocks: tuple[Block, ...], theirs: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks without what the control grows by in as many cycles."""
    steady = {meter: growth.rate for meter, growth in verdicts(theirs).items() if growth.kind == LEAK}
    return tuple(
        Block(block.cycles, {meter: rise - round(steady.get(meter, 0.0) * block.cycles) for meter, rise in block.deltas.items()})
        for block in blocks
    )


def _shared(view: View) -> list[Mapping[str, Any]]:
    """The blocks that were played with one manager kept open."""
    return [event["block"] for trace in view.all("leak-workers") for event in trace.verbs("block", "ended")]


def _parent_side(view: View) -> tuple[Block, ...]:
    theirs = _parents_blocks(view.control) if view.control else ()
    return _less(_parents_blocks(view), theirs)


def _parents_blocks(view: View) -> tuple[Block, ...]:
    return tuple(Block(int(block["resets"]), rises(block)) for block in _shared(view) if block["resets"])


def _workers(view: View) -> list[tuple[Block, ...]]:
    """The blocks of each worker; those of the control's workers are taken off, in their order."""
    theirs = _each_worker(view.control) if view.control else []
    return [_less(own, theirs[at] if at < len(theirs) else ()) for at, own in enumerate(_each_worker(view))]


def _each_worker(view: View) -> list[tuple[Block, ...]]:
    found: dict[int, list[Block]] = {}
    for block in _shared(view):
        for worker in block.get("workers") or ():
            found.setdefault(worker["pid"], []).append(Block(int(block["resets"]), rises(worker)))
    return [tuple(blocks) for blocks in found.values()]


def _shares(view: View, meter: str, rate: float) -> dict[str, float]:
    """Growth per call of each operation that has a part in it; empty when the designs do not tell.

    They are short, so a leak at every fifth call is a matter of luck there: they say which operation, and the long blocks
    say how much.
    """
    designs = _designs(view, "leak-design", meter)
    found = attribute(designs) if sum(max(0, design.delta) for design in designs) >= EVENTS else None
    if found is None:
        return {}
    kept = {name: getattr(found, name) * calls for name, calls in _calls(view).items()}
    most, whole = max(kept.values()), sum(max(0.0, share) for share in kept.values())
    if most <= 0 or not 1 / 3 < rate / whole < 3:
        return {}
    exact = meter in BYTES or rate >= 0.95
    return {
        name: getattr(found, name) * (1 if exact else rate / whole)
        for name, share in sorted(kept.items(), key=lambda item: -item[1])
        if share >= most / 20 and (meter not in BYTES or getattr(found, name) >= 1)
    }


def _designs(view: View, scenario: str, meter: str) -> list[Design]:
    blocks = [event["block"] for trace in view.all(scenario) for event in trace.verbs("block", "ended")]
    return [
        Design(block["creates"], block["resets"], block["steps"], rises(block)[meter], block.get("renders", 0))
        for block in blocks
        if meter in rises(block)
    ]


def _shares_while_open(view: View, meter: str) -> dict[str, float]:
    """Growth per reset and per step of an instance that stays open; empty when the designs do not tell."""
    found = attribute(_designs(view, DESIGNS_WHILE_OPEN, meter))
    kept = {} if found is None else {"step" + STAYS: found.step, "reset" + STAYS: found.reset}
    return {name: share for name, share in kept.items() if share > 0}


def _calls(view: View) -> dict[str, float]:
    """How often each operation ran in a cycle."""
    blocks = [event["block"] for trace in view.all("leak") for event in trace.verbs("block", "ended")]
    cycles = sum(block["creates"] for block in blocks) or 1
    calls = {name: sum(block.get(name + "s", 0) for block in blocks) / cycles for name in ("reset", "step", "render")}
    return {"create": 1.0, **calls}


def unread(view: View, meters: tuple[str, ...]) -> str:
    """Why none of these meters can be judged in a place, or nothing."""
    blocks = [*cycles_of(view), *_parent_side(view)]
    if not meters or any(meter in block.deltas for block in blocks for meter in meters):
        return ""
    calibrated = view.direct.trace("leak-warm")
    reasons = ((calibrated.fact("sensitivity") if calibrated else None) or {}).get("missing") or {}
    why = next((str(reasons[meter]) for meter in meters if meter in reasons), "")
    return f"the meter {meters[0]} was not read{': ' + why if why else ''}" if blocks else "not one whole cycle was played"
