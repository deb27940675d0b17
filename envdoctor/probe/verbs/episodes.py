"""The verbs that play whole episodes, and the beginnings of many."""

from __future__ import annotations

import contextlib
import gc
from typing import TYPE_CHECKING, Any, Dict, List, Mapping

from envdoctor.model.scenario import DIRECT, Verb
from envdoctor.probe.comparison.endings import RecordedEnd
from envdoctor.probe.progress import Progress
from envdoctor.probe.scenario_state import ScenarioState
from envdoctor.probe.system.deadline import Deadline
from envdoctor.probe.wrappers import innermost

if TYPE_CHECKING:
    from envdoctor.probe.adapters import Host


SECONDS, STEPS = 10.0, 2000  # that an episode may take: more where more were asked for
FOR_BEGINNINGS = 2.0  # seconds for all of them
ROUNDS, SEEDS = 4, 16  # of resets with other seeds
MAX_REPORTED = 1000  # episodes that are reported one by one


class EpisodeRun:
    """Result of playing episodes: `steps` in all, the ends of the `episodes` of each of so many
    `instances`, and which `bound` ended them before.
    """

    def __init__(self, instances: int) -> None:
        self.instances = instances
        self.steps = 0
        self.episodes: List[RecordedEnd] = []
        self.bound = ""

    def as_dict(self) -> Dict[str, object]:
        """For the journal, as `VerbRecord` reads it."""
        return dict(vars(self), episodes=[end._asdict() for end in self.episodes])


def episode(state: ScenarioState, verb: Verb) -> Mapping[str, object]:
    """Steps to the end of an episode, and on to the first observation of the next. What a last step
    returns is pickled without a manager: it often has an info of its own.
    """
    from envdoctor.probe.pickling.payloads import Tap

    limit, _, count = verb.argument.partition("x")
    host = state.host(verb)
    room = SECONDS * max(int(count or 1), int(limit) / STEPS)
    deadline = Deadline(min(room, state.budget))
    progress = state.progress = Progress(state.journal.path)
    run = EpisodeRun(host.instances)
    alone = state.scenario.manager == DIRECT
    tap = Tap(host.environment, state.ownership) if alone else None
    try:
        for number in range(1, int(count or 1) + 1):
            if number > 1:
                host.reset(None)
            host.follow()
            host.endings.look = tap.next if tap is not None else None
            _play_episode(host, progress, number, int(limit), deadline, run)
            if len(run.episodes) < MAX_REPORTED:
                run.episodes += host.endings.ends.values()
            if run.bound:
                break
    finally:
        progress.end()
        host.endings = None
    state.progress = None
    if tap is not None and run.episodes:
        state.journal.write("fact", key="payloads", value=tap.tried())
    return run.as_dict()


def _play_episode(
    host: Any, progress: Progress, number: int, limit: int, deadline: Deadline, run: EpisodeRun
) -> None:
    """One episode of each instance."""
    steps = 0
    while not host.endings.complete:
        if steps == limit:
            run.bound = "steps"
            return
        if deadline.passed:
            run.bound = "time"
            return
        steps += 1
        progress.at(number, steps)
        host.step()
        run.steps += 1


def beginnings(state: ScenarioState, verb: Verb) -> Mapping[str, int]:
    """Resets without a seed, with a few steps each, or to the end of the episode where that comes
    first: what few seeds bring about. {"resets"} is how many there was time for. Then, as far as
    there is time, what an instance keeps of seeds is looked at.
    """
    count, _, steps = verb.argument.partition("x")
    host = state.host(verb)
    deadline = Deadline(min(FOR_BEGINNINGS, state.budget))
    progress = state.progress = Progress(state.journal.path)
    number = 0
    try:
        while number < int(count) and not deadline.passed:
            number += 1
            progress.at(number, 0)
            host.reset(None)
            host.follow()
            for step in range(1, int(steps) + 1):
                if host.endings.complete:
                    break
                progress.at(number, step)
                host.step()
        if number == int(count) and not host.is_over:
            host.endings = None
            _tell_kept(state, host, progress, number, deadline)
    finally:
        progress.end()
        host.endings = None
    state.progress = None
    return {"resets": number}


def _tell_kept(
    state: ScenarioState, host: Host, progress: Progress, done: int, deadline: Deadline
) -> None:
    """Journal what is left of rounds of resets with seeds that were not given before: before each
    reading, the first seed is given again. Nothing where the time is too short for that.
    """
    from envdoctor.probe.growth.kept_of_seeds import kept, read

    readings = []
    with contextlib.suppress(Exception):  # a seed for which it raises is not what is looked for
        for number in range(1, ROUNDS * SEEDS + 1):
            progress.at(done + number, 0)
            host.reset(state.seed + number)
            if deadline.passed:
                return
            if number % SEEDS:
                continue
            host.reset(state.seed)
            gc.collect()
            reading = read(innermost(host.subject()), state.ownership.is_users)
            if reading is None:
                return
            readings.append(reading)
        state.journal.write("fact", key="kept-of-seeds", value=kept(SEEDS, readings))


VERBS = {"episode": episode, "beginnings": beginnings}
