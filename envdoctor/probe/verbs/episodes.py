"""The verb that plays whole episodes."""

from __future__ import annotations

import time
from typing import Any, Dict, List, Mapping

from envdoctor.model.scenario import Verb
from envdoctor.probe.progress import Progress
from envdoctor.probe.scenario_state import ScenarioState

SECONDS, STEPS = 10.0, 2000  # that an episode may take: more where more were asked for
TOLD = 1000  # episodes that are reported one by one


def episode(state: ScenarioState, verb: Verb) -> Mapping[str, Any]:
    """Steps to the end of an episode, and on to the first observation of the next; {"steps",
    "episodes": [{step, how}, of each instance under a manager], "bound": what ended it before}.
    """
    limit, _, count = verb.argument.partition("x")
    host = state.host(verb)
    room = SECONDS * max(int(count or 1), int(limit) / STEPS)
    deadline = time.monotonic() + min(room, state.budget)
    progress = state.progress = Progress(state.journal.path)
    told: Dict[str, Any] = {"steps": 0, "episodes": [], "instances": host.instances, "bound": ""}
    try:
        for number in range(1, int(count or 1) + 1):
            if number > 1:
                host.reset(None)
            host.follow()
            _one(host, progress, number, int(limit), deadline, told)
            ends: List[Dict[str, Any]] = list(host.endings.found.values())
            told["episodes"] += ends if len(told["episodes"]) < TOLD else []
            if told["bound"]:
                break
    finally:
        progress.end()
        host.endings = None
    state.progress = None
    return told


def _one(
    host: Any, progress: Progress, number: int, limit: int, deadline: float, told: Dict[str, Any]
) -> None:
    """One episode of each instance."""
    steps = 0
    while not host.endings.complete:
        if steps == limit:
            told["bound"] = "steps"
            return
        if time.monotonic() > deadline:
            told["bound"] = "time"
            return
        steps += 1
        progress.at(number, steps)
        host.step()
        told["steps"] += 1


VERBS = {"episode": episode}
