"""The hunt for growth: which scenarios are played, and when it is enough. Their traces are all it leaves.

Controls first, then warm-up, then blocks of whole cycles until every meter is flat or the horizon is reached. Only where
something grows it goes on: who holds it, which operation takes it, and which line.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from envdoctor.growth import Place, blocks_in, per_operation
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.stats import (
    DESIGNS_WHILE_OPEN,
    FLAT,
    FLOOR,
    LEAK,
    QUIET_UNITS,
    UNIT,
    WHILE_OPEN,
    Block,
    Growth,
    blocks_of,
    first_blocks,
    next_cycles,
    verdicts,
    verdicts_while_open,
)  # fmt: skip

Play = Callable[[Scenario], Trace | None]

STEPS = 20  # of each cycle
WARM = 3  # cycles before the first block
SLOW_UNITS = (UNIT, 3, 1)  # the first block, shorter where even the shortest hunt would not fit the time
SHORTEST = 5  # units that it takes at least: 1 + 1 + 1 + 2
AT_ONCE = 0.05  # seconds that the first blocks may take to be asked for together; what is so quick starts no process
FOLLOWING = 0.6  # of the time, for the blocks; the rest is for the explanation

#: (creates in units, resets of each, steps of each): together they tell the operations apart.
DESIGNS = ((1, 1, 0), (1, 1, 0), (1, 1, 10), (1, 1, 30), (1, 3, 0), (1, 3, 10), (2, 1, 0))
RENDERS = 5  # of one more design, where it is rendered at all
SEEN = 4  # things that grow during the census
RARE = 7  # things that one design must have lost, so that a leak in every tenth cycle can be placed, too
DESIGN_CYCLES = 10  # what all designs cost, in cycles of a unit

NAMED, EVENTS = 101, 30  # operations under memray; things that a rare leak must lose there
PRIMES = (1009, 503, 251, 101, 53, 31, 17, 7, 3)  # cycles under memray: what is left in a multiple of them is no coincidence
TRACKED = 6.0  # times slower under memray, with Python's allocator and native stacks
OPERATIONS = ("create", "reset", "step")

#: Blocks of episodes of one instance that stays open: to see whether it grows; and, where it does, as many more as there is time
#: for, since instances bound what they collect by hand, at a thousand of anything.
EPISODES, MORE_EPISODES = (7, 7, 7, 14, 28), (56, 112, 224, 448)
OPEN_DESIGNS = ("7x1x0", "7x1x0", "7x1x10", "7x1x30")

RESETS = (7, 7, 7, 14, 28)  # blocks of resets of one manager that stays open: workers live longer than a cycle


@dataclass(frozen=True)
class Effort:
    """How far to go: `cap` cycles in blocks (0: 231, or 455 when thorough), `seconds` for all of it. `explain` also plays
    memray; `save` is a directory that keeps its capture. `stay_open` also follows one instance that lives on.
    """

    cap: int = 0
    seconds: float = 60.0
    thorough: bool = False
    explain: bool = True
    save: str = ""
    stay_open: bool = True

    @property
    def horizon(self) -> int:
        """The cap in cycles: whole blocks, so that the last three can be compared."""
        return self.cap or (455 if self.thorough else 231)


QUICK = Effort(seconds=10.0, explain=False)


@dataclass
class Hunt:
    """One hunt in one place. `spent` is the time that its scenarios took, in seconds."""

    play: Play
    effort: Effort
    place: Place = (DIRECT, None)
    renders: bool = False
    crashed: bool = False
    spent: float = 0.0
    traces: list[Trace] = field(default_factory=list)

    def run(self) -> None:
        """All of it, as far as the time goes."""
        calibrating = "calibrate " if self.place[0] == DIRECT else ""
        warm = self._scenario("leak-warm", f"{calibrating}warm:{WARM}x1x{STEPS}{self._rendering}")
        if warm is None or not self._follow(_seconds_per_cycle(warm)) or self.place[0] != DIRECT:
            return
        if all(growth.kind == FLAT for growth in self.growth.values()):
            if self.effort.stay_open:
                self._stay_open()
            return
        self._doubt()
        leaks = {meter: growth for meter, growth in self.growth.items() if growth.kind == LEAK}
        if leaks and self._tell_operations(leaks) and self.effort.explain:
            self._find_line(leaks)

    def _stay_open(self) -> None:
        """Episodes of one instance, where whole lives keep nothing: what it collects goes with it, and it lives for days."""
        per_cycle = self._per_episode()
        if not self._open_blocks(EPISODES, per_cycle) or all(growth.kind == FLAT for growth in verdicts_while_open(self.traces).values()):
            return
        room = min(self._fitting(per_cycle), self.effort.cap or math.inf) - sum(EPISODES)
        more = [size for at, size in enumerate(MORE_EPISODES) if sum(MORE_EPISODES[: at + 1]) <= room]
        if self._open_blocks((*EPISODES, *more), per_cycle, f"suspects:{UNIT}x1x{STEPS} ") and self.effort.explain:
            self._explain_while_open()

    def _per_episode(self) -> float:
        """Seconds of a cycle without make and close: tried, where whole cycles would take too long and there is time to try."""
        if sum(EPISODES) <= self._fitting(self._per_cycle) or not self.effort.explain:
            return self._per_cycle
        warm = self._scenario("leak-open-warm", f"open warm:{WARM}x1x{STEPS}{self._rendering} shut")
        return _seconds_per_cycle(warm) if warm else math.inf

    def _open_blocks(self, sizes: Sequence[int], per_cycle: float, before: str = "") -> bool:
        """Play them, if there is time for it; whether they were."""
        if sum(sizes) > min(self._fitting(per_cycle), self.effort.cap or math.inf):
            return False
        blocks = " ".join(f"block:{size}x1x{STEPS}{self._rendering}" for size in sizes)
        return self._scenario(WHILE_OPEN, f"open warm:{WARM}x1x{STEPS}{self._rendering} {before}{blocks} shut") is not None

    def _explain_while_open(self) -> None:
        """Which operation, and which line."""
        leaks = {meter: growth for meter, growth in verdicts_while_open(self.traces).items() if growth.kind == LEAK}
        designs = " ".join(f"block:{size}" for size in OPEN_DESIGNS)
        if not leaks or self._scenario(DESIGNS_WHILE_OPEN, f"open warm:{WARM}x1x{STEPS} {designs} shut") is None:
            return
        found = per_operation(self.traces, next(iter(leaks)), DESIGNS_WHILE_OPEN)
        stepping = found is not None and found.step * STEPS > found.reset
        options: dict[str, Any] = {"native": not {"objects", "tracked"} & leaks.keys(), "aggregated": not self.crashed}
        options |= {"operation": "step" if stepping else "reset"} | ({"save": self.effort.save} if self.effort.save else {})
        self._scenario("leak-memray", f"open memray:{NAMED} shut", **options)

    @property
    def growth(self) -> dict[str, Growth]:
        """The verdicts so far."""
        return verdicts(blocks_of(self.traces))

    def _scenario(self, name: str, script: str, **options: Any) -> Trace | None:
        """Play it; None when the hunt cannot go on: interrupted, dead, or an error in what is repeated."""
        trace = self.play(Scenario(name, script, *self.place, options=tuple(options.items())))
        if trace is None:
            return None
        self.traces.append(trace)
        self.spent += trace.outcome.seconds
        raised = any(event["state"] == "raised" for event in trace.of("verb"))
        return trace if trace.outcome.kind == FINISHED and not raised else None

    def _follow(self, per_cycle: float, more: int = 0) -> bool:
        """Blocks until there are enough; then, where asked, `more` short ones. False when one of them failed."""
        if not self._open(per_cycle):
            return False
        while True:
            blocks = blocks_of(self.traces)
            fitting = self._fitting(per_cycle)
            cycles = next_cycles(blocks, self.effort.thorough, self.effort.horizon)
            if cycles is None and more > 0 and self._room >= self._unit:
                cycles, more = min(QUIET_UNITS * self._unit, self._room), more - 1
            if cycles is None or (blocks and fitting < self._unit):
                return True
            cycles = min(cycles, fitting if blocks else first_block(min(fitting, self.effort.horizon)))
            block = self._block("leak", f"{cycles}x1x{STEPS}{self._rendering}")
            if block is None or not block["creates"]:
                return False
            per_cycle = block["seconds"] / block["creates"]

    def _open(self, per_cycle: float) -> bool:
        """The first blocks, which every hunt needs, in one request where they are quick. False when one of them failed."""
        opening = first_blocks(self.effort.thorough, self.effort.horizon)
        fitting = min(self._fitting(per_cycle), self.effort.horizon)
        if blocks_of(self.traces) or first_block(fitting) < UNIT or sum(opening) > fitting or sum(opening) * per_cycle > AT_ONCE:
            return True
        return self._block("leak", *(f"{cycles}x1x{STEPS}{self._rendering}" for cycles in opening)) is not None

    @property
    def _room(self) -> int:
        """Cycles that the user's own limit still allows."""
        return self.effort.cap - sum(block.cycles for block in blocks_of(self.traces)) if self.effort.cap else self.effort.horizon

    def _fitting(self, per_cycle: float) -> int:
        """Cycles that the time for blocks still allows."""
        return int((self.effort.seconds * FOLLOWING - self.spent) / max(per_cycle, 1e-6))

    def _block(self, name: str, *sizes: str) -> Mapping[str, Any] | None:
        """Play blocks in one request; what the last one told."""
        trace = self._scenario(name, " ".join(f"block:{size}" for size in sizes))
        ended = trace.verbs("block", "ended") if trace else []
        return ended[-1].get("block") if ended else None

    def _doubt(self) -> None:
        """Ask what grew and who holds it. Where bounded caches were part of it they are empty from here on, and the blocks
        begin anew; where nothing is steady, two more short ones tell whether it has filled up meanwhile.
        """
        per_cycle = self._per_cycle
        rate = self._slowest()
        wanted = self._unit * math.ceil(SEEN / self._unit / rate)
        cycles = max(self._unit, min(wanted, self._fitting(per_cycle)))
        if self._scenario("leak-suspects", f"suspects:{cycles}x1x{STEPS}{self._rendering}", rate=rate) is None:
            return
        if not self.growth:
            self._follow(per_cycle)
        elif all(growth.kind != LEAK for growth in self.growth.values()):
            self._follow(per_cycle, more=2)

    def _slowest(self) -> float:
        """Growth a cycle of what can be counted and grows slowest, one at most."""
        rates = [growth.rate for meter, growth in self.growth.items() if growth.rate >= FLOOR[meter] and meter not in ("heap", "data")]
        return min((1.0, *rates))

    def _tell_operations(self, leaks: Mapping[str, Growth]) -> bool:
        """The designs, each with so many instances that the rarest leak shows in all of them, if there is time for it."""
        slowest = min((growth.rate for meter, growth in leaks.items() if meter not in ("heap", "data")), default=1.0)
        wanted = self._unit * max(1, math.ceil(RARE / self._unit / slowest)) if slowest < 1 else self._unit
        share = 0.5 if self.effort.explain else 1.0
        affordable = int((self.effort.seconds - self.spent) * share / DESIGN_CYCLES / max(self._per_cycle, 1e-6))
        unit = max(min(self._unit, 3), min(wanted, affordable))
        sizes = [f"{creates * unit}x{resets}x{steps}" for creates, resets, steps in DESIGNS]
        sizes += [f"{unit}x1x0x{RENDERS}"] if self.renders else []
        return all(self._block("leak-design", size) for size in sizes)

    def _find_line(self, leaks: Mapping[str, Growth]) -> None:
        """Once more under memray: native stacks where malloc's heap grows and Python's objects do not."""
        fitting = (self.effort.seconds - self.spent) / max(self._per_cycle, 1e-6) / TRACKED
        rate = self._slowest()
        wanted = max(NAMED, EVENTS / rate)
        cycles = next((prime for prime in PRIMES if prime <= min(wanted, fitting)), PRIMES[-1])
        options: dict[str, Any] = {"native": not {"objects", "tracked"} & leaks.keys(), "aggregated": not self.crashed, "rate": rate}
        options |= {"operation": operation} if (operation := worst_operation(self.traces, leaks)) else {}
        options |= {"save": self.effort.save} if self.effort.save else {}
        self._scenario("leak-memray", f"memray:{cycles}", **options)

    @property
    def _rendering(self) -> str:
        """The end of a size: each cycle renders once, where it was made with a render mode."""
        return "x1" if self.renders else ""

    @property
    def _unit(self) -> int:
        return next(iter(blocks_of(self.traces)), Block(UNIT, {})).cycles

    @property
    def _per_cycle(self) -> float:
        """Seconds of one cycle in the last block."""
        block = blocks_in(self.traces, "leak")[-1]
        return float(block["seconds"]) / int(block["creates"])


def hunt(play: Play, effort: Effort, renders: bool = False, earlier: Sequence[Trace] = ()) -> None:
    """Hunt without a manager. `earlier` are the traces of the run so far: one that crashed makes memray write as it goes, and
    a life so long that not even the shortest hunt fits the time makes a quick one pointless.
    """
    crashed = any(trace.outcome.kind != FINISHED for trace in earlier)
    if effort.explain or seconds_of_a_life(earlier) * (WARM + SHORTEST) <= effort.seconds * FOLLOWING:
        Hunt(play, effort, renders=renders, crashed=crashed).run()


def seconds_of_a_life(traces: Iterable[Trace]) -> float:
    """What the last life cost, from make to close."""
    lives = [trace for trace in traces if trace.scenario.name == "life"]
    verbs = [event for trace in lives[-1:] for event in trace.of("verb") if event["state"] == "ended"]
    last = max((at for at, event in enumerate(verbs) if event["verb"] == "make"), default=0)
    return float(sum(event["seconds"] for event in verbs[last:] if event["verb"] != "drop"))


def hunt_managed(play: Play, effort: Effort, places: Sequence[Place], earlier: Iterable[Trace] = ()) -> None:
    """Hunt under managers, in the time that `earlier` hunts left: resets of one that stays open, seen from the parent and from
    inside each worker, then whole launches, seen from the parent. Both also on the null environment, launches only where
    something grew, so that the manager's own growth can be taken off.
    """
    spent = sum(trace.outcome.seconds for trace in earlier if trace.scenario.name.startswith("leak"))
    share = replace(effort, seconds=max(0.0, effort.seconds - spent) / max(1, len(places)))
    blocks = " ".join(f"block:{resets}x1x{STEPS}" for resets in RESETS)
    for place in places:
        workers = Scenario("leak-workers", f"make reset step:{STEPS} {blocks} close drop", *place)
        played = [play(workers), play(replace(workers, control=True))]
        launches = Hunt(play, share, place, spent=sum(trace.outcome.seconds for trace in played if trace))
        launches.run()
        if any(growth.kind != FLAT for growth in launches.growth.values()):
            Hunt(lambda scenario: play(replace(scenario, control=True)), share, place).run()


def first_block(fitting: int) -> int:
    """Cycles of the first block where so many fit into the time."""
    return next((unit for unit in SLOW_UNITS if unit * SHORTEST <= fitting), SLOW_UNITS[-1])


def _seconds_per_cycle(warm: Trace) -> float:
    """Of the last warm one: the first ones import."""
    ended = warm.verbs("warm", "ended")
    return float(ended[0].get("cycle_seconds") or 0.0) if ended else 0.0


def worst_operation(traces: Iterable[Trace], leaks: Mapping[str, Growth]) -> str:
    """The operation that takes most of what leaks in a cycle; empty when the designs do not tell."""
    meter = next((meter for meter in ("objects", "heap", *leaks) if meter in leaks), "")
    found = per_operation(traces, meter)
    if found is None:
        return ""
    shares = {"create": found.create, "reset": found.reset, "step": found.step * STEPS}
    return max(OPERATIONS, key=lambda name: shares[name])
