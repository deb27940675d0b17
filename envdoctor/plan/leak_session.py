"""The state of a leak check: the effort, the cost of one cycle, the remaining time, and the sides
that were played so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field

from envdoctor.analysis.growth.leaks import BYTES, Leak, leaks_in
from envdoctor.analysis.growth.side_reading import sides_of
from envdoctor.analysis.growth.sides import INSTANCE, LIFECYCLE, OF_FUNCTION, Side
from envdoctor.analysis.growth.verdicts import FILLING, FLAT, LEAK, UNIT, floor
from envdoctor.model.facts import Compilations
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import ScenarioRecord, VerbRecord
from envdoctor.model.scenario import DIRECT, SERVICE_COUNT, Scenario
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.costs import Costs

Play = Callable[[Scenario], Trace | None]
Place = tuple[str, str | None]

STEPS = (20, 10, 5, 3, 2, 1)  # of each cycle: fewer where they are slow
WARM = 3  # cycles before the first block; fewer where they are slow
#: (cycles of the first block, cycles that a verdict takes at least, whether one open instance is
#: followed as well): shorter ones where more would not fit the time. 27 cycles tell one object a
#: cycle from what still fills; six in two blocks decide on descriptors, threads, processes.
UNITS = (
    (UNIT, 5 * UNIT, True),
    (3, 27, True),
    (3, 15, True),
    (3, 27, False),
    (3, 6, False),
    (1, 5, False),
)
WALL = 15.0  # times the time, of the wall: a net, after which nothing more fits the time
FOLLOWING = 0.6  # of the time, for the blocks; the rest is for what explains them
#: Seconds for all cycles up to the horizon, in which they fit any time: what is so quick is
#: followed to its end, also where a busy machine took the time before.
QUICK_CYCLES = 1.0

#: Blocks of resets of one instance that stays open, in units: to see whether it grows.
EPISODES = (1, 1, 1, 2, 4)


@dataclass(frozen=True)
class Effort:
    """The limits of a leak check: `cap` cycles in blocks (0: 231, or 455 when thorough), `seconds`
    for all of it. `explain` also plays memray; `save` is a directory that keeps its capture.
    `long_lived` also follows one instance that stays open. `service_count` is a command that counts
    what a service keeps.
    """

    cap: int = 0
    seconds: float = 60.0
    thorough: bool = False
    explain: bool = True
    save: str = ""
    long_lived: bool = True
    service_count: str = ""

    @property
    def horizon(self) -> int:
        """The cap in cycles: whole blocks, so that the last three can be compared."""
        return self.cap or (455 if self.thorough else 231)


QUICK = Effort(seconds=10.0, explain=False)


@dataclass
class LeakSession:
    """The leak check of one place. `spent` is the time that its scenarios took, in seconds; `costs`
    the cost of one call of each operation, as far as it is known before; `episode` the steps that a
    whole episode was followed for, and `in_a_row` how many of those an instance plays. With
    `of_function`, a cycle is one call of a function. Work that close() began ends by itself within
    `grace` seconds.
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
    grace: float = 0.0
    _sides_of: tuple[int, tuple[Side, ...]] = (0, ())

    @property
    def most_steps(self) -> tuple[int, ...]:
        """The possible numbers of steps in a cycle, the largest first."""
        return (0,) if self.of_function else STEPS

    def fit(self, costs: Costs | None) -> None:
        """Choose how many steps a cycle has, and how many cycles the first block, so that the least
        of both searches fits the time: slow steps are not a reason to see nothing.
        """
        if costs is None:
            return
        room = self.effort.seconds * FOLLOWING - self.spent
        for unit, least, opened in UNITS:
            for steps in self.most_steps:
                seconds = (least + (WARM if unit == UNIT else 1)) * costs.cycle(steps)
                if self.effort.long_lived and opened:
                    seconds += unit * sum(EPISODES) * costs.episode(steps)
                if seconds <= room:
                    self.unit, self.steps = unit, steps
                    return
        self.unit, self.steps = UNITS[-1][0], self.most_steps[-1]

    @property
    def warm(self) -> int:
        """Cycles before the first block: what is taken once is taken in them."""
        return WARM if self.unit == UNIT else 1

    def learn(self, warm: Trace) -> None:
        """Take costs from the warm cycles; those before them imported."""
        ended = warm.verbs("warm", "ended")
        cycle = ended[0].cycle_seconds if ended else 0.0
        create = ended[0].create_seconds if ended else None
        if create is not None:
            reset, step = ended[0].reset_seconds, ended[0].step_seconds
            rest = max(0.0, cycle - create - reset - step * self.steps)
            if self.costs and self.steps < STEPS[0]:  # too few to have a slow reset() among them
                step = max(step, self.costs.step)
            self.costs = Costs(create, reset, step, rest)
            self.fit(self.costs)
        else:
            self.costs = Costs(cycle, 0.0, 0.0)

    def fitting(self, seconds: float, share: float = FOLLOWING) -> int:
        """Cycles that the time for blocks still allows. Where lives are quick, some always fit."""
        quick = 0 < self.per_cycle * self.effort.horizon <= QUICK_CYCLES
        room = self.effort.seconds * share - self.spent
        return int(max(room, QUICK_CYCLES if quick else room) / max(seconds, 1e-6))

    @property
    def per_cycle(self) -> float:
        """Seconds of one lifecycle: in the last block, else as the warm cycles tell."""
        side = self.side(LIFECYCLE)
        if side is not None and side.blocks:
            return side.seconds
        return self.costs.cycle(self.steps) if self.costs else 0.0

    @property
    def per_episode(self) -> float:
        """Seconds of one reset with its steps."""
        side = self.side(INSTANCE)
        if side is not None and side.blocks:
            return side.seconds
        return self.costs.episode(self.steps) if self.costs else self.per_cycle

    def play_scenario(self, name: str, script: str, **options: object) -> Trace | None:
        """Play a scenario; None when it did not come to its end: interrupted, dead, or an error
        outside the cycles.
        """
        if self.interrupted:
            return None
        options = {**options, **({OF_FUNCTION: True} if self.of_function else {})}
        options.update({"grace": self.grace} if self.grace else {})
        options.update({"compiles": self.compiles} if self.compiles else {})
        if self.effort.service_count and self.place[0] == DIRECT:
            options[SERVICE_COUNT] = self.effort.service_count
        trace = self.play(Scenario(name, script, *self.place, options=tuple(options.items())))
        if trace is None:
            return None
        self.traces.append(trace)
        self.spent += seconds_of(trace)
        self.passed += trace.outcome.seconds
        if self.passed > self.effort.seconds * WALL:
            self.spent = max(self.spent, self.effort.seconds)
        raised = any(verb.state == "raised" for verb in trace.records(VerbRecord))
        return trace if trace.outcome.kind == FINISHED and not raised else None

    @property
    def compiles(self) -> str:
        """The library that compiles anew at each call, as the warm cycles tell: its caches have a
        bound of thousands of programs, and what fills them is what is looked for.
        """
        facts = (trace.fact(Compilations) for trace in self.traces)
        return next((fact.library for fact in facts if fact and fact.call), "")

    @property
    def interrupted(self) -> bool:
        """True if the user interrupted the last scenario."""
        return bool(self.traces) and self.traces[-1].outcome.kind == "interrupted"

    def sides(self) -> tuple[Side, ...]:
        """The sides that were played so far."""
        if self._sides_of[0] != len(self.traces):  # it is asked several times for each
            self._sides_of = (len(self.traces), sides_of(self.traces))
        return self._sides_of[1]

    def side(self, name: str) -> Side | None:
        """One side, where it was played."""
        return next((side for side in self.sides() if side.name == name), None)

    def grows(self, name: str) -> bool:
        """Return True if any meter of a side is not flat."""
        side = self.side(name)
        return side is not None and any(each.kind != FLAT for each in side.growths.values())

    def leaks(self, name: str) -> list[Leak]:
        """The leaks of a side."""
        return [leak for leak in leaks_in(self.sides()) if leak.side == name]

    @property
    def _rendering(self) -> str:
        """The end of a size: each cycle renders once, where it was made with a render mode."""
        return "x1" if self.renders else ""

    def size(self, times: int) -> str:
        """So many cycles, as the script of a scenario has them."""
        resets = 0 if self.of_function else 1
        return f"{times}x{resets}x{self.steps}{self._rendering}"

    @property
    def first_unit(self) -> int:
        """Cycles of the first block, or of what is to be the first one."""
        side = self.side(LIFECYCLE)
        return side.blocks[0].cycles if side and side.blocks else self.unit

    def slowest(self, name: str) -> float:
        """Growth a cycle of what can be counted and grows slowest, one at most. What fills up
        beside a leak needs no cycles of its own.
        """
        side = self.side(name)
        growths = side.growths if side else {}
        leaks = any(growth.kind == LEAK for growth in growths.values())
        rates = [
            growth.rate
            for meter, growth in growths.items()
            if growth.rate >= floor(meter)
            and meter not in BYTES
            and not (leaks and growth.kind == FILLING)
        ]
        return min((1.0, *rates))


def seconds_of(trace: Trace) -> float:
    """Return the duration of a scenario, without the time that a busy machine kept from it."""
    return next(
        (record.seconds for record in trace.records(ScenarioRecord) if record.seconds is not None),
        trace.outcome.seconds,
    )
