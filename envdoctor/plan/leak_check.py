"""The leak check: which scenarios are played, and when it is enough. Their traces are all it
leaves.

Controls first, then warm-up, then blocks of whole lifecycles until every meter is decided or the
horizon is reached, then the same with resets of one instance that stays open: what one collects
goes with it, and training keeps one for days. Where something grows, what explains it: who holds
it, which operation takes it, which line. One leak never ends the search for the next, and an error
of the environment does not end it either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from envdoctor.analysis.growth.new_states import grows_with_states
from envdoctor.analysis.growth.sides import (
    INSTANCE,
    LIFECYCLE,
    LIFECYCLE_CAUSES,
    LIFECYCLES,
    LONG,
    NEW_STATES,
    OPEN_CAUSES,
    OPEN_INSTANCE,
    SUSPECTS,
    WHOLE_EPISODES,
    Side,
)
from envdoctor.analysis.growth.verdicts import (
    DECIDED,
    FLAT,
    LEAK,
    MOST_CYCLES,
    QUIET_UNITS,
    UNIT,
    bearable,
    first_blocks,
    next_cycles,
)
from envdoctor.model.facts import Afterwards
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.plan.costs import costs_of
from envdoctor.plan.episodes import steps_followed
from envdoctor.plan.leak_causes import CALL_DESIGNS, DESIGNS, OPEN_DESIGNS, CauseSearch
from envdoctor.plan.leak_session import EPISODES, FOLLOWING, Effort, LeakSession, Play

#: Blocks, in units, that show whether anything grows; and those that decide on its pace.
FIRST, DECIDING = (1, 1, 1), (1, 1, 1, 2, 4)

# Seconds that the first blocks may take to be asked for together; what is so quick starts no
# process.
AT_ONCE = 0.05
MOST = 0.85  # of the time, for the blocks of a slow environment: without a verdict nothing helps

#: Blocks of lifecycles with a whole episode, in cycles.
WHOLE_BLOCKS = (UNIT, UNIT, UNIT, 2 * UNIT)
#: Steps that they may take for each second of the whole time: a number, so that two examinations
#: of one environment follow the same. The share of the time is a net for steps that are slow.
WHOLE_STEPS, WHOLE_SHARE = 4000, 0.5
#: Those that decide, where the first ones were not flat.
MORE_WHOLE = (*WHOLE_BLOCKS, 4 * UNIT, 8 * UNIT)

#: Blocks of resets of an open instance that follow where it grows, in units: as many as there is
#: time for, since instances bound what they collect by hand, at a thousand of anything.
MORE_EPISODES = (8, 16, 32, 64)

#: What a line of code takes, and an audit hook reports.
RESOURCES = ("descriptors", "threads", "processes", "files", "segments")

#: What the scenarios of the check are called together, where they are left out.
LEAK_CHECK = "leak"


@dataclass
class LeakCheck(LeakSession):
    """One leak check in one place: what is followed, and what is explained."""

    def run(self) -> None:
        """All of it, as far as the time goes."""
        self.steps = self.most_steps[0]
        self.fit(self.costs)
        calibrating = "calibrate " if self.place[0] == DIRECT else ""
        if self.of_function:  # of an environment, a life was played before
            calibrating = f"warm:{self.size(1)} {calibrating}"
        warm = self.play_scenario("leak-warm", f"{calibrating}warm:{self.size(self.warm)}")
        if warm is None or self.interrupted:
            return
        self.learn(warm)
        self._follow()
        if self.place[0] != DIRECT:
            return
        if self.effort.long_lived:
            self._follow_open_instance()
        self._follow_whole_episodes()
        if self.grows(LIFECYCLE):
            self._explain_lifecycles()
        if self.grows(INSTANCE):
            self._explain_open_instance()
        if self.effort.explain and self.effort.long_lived and not self.of_function:
            follow_new_states(self)

    @property
    def lifecycles_grow(self) -> bool:
        """True if anything grew over whole lifecycles."""
        return self.grows(LIFECYCLE)

    def _follow(self, more: int = 0) -> None:
        """Blocks until there are enough; then, where asked, `more` short ones."""
        if not self._first_blocks():
            return
        while True:
            side = self.side(LIFECYCLE)
            blocks = side.blocks if side else ()
            fitting = self.fitting(self.per_cycle, self._share(side))
            cycles = next_cycles(blocks, self.effort.thorough, self.effort.horizon)
            if cycles is None and more > 0 and self._room >= self.first_unit:
                cycles, more = min(QUIET_UNITS * self.first_unit, self._room), more - 1
            if cycles is None or (blocks and fitting < self.first_unit):
                return
            cycles = min(cycles, fitting) if blocks else min(self.unit, self.effort.horizon)
            if self.play_scenario(LIFECYCLES, f"block:{self.size(max(1, cycles))}") is None:
                return
            side = self.side(LIFECYCLE)
            if side is None or len(side.blocks) <= len(blocks):
                return  # no instance could be made: another block would tell no more

    def _share(self, side: Side | None) -> float:
        """The share of the time for the next block: nearly all until what grows is decided, since
        another verdict on a slower machine would be one of the clock.
        """
        if self.unit != UNIT:
            return FOLLOWING if self.leaks(LIFECYCLE) else MOST
        return MOST if side and side.cycles < DECIDED * UNIT else FOLLOWING

    def _first_blocks(self) -> bool:
        """The first blocks, which every check needs, in one request where they are quick. False
        when one of them failed.
        """
        opening = first_blocks(self.effort.thorough, self.effort.horizon)
        fitting = min(self.fitting(self.per_cycle), self.effort.horizon)
        side = self.side(LIFECYCLE)
        at_once = sum(opening) * self.per_cycle <= AT_ONCE
        if (side and side.blocks) or self.unit < UNIT or sum(opening) > fitting or not at_once:
            return True
        script = " ".join(f"block:{self.size(cycles)}" for cycles in opening)
        return self.play_scenario(LIFECYCLES, script) is not None

    @property
    def _room(self) -> int:
        """Cycles that the user's own limit still allows."""
        side = self.side(LIFECYCLE)
        cycles = side.cycles if side else 0
        return self.effort.cap - cycles if self.effort.cap else self.effort.horizon

    def _explain_lifecycles(self) -> None:
        """Find the objects that grew, their holders, the operation and the line. Bounded caches
        among them are empty from the census on, and the blocks begin anew. If nothing is steady,
        two more short blocks show if a cache has filled up meanwhile.
        """
        rate = self.slowest(LIFECYCLE)
        census = CauseSearch(self).census(rate)
        if self.play_scenario(SUSPECTS, f"suspects:{self.size(census)}", rate=rate) is None:
            return
        side = self.side(LIFECYCLE)
        if side is None or not side.blocks:
            self._follow()
        elif all(growth.kind != LEAK for growth in side.growths.values()):
            self._follow(more=2)
        side = self.side(LIFECYCLE)
        if side and any(growth.kind == LEAK for growth in side.growths.values()):
            designs = CALL_DESIGNS if self.of_function else DESIGNS
            CauseSearch(self).find(LIFECYCLE_CAUSES, LIFECYCLE, designs)
            if self.effort.explain:
                CauseSearch(self).find_line(LIFECYCLE)

    def _follow_open_instance(self) -> None:
        """Resets of one instance. Where it grows, as many as there is time for, once its containers
        were looked at.
        """
        share = MOST if self.unit == UNIT else FOLLOWING
        if not self._open_blocks(EPISODES, share=share) or not self.grows(INSTANCE):
            return
        unit = self.unit
        side = self.side(INSTANCE)
        most = bearable(side.blocks) if side else MOST_CYCLES
        room = min(self.fitting(self.per_episode), self.effort.cap or most, most)
        room -= sum(EPISODES) * unit
        more = [
            size
            for at, size in enumerate(MORE_EPISODES)
            if sum(MORE_EPISODES[: at + 1]) * unit <= room
        ]
        if more:
            self._open_blocks((*EPISODES, *more), f"suspects:{self.size(unit)} ")

    def _open_blocks(
        self, sizes: Sequence[int], before: str = "", share: float = FOLLOWING
    ) -> bool:
        """Play them, if there is time for it; whether they were."""
        sizes = [size * self.unit for size in sizes]
        fitting = min(self.fitting(self.per_episode, share), self.effort.cap or 100_000)
        if sum(sizes) > fitting:
            sizes = [size for at, size in enumerate(sizes) if sum(sizes[: at + 1]) <= fitting]
        if len(sizes) < 2:
            return False
        blocks = " ".join(f"block:{self.size(size)}" for size in sizes)
        script = f"open warm:{self.size(self.warm)} {before}{blocks} shut"
        return self.play_scenario(OPEN_INSTANCE, script) is not None

    def _explain_open_instance(self) -> None:
        """Find container, operation and line of growth that does not outlive its instance."""
        CauseSearch(self).find(OPEN_CAUSES, INSTANCE, OPEN_DESIGNS, opened=True)
        if self.effort.explain and self.leaks(INSTANCE):
            CauseSearch(self).find_line(INSTANCE)

    def _follow_whole_episodes(self) -> None:
        """Lifecycles with as many steps as an episode had, where that is more than the short ones
        have, and not too many; then the lines that took what grew.
        """
        if self.episode <= self.steps or self.costs is None or self.effort.cap:
            return
        cycles, each = sum(WHOLE_BLOCKS) + 1, self.costs.cycle(self.episode) * self.in_a_row
        too_many = cycles * self.episode * self.in_a_row > self.effort.seconds * WHOLE_STEPS
        if too_many or cycles * each > self.effort.seconds * WHOLE_SHARE:
            return
        trace = self._whole_blocks(WHOLE_BLOCKS)
        if trace and self._grows_slowly(LONG) and not self.grows(LIFECYCLE):
            more = (sum(MORE_WHOLE) + 2 * UNIT) * each
            if self.spent + more <= self.effort.seconds * FOLLOWING:
                census = f"suspects:{UNIT}x{self.in_a_row}x{self.episode} "
                trace = self._whole_blocks(MORE_WHOLE, census)
        if trace and any(leak.meter in RESOURCES for leak in self.leaks(LONG)):
            self.play_scenario(
                "acquisitions", f"acquisitions make reset episode:{self.episode} close drop"
            )

    def _whole_blocks(self, blocks: Sequence[int], before: str = "") -> Trace | None:
        size = f"{self.in_a_row}x{self.episode}"
        script = " ".join(f"block:{cycles}x{size}" for cycles in blocks)
        return self.play_scenario(WHOLE_EPISODES, f"warm:1x{size} {before}{script}")

    def _grows_slowly(self, name: str) -> bool:
        """Return True if anything grows that takes more blocks to decide on."""
        side = self.side(name)
        return side is not None and any(
            each.kind not in (FLAT, LEAK) for each in side.growths.values()
        )


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
        grace=_grace(earlier),
    ).run()


def _grace(earlier: Sequence[Trace]) -> float:
    """Seconds that a reading waits for what close() began, as the plain life tells."""
    texts = [fact for trace in earlier for fact in trace.facts(Afterwards)]
    return max((2 * fact.seconds for fact in texts if any(fact.ended.values())), default=0.0)


def follow_new_states(session: LeakSession) -> None:
    """A few blocks, which a healthy environment ends with; then a census and those that decide."""
    most = (sum(FIRST) + sum(DECIDING) + 3) * UNIT
    if session.unit != UNIT or session.fitting(session.per_episode, 1.0) < most:
        return
    trace = session.play_scenario(NEW_STATES, _script(session, FIRST))
    if trace is not None and grows_with_states(trace, session.side(INSTANCE)):
        census = f"suspects:{session.size(UNIT)} "
        session.play_scenario(NEW_STATES, _script(session, DECIDING, census))


def _script(session: LeakSession, blocks: tuple[int, ...], before: str = "") -> str:
    sizes = " ".join(f"block:{session.size(times * UNIT)}" for times in blocks)
    return f"open:seeds warm:{session.size(session.warm)} {before}{sizes} shut"
