"""The leak check under managers: which scenarios are played. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from envdoctor.analysis.growth.sides import MANAGED
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import Trace
from envdoctor.plan.leak_check import LeakCheck
from envdoctor.plan.leak_session import STEPS, Effort, Place, Play, seconds_of

# Blocks of resets of one manager that stays open: workers live longer than a cycle.
RESETS = (7, 7, 7, 14, 28)


def check_leaks_managed(
    play: Play, effort: Effort, places: Sequence[Place], earlier: Iterable[Trace] = ()
) -> None:
    """The leak check under managers, in the time that earlier ones left: resets of one that stays
    open, seen from the parent and from inside each worker, then whole launches, seen from the
    parent. Both also on the null environment, launches only where something grew, so that the
    manager's own growth can be taken off.
    """
    spent = sum(seconds_of(trace) for trace in earlier if trace.scenario.traits.growth)
    share = replace(effort, seconds=max(0.0, effort.seconds - spent) / max(1, len(places)))
    blocks = " ".join(f"block:{resets}x1x{STEPS[0]}" for resets in RESETS)
    for place in places:
        workers = Scenario(MANAGED, f"make reset step:{STEPS[0]} {blocks} close drop", *place)
        traces = [play(workers), play(replace(workers, control=True))]
        launches = LeakCheck(
            play, share, place, spent=sum(seconds_of(trace) for trace in traces if trace)
        )
        launches.run()
        if launches.lifecycles_grow:
            LeakCheck(lambda scenario: play(replace(scenario, control=True)), share, place).run()
