"""The causes of growth: container, operation and line. Designs of blocks, and scenarios under
memray.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import ALLOCATIONS, INSTANCE
from envdoctor.analysis.growth.verdicts import LEAK
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.meters import CHILD_MEMORY, meter_of
from envdoctor.plan.leak_session import STEPS, LeakSession

#: (creates or resets in units, resets of each, steps of each): they tell the operations apart.
DESIGNS = ((1, 1, 0), (1, 1, 0), (1, 1, 10), (1, 1, 30), (1, 3, 0), (1, 3, 10), (2, 1, 0))
CALL_DESIGNS = ((1, 0, 0), (1, 0, 0), (2, 0, 0))
OPEN_DESIGNS = ((1, 1, 0), (1, 1, 0), (1, 1, 10), (1, 1, 30))
#: The fewest that tell them apart, where not even the others fit the time once.
FEWEST_DESIGNS = ((1, 1, 0), (1, 2, 0), (1, 1, 10))
PASS = 10  # what all designs cost, in cycles of a unit
ALWAYS = 0.3  # of the time, for what explains growth, even where the blocks took all of it
RENDERS = 5  # of one more design, where it is rendered at all
LEAST_THINGS = 4  # things that grow during the census
RARE = (
    7  # things that one design must have lost, so that a leak in every tenth cycle is placed, too
)

NAMED, EVENTS = 101, 30  # operations under memray; things that a rare leak must lose there
# Cycles under memray: what is left in a multiple of them is not a coincidence.
PRIMES = (1009, 503, 251, 101, 53, 31, 17, 7, 3)
TRACKED = 6.0  # times slower under memray, with Python's allocator and native stacks
OPERATIONS = ("create", "reset", "step")

REST = (1, 1, 1, 2, 4)
LEAST = 2 * PASS + sum(REST)  # units of what tells operations and a container apart
SHORT = 3  # cycles of a design, in which what is taken in every other one shows


@dataclass(frozen=True)
class CauseSearch:
    """The search for what explains the growth of a session's sides, as far as the time goes."""

    session: LeakSession

    def census(self, rate: float) -> int:
        """Cycles of a census: what grows slowest has grown by a few."""
        wanted = self.session.first_unit * math.ceil(LEAST_THINGS / self.session.first_unit / rate)
        return max(
            self.session.first_unit, min(wanted, self.session.fitting(self.session.per_cycle, 1.0))
        )

    def find(
        self, name: str, side: str, designs: Sequence[tuple[int, int, int]], opened: bool = False
    ) -> None:
        """A census, then the designs with nothing cut back, then with one container after the other
        cut back, then blocks of what is left; as far as the time goes.
        """
        rate = self.session.slowest(side)
        fitting = self._fitting_causes(
            self.session.per_episode if opened else self.session.per_cycle
        )
        unit = self._design_unit(rate, fitting)
        if designs is DESIGNS and fitting < PASS:
            designs = FEWEST_DESIGNS
        sizes = [
            f"block:{times * unit}x{resets}x{-(-each * self.session.steps // STEPS[0])}"
            for times, resets, each in designs
        ]
        sizes += [f"block:{unit}x1x0x{RENDERS}"] if self.session.renders else []
        text = " ".join(sizes)
        rest = " ".join(
            f"rest:{self.session.size(times * min(unit, self.session.first_unit))}"
            for times in REST
        )
        passes = [text, f"cut:1 {text}", f"cut:1 {text}", f"cut:0 {text} {rest}"]
        if fitting < (len(passes) * PASS + sum(REST)) * unit:
            passes = [text, f"cut:0 {text} {rest}"]
        if fitting < LEAST * unit:
            passes = [text]
        script = f"suspects:{self.session.size(self.census(rate))} {' '.join(passes)}"
        script = (
            f"open warm:{self.session.size(self.session.warm)} {script} shut" if opened else script
        )
        # What has the number of an episode as its key is there already, and would not grow again.
        fresh = opened or self._is_costly(side)
        self.session.play_scenario(name, script, rate=rate, fresh=fresh)

    def _fitting_causes(self, seconds: float) -> int:
        """Cycles that there is time for: growth that is not explained helps little, so there is
        always some.
        """
        share = 0.8 if self.session.effort.explain else 1.0
        left = max(
            self.session.effort.seconds * share - self.session.spent,
            self.session.effort.seconds * ALWAYS,
        )
        return int(left / max(seconds, 1e-6))

    def _design_unit(self, rate: float, fitting: int) -> int:
        """Cycles of the shortest design: so many that a rare leak shows, as far as they fit."""
        shortest = min(self.session.first_unit, SHORT) if fitting >= SHORT * PASS else 1
        wanted = max(shortest, math.ceil(RARE / rate)) if rate < 1 else shortest
        return max(1, min(wanted, max(shortest, fitting // LEAST)))

    def _is_costly(self, name: str) -> bool:
        """Return True if earlier leftovers would disturb it: descriptors, threads, processes."""
        side = self.session.side(name)
        return side is not None and any(
            side.grows(meter).kind == LEAK for meter in ("descriptors", "threads", "processes")
        )

    def find_line(self, side: str) -> None:
        """Once more under memray, where memory grows and there is time left: native stacks where
        malloc's heap grows and Python's objects do not.
        """
        leaks = [leak for leak in self.session.leaks(side) if _is_of_the_process(leak)]
        if not leaks or self.session.spent >= self.session.effort.seconds:
            return
        seconds = self.session.per_episode if side == INSTANCE else self.session.per_cycle
        fitting = (self.session.effort.seconds - self.session.spent) / max(seconds, 1e-6) / TRACKED
        rate = self.session.slowest(side)
        wanted = max(NAMED, EVENTS / rate)
        times = next((prime for prime in PRIMES if prime <= min(wanted, fitting)), PRIMES[-1])
        options: dict[str, object] = {
            "native": any(leak.meter in ("heap", "data") and not leak.holder for leak in leaks),
            "aggregated": not self.session.crashed,
            "rate": rate,
        }
        operation = worst_operation(leaks)
        if operation:
            options["operation"] = operation
        if self.session.effort.save:
            options["save"] = self.session.effort.save
        script = f"open memray:{times} shut" if side == INSTANCE else f"memray:{times}"
        self.session.play_scenario(ALLOCATIONS, script, **options)


def _is_of_the_process(leak: Leak) -> bool:
    """Return whether it is memory that the process takes itself."""
    return not meter_of(leak.meter).thing and leak.meter != CHILD_MEMORY


def worst_operation(leaks: Iterable[Leak]) -> str:
    """The operation that takes most of what leaks; empty when the designs do not tell."""
    known = [leak for leak in leaks if leak.operation in OPERATIONS]
    return max(known, key=lambda leak: leak.bytes or leak.rate).operation if known else ""
