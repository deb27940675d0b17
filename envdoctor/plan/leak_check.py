"""The leak check: which scenarios are played, and when it is enough. Their traces are all it
leaves.

Controls first, then warm-up, then blocks of whole lifecycles until every meter is decided or the
horizon is reached, then the same with resets of one instance that stays open: what one collects
goes with it, and training keeps one for days. Where something grows, what explains it: who holds
it, which operation takes it, which line. One leak never ends the search for the next, and an error
of the environment does not end it either.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from envdoctor.analysis.growth.leaks import BYTES, Leak, leaks_in
from envdoctor.analysis.growth.sides import (
    ALLOCATIONS,
    INSTANCE,
    LIFECYCLE_CAUSES,
    LIFECYCLES,
    LONG,
    OF_FUNCTION,
    OPEN_CAUSES,
    OPEN_INSTANCE,
    SUSPECTS,
    WHOLE,
    WHOLE_EPISODES,
    Side,
    sides_of,
)
from envdoctor.analysis.growth.verdicts import (
    FLAT,
    FLOOR,
    LEAK,
    QUIET_UNITS,
    UNIT,
    first_blocks,
    next_cycles,
)
from envdoctor.model.scenario import DIRECT, Scenario
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.costs import Costs, costs_of
from envdoctor.plan.episodes import steps_followed

Play = Callable[[Scenario], Trace | None]
Place = tuple[str, str | None]

STEPS = (20, 10, 5, 3, 2, 1)  # of each cycle: fewer where they are slow
WARM = 3  # cycles before the first block; fewer where they are slow
#: (cycles of the first block, cycles that a verdict takes at least): shorter ones where more would
#: not fit the time. Six cycles in two blocks decide on descriptors, threads and processes.
UNITS = ((UNIT, 5 * UNIT), (3, 15), (3, 6), (1, 5))
# Seconds that the first blocks may take to be asked for together; what is so quick starts no
# process.
AT_ONCE = 0.05
MOST = 0.95  # of the time, for the blocks of a slow environment: without a verdict nothing helps
WALL = 6.0  # times the time, of the wall, on a machine that runs other things
FOLLOWING = 0.6  # of the time, for the blocks; the rest is for what explains them

#: Blocks of lifecycles with a whole episode, in cycles; and the share of the time that they may
#: take: an end that is far off is followed where there is more time.
WHOLE_BLOCKS, WHOLE_SHARE = (UNIT, UNIT, UNIT, 2 * UNIT), 0.25
#: Those that decide, where the first ones were not flat.
MORE_WHOLE = (*WHOLE_BLOCKS, 4 * UNIT, 8 * UNIT)

#: (creates or resets in units, resets of each, steps of each): they tell the operations apart.
DESIGNS = ((1, 1, 0), (1, 1, 0), (1, 1, 10), (1, 1, 30), (1, 3, 0), (1, 3, 10), (2, 1, 0))
CALL_DESIGNS = ((1, 0, 0), (1, 0, 0), (2, 0, 0))
OPEN_DESIGNS = ((1, 1, 0), (1, 1, 0), (1, 1, 10), (1, 1, 30))
PASS = 10  # what all designs cost, in cycles of a unit
ALWAYS = 0.3  # of the time, for what explains growth, even where the blocks took all of it
RENDERS = 5  # of one more design, where it is rendered at all
SEEN = 4  # things that grow during the census
RARE = (
    7  # things that one design must have lost, so that a leak in every tenth cycle is placed, too
)

NAMED, EVENTS = 101, 30  # operations under memray; things that a rare leak must lose there
# Cycles under memray: what is left in a multiple of them is not a coincidence.
PRIMES = (1009, 503, 251, 101, 53, 31, 17, 7, 3)
TRACKED = 6.0  # times slower under memray, with Python's allocator and native stacks
OPERATIONS = ("create", "reset", "step")

#: Blocks of resets of one instance that stays open, in units: to see whether it grows; and, where
#: it does, as many more as there is time for, since instances bound what they collect by hand, at a
#: thousand of anything.
EPISODES, MORE_EPISODES = (1, 1, 1, 2, 4), (8, 16, 32, 64)
REST = (1, 1, 1, 2, 4)

#: What a line of code takes, and an audit hook reports.
TAKEN = ("descriptors", "threads", "processes", "files")


@dataclass(frozen=True)
class Effort:
    """How far to go: `cap` cycles in blocks (0: 231, or 455 when thorough), `seconds` for all of
    it. `explain` also plays memray; `save` is a directory that keeps its capture. `stay_open` also
    follows one instance that stays open.
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


#: What the scenarios of the check are called together, where they are left out.
LEAK_CHECK = "leak"

QUICK = Effort(seconds=10.0, explain=False)


@dataclass
class LeakCheck:
    """One leak check in one place. `spent` is the time that its scenarios took, in seconds; `costs`
    what one call of each operation takes, as far as it is known before; `episode` the steps that a
    whole episode was followed for, and `in_a_row` how many of those an instance plays. With
    `of_function`, a cycle is one call of a function.
    """

    play: Play
    effort: Effort
    place: Place = (DIRECT, None)
    renders: bool = False
    crashed: bool = False
    costs: Costs | None = None
    of_function: bool = False
    spent: float = 0.0
    passed: float = 0.0  # wall time
    traces: list[Trace] = field(default_factory=list)
    steps: int = STEPS[0]
    unit: int = UNIT
    episode: int = 0
    in_a_row: int = 1

    def run(self) -> None:
        """All of it, as far as the time goes."""
        self.steps = self._steps[0]
        self._fit(self.costs)
        calibrating = "calibrate " if self.place[0] == DIRECT else ""
        if self.of_function:  # of an environment, a life was played before
            calibrating = f"warm:{self._size(1)} {calibrating}"
        warm = self._play("leak-warm", f"{calibrating}warm:{self._size(self._warm)}")
        if warm is None or self._interrupted:
            return
        self._learn(warm)
        self._follow()
        if self.place[0] != DIRECT:
            return
        if self.effort.stay_open:
            self._follow_open_instance()
        self._follow_whole_episodes()
        if self._grows(WHOLE):
            self._explain_lifecycles()
        if self._grows(INSTANCE):
            self._explain_open_instance()

    # --- how long one thing takes, and what fits the time ---------------------------------------

    @property
    def _steps(self) -> tuple[int, ...]:
        """How many steps a cycle may have, the most first."""
        return (0,) if self.of_function else STEPS

    def _fit(self, costs: Costs | None) -> None:
        """Choose how many steps a cycle has, and how many cycles the first block, so that the least
        of both searches fits the time: slow steps are not a reason to see nothing.
        """
        if costs is None:
            return
        room = self.effort.seconds * FOLLOWING - self.spent
        for unit, least in UNITS:
            for steps in self._steps:
                seconds = (least + (WARM if unit == UNIT else 1)) * costs.cycle(steps)
                if self.effort.stay_open and least > 2 * unit:
                    seconds += unit * sum(EPISODES) * costs.episode(steps)
                if seconds <= room:
                    self.unit, self.steps = unit, steps
                    return
        self.unit, self.steps = UNITS[-1][0], self._steps[-1]

    @property
    def _warm(self) -> int:
        """Cycles before the first block: what is taken once is taken in them."""
        return WARM if self.unit == UNIT else 1

    def _learn(self, warm: Trace) -> None:
        """What the warm cycles took; those before them imported."""
        ended = warm.verbs("warm", "ended")
        told: Mapping[str, Any] = ended[0] if ended else {}
        cycle = float(told.get("cycle_seconds") or 0.0)
        if "create_seconds" in told:
            create, reset, step = (
                float(told[f"{name}_seconds"]) for name in ("create", "reset", "step")
            )
            rest = max(0.0, cycle - create - reset - step * self.steps)
            self.costs = Costs(create, reset, step, rest)
            self._fit(self.costs)
        else:
            self.costs = Costs(cycle, 0.0, 0.0)

    def _fitting(self, seconds: float, share: float = FOLLOWING) -> int:
        """Cycles that the time for blocks still allows."""
        return int((self.effort.seconds * share - self.spent) / max(seconds, 1e-6))

    @property
    def _per_cycle(self) -> float:
        """Seconds of one lifecycle: in the last block, else as the warm cycles tell."""
        side = self._side(WHOLE)
        if side is not None and side.blocks:
            return side.seconds
        return self.costs.cycle(self.steps) if self.costs else 0.0

    @property
    def _per_episode(self) -> float:
        """Seconds of one reset with its steps."""
        side = self._side(INSTANCE)
        if side is not None and side.blocks:
            return side.seconds
        return self.costs.episode(self.steps) if self.costs else self._per_cycle

    # --- playing --------------------------------------------------------------------------------

    def _play(self, name: str, script: str, **options: Any) -> Trace | None:
        """Play a scenario; None when it did not come to its end: interrupted, dead, or an error
        outside the cycles.
        """
        if self._interrupted:
            return None
        options = {**options, **({OF_FUNCTION: True} if self.of_function else {})}
        trace = self.play(Scenario(name, script, *self.place, options=tuple(options.items())))
        if trace is None:
            return None
        self.traces.append(trace)
        self.spent += seconds_of(trace)
        self.passed += trace.outcome.seconds
        if self.passed > self.effort.seconds * WALL:
            self.spent = max(self.spent, self.effort.seconds)
        raised = any(event["state"] == "raised" for event in trace.of("verb"))
        return trace if trace.outcome.kind == FINISHED and not raised else None

    @property
    def _interrupted(self) -> bool:
        return bool(self.traces) and self.traces[-1].outcome.kind == "interrupted"

    def _sides(self) -> tuple[Side, ...]:
        return sides_of(self.traces)

    def _side(self, name: str) -> Side | None:
        return next((side for side in self._sides() if side.name == name), None)

    def _grows(self, name: str) -> bool:
        side = self._side(name)
        return side is not None and any(each.kind != FLAT for each in side.growths.values())

    @property
    def lifecycles_grow(self) -> bool:
        """Whether anything grew over whole lifecycles."""
        return self._grows(WHOLE)

    def _leaks(self, name: str) -> list[Leak]:
        return [leak for leak in leaks_in(self._sides()) if leak.side == name]

    @property
    def _rendering(self) -> str:
        """The end of a size: each cycle renders once, where it was made with a render mode."""
        return "x1" if self.renders else ""

    def _size(self, times: int) -> str:
        resets = 0 if self.of_function else 1
        return f"{times}x{resets}x{self.steps}{self._rendering}"

    # --- whole lifecycles -----------------------------------------------------------------------

    def _follow(self, more: int = 0) -> None:
        """Blocks until there are enough; then, where asked, `more` short ones."""
        if not self._first_blocks():
            return
        while True:
            side = self._side(WHOLE)
            blocks = side.blocks if side else ()
            fitting = self._fitting(self._per_cycle, FOLLOWING if self.unit == UNIT else MOST)
            cycles = next_cycles(blocks, self.effort.thorough, self.effort.horizon)
            if cycles is None and more > 0 and self._room >= self._unit:
                cycles, more = min(QUIET_UNITS * self._unit, self._room), more - 1
            if cycles is None or (blocks and fitting < self._unit):
                return
            cycles = min(cycles, fitting) if blocks else min(self.unit, self.effort.horizon)
            if self._play(LIFECYCLES, f"block:{self._size(max(1, cycles))}") is None:
                return
            side = self._side(WHOLE)
            if side is None or len(side.blocks) <= len(blocks):
                return  # no instance could be made: another block would tell no more

    def _first_blocks(self) -> bool:
        """The first blocks, which every check needs, in one request where they are quick. False
        when one of them failed.
        """
        opening = first_blocks(self.effort.thorough, self.effort.horizon)
        fitting = min(self._fitting(self._per_cycle), self.effort.horizon)
        side = self._side(WHOLE)
        at_once = sum(opening) * self._per_cycle <= AT_ONCE
        if (side and side.blocks) or self.unit < UNIT or sum(opening) > fitting or not at_once:
            return True
        script = " ".join(f"block:{self._size(cycles)}" for cycles in opening)
        return self._play(LIFECYCLES, script) is not None

    @property
    def _unit(self) -> int:
        side = self._side(WHOLE)
        return side.blocks[0].cycles if side and side.blocks else self.unit

    @property
    def _room(self) -> int:
        """Cycles that the user's own limit still allows."""
        side = self._side(WHOLE)
        played = side.cycles if side else 0
        return self.effort.cap - played if self.effort.cap else self.effort.horizon

    def _explain_lifecycles(self) -> None:
        """What grew, who holds it, which operation takes it, and which line. Bounded caches that
        were part of it are empty from the census on, and the blocks begin anew; where nothing is
        steady, two more short ones tell whether it has filled up meanwhile.
        """
        rate = self._slowest(WHOLE)
        if self._play(SUSPECTS, f"suspects:{self._size(self._census(rate))}", rate=rate) is None:
            return
        side = self._side(WHOLE)
        if side is None or not side.blocks:
            self._follow()
        elif all(growth.kind != LEAK for growth in side.growths.values()):
            self._follow(more=2)
        side = self._side(WHOLE)
        if side and any(growth.kind == LEAK for growth in side.growths.values()):
            designs = CALL_DESIGNS if self.of_function else DESIGNS
            self._find_causes(LIFECYCLE_CAUSES, WHOLE, designs)
            if self.effort.explain:
                self._find_line(WHOLE)

    def _census(self, rate: float) -> int:
        """Cycles of a census: what grows slowest has grown by a few."""
        wanted = self._unit * math.ceil(SEEN / self._unit / rate)
        return max(self._unit, min(wanted, self._fitting(self._per_cycle, 1.0)))

    def _slowest(self, name: str) -> float:
        """Growth a cycle of what can be counted and grows slowest, one at most."""
        side = self._side(name)
        rates = [
            growth.rate
            for meter, growth in (side.growths if side else {}).items()
            if growth.rate >= FLOOR[meter] and meter not in BYTES
        ]
        return min((1.0, *rates))

    def _find_causes(
        self, name: str, side: str, designs: Sequence[tuple[int, int, int]], opened: bool = False
    ) -> None:
        """A census, then the designs with nothing cut back, then with one container after the other
        cut back, then blocks of what is left; as far as the time goes.
        """
        rate = self._slowest(side)
        fitting = self._fitting_causes(self._per_episode if opened else self._per_cycle)
        unit = self._design_unit(rate, fitting)
        sizes = [
            f"block:{times * unit}x{resets}x{-(-each * self.steps // STEPS[0])}"
            for times, resets, each in designs
        ]
        sizes += [f"block:{unit}x1x0x{RENDERS}"] if self.renders else []
        one = " ".join(sizes)
        rest = " ".join(f"rest:{self._size(times * min(unit, self._unit))}" for times in REST)
        passes = [one, f"cut:1 {one}", f"cut:1 {one}", f"cut:0 {one} {rest}"]
        if fitting < (len(passes) * PASS + sum(REST)) * unit:
            passes = [one, f"cut:0 {one} {rest}"]
        script = f"suspects:{self._size(self._census(rate))} {' '.join(passes)}"
        script = f"open warm:{self._size(self._warm)} {script} shut" if opened else script
        self._play(name, script, rate=rate, fresh=self._is_costly(side))

    def _fitting_causes(self, seconds: float) -> int:
        """Cycles that there is time for: growth that is not explained helps little, so there is
        always some.
        """
        share = 0.8 if self.effort.explain else 1.0
        left = max(self.effort.seconds * share - self.spent, self.effort.seconds * ALWAYS)
        return int(left / max(seconds, 1e-6))

    def _design_unit(self, rate: float, fitting: int) -> int:
        """Cycles of the shortest design: so many that a rare leak shows, as far as they fit."""
        wanted = self._unit
        if rate < 1:
            wanted *= max(1, math.ceil(RARE / self._unit / rate))
        return max(1, min(wanted, max(min(self._unit, 3), fitting // (2 * PASS + sum(REST)))))

    def _is_costly(self, name: str) -> bool:
        """Whether what was left so far would be in the way: descriptors, threads, processes."""
        side = self._side(name)
        return side is not None and any(
            side.grows(meter).kind == LEAK for meter in ("descriptors", "threads", "processes")
        )

    # --- one instance that stays open -----------------------------------------------------------

    def _follow_open_instance(self) -> None:
        """Resets of one instance. Where it grows, as many as there is time for, once its containers
        were looked at.
        """
        if not self._open_blocks(EPISODES) or not self._grows(INSTANCE):
            return
        unit = self.unit
        room = min(self._fitting(self._per_episode), self.effort.cap or 100_000)
        room -= sum(EPISODES) * unit
        more = [
            size
            for at, size in enumerate(MORE_EPISODES)
            if sum(MORE_EPISODES[: at + 1]) * unit <= room
        ]
        if more:
            self._open_blocks((*EPISODES, *more), f"suspects:{self._size(unit)} ")

    def _open_blocks(self, sizes: Sequence[int], before: str = "") -> bool:
        """Play them, if there is time for it; whether they were."""
        sizes = [size * self.unit for size in sizes]
        fitting = min(self._fitting(self._per_episode), self.effort.cap or 100_000)
        if sum(sizes) > fitting:
            sizes = [size for at, size in enumerate(sizes) if sum(sizes[: at + 1]) <= fitting]
        if len(sizes) < 2:
            return False
        blocks = " ".join(f"block:{self._size(size)}" for size in sizes)
        script = f"open warm:{self._size(self._warm)} {before}{blocks} shut"
        return self._play(OPEN_INSTANCE, script) is not None

    def _explain_open_instance(self) -> None:
        """Which container, which operation, and which line: of what does not outlive it."""
        self._find_causes(OPEN_CAUSES, INSTANCE, OPEN_DESIGNS, opened=True)
        if self.effort.explain and self._leaks(INSTANCE):
            self._find_line(INSTANCE)

    # --- whole episodes ---------------------------------------------------------------------------

    def _follow_whole_episodes(self) -> None:
        """Lifecycles with as many steps as an episode had, where that is more than the short ones
        have, and where there is time for it; then the lines that took what grew.
        """
        if self.episode <= self.steps or self.costs is None or self.effort.cap:
            return
        each = self.costs.cycle(self.episode) * self.in_a_row
        if (sum(WHOLE_BLOCKS) + 1) * each > self.effort.seconds * WHOLE_SHARE:
            return
        played = self._whole_blocks(WHOLE_BLOCKS)
        if played and self._grows_slowly(LONG) and not self._grows(WHOLE):
            more = (sum(MORE_WHOLE) + 2 * UNIT) * each
            if self.spent + more <= self.effort.seconds * FOLLOWING:
                census = f"suspects:{UNIT}x{self.in_a_row}x{self.episode} "
                played = self._whole_blocks(MORE_WHOLE, census)
        if played and any(leak.meter in TAKEN for leak in self._leaks(LONG)):
            self._play("takings", f"takings make reset episode:{self.episode} close drop")

    def _whole_blocks(self, blocks: Sequence[int], before: str = "") -> Trace | None:
        size = f"{self.in_a_row}x{self.episode}"
        script = " ".join(f"block:{cycles}x{size}" for cycles in blocks)
        return self._play(WHOLE_EPISODES, f"warm:1x{size} {before}{script}")

    def _grows_slowly(self, name: str) -> bool:
        """Whether anything grows that takes more blocks to decide on."""
        side = self._side(name)
        return side is not None and any(
            each.kind not in (FLAT, LEAK) for each in side.growths.values()
        )

    # --- lines ----------------------------------------------------------------------------------

    def _find_line(self, side: str) -> None:
        """Once more under memray: native stacks where malloc's heap grows and Python's objects do
        not.
        """
        leaks = self._leaks(side)
        if not leaks:
            return
        seconds = self._per_episode if side == INSTANCE else self._per_cycle
        fitting = (self.effort.seconds - self.spent) / max(seconds, 1e-6) / TRACKED
        rate = self._slowest(side)
        wanted = max(NAMED, EVENTS / rate)
        times = next((prime for prime in PRIMES if prime <= min(wanted, fitting)), PRIMES[-1])
        options: dict[str, Any] = {
            "native": any(leak.meter in ("heap", "data") and not leak.holder for leak in leaks),
            "aggregated": not self.crashed,
            "rate": rate,
        }
        operation = worst_operation(leaks)
        if operation:
            options["operation"] = operation
        if self.effort.save:
            options["save"] = self.effort.save
        script = f"open memray:{times} shut" if side == INSTANCE else f"memray:{times}"
        self._play(ALLOCATIONS, script, **options)


def worst_operation(leaks: Iterable[Leak]) -> str:
    """The operation that takes most of what leaks; empty when the designs do not tell."""
    known = [leak for leak in leaks if leak.operation in OPERATIONS]
    return max(known, key=lambda leak: leak.bytes or leak.rate).operation if known else ""


def check_leaks(
    play: Play,
    effort: Effort,
    renders: bool = False,
    earlier: Sequence[Trace] = (),
    of_function: bool = False,
    episode: int = 0,
    in_a_row: int = 1,
) -> None:
    """The leak check without a manager. `earlier` are the traces of the run so far: they tell what
    an operation takes, and one that crashed makes memray write as it goes. `episode` is how many
    steps a whole one has, where `earlier` does not tell.
    """
    crashed = any(trace.outcome.kind != FINISHED for trace in earlier)
    costs = costs_of(earlier)
    LeakCheck(
        play,
        effort,
        (DIRECT, None),
        renders,
        crashed,
        costs,
        episode=episode or steps_followed(earlier),
        in_a_row=in_a_row,
        of_function=of_function,
    ).run()


def seconds_of(trace: Trace) -> float:
    """What a scenario took, without what a busy machine kept from it."""
    return next(
        (float(event["seconds"]) for event in trace.of("scenario") if "seconds" in event),
        trace.outcome.seconds,
    )
