"""Ended processes were never waited for.

What it does
    Counts the zombies below the process before an environment, or a manager, is made and after it
    was closed, dropped and collected. Without a manager, a process also counts that ended with the
    environment and whose `Popen` object was given up before anything had asked how it ended:
    whether Python reaps it then is chance, and a zombie stays until another `Popen` is made.
    A process that a handler of SIGCHLD may wait for, or another thread, counts only where it is a
    zombie.

Why it matters
    A zombie holds its process number until its parent asks how it ended. A search that leaves one
    at every trial runs into the limit on processes, and then nothing on the machine can start.

How to fix it
    Wait for what you end:

        def close(self):
            self._simulator.kill()
            self._simulator.wait()  # kill() alone leaves a zombie
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from envdoctor.model.environment_aims import WaitForKilled
from envdoctor.model.events import Event
from envdoctor.model.facts import UnwaitedChild
from envdoctor.model.finding import WARNING, Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import (
    direct_view,
    ended_afterwards,
    fact,
    life_trace,
    sensor_life,
    vector_view,
)
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import close_failed, worker_pids
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.leftovers import (
    acquired_at,
    count,
    ended_by_itself,
    has_close,
    listing,
    pronoun,
    single_site,
    site_words,
)

#: The readings of a life before its close().
EVENTS = ("made", "reset", "stepped", "rendered")


@rule(
    "PRC002",
    "zombies-after-manager-close",
    severity=WARNING,
    verb="close drop",
    sensors=("zombies", "processes"),
    looks_at={"life": LIFECYCLE},
    counts=counted("zombies left", "zombies"),
    also_reads=("acquisitions",),
    follow_ups=("acquisitions",),
)
def zombies_after_manager_close(view: View) -> Iterator[Finding]:
    # What close() has done in the background leaves one for a moment at each of its steps.
    reaped = ended_by_itself(view, "zombies")
    left = view.left("zombies", "collected")
    zombies = {pid: text for pid, text in left.items() if pid not in reaped}
    # Then its workers were not waited for, and why it failed is another rule's.
    if close_failed(view.trace("life")):
        workers = worker_pids(view.trace("life"))
        zombies = {pid: text for pid, text in zombies.items() if pid not in workers}
    unwaited = _unwaited(view)
    zombies = {**zombies, **unwaited}
    if not zombies:
        return
    by_chance = unwaited.keys() == zombies.keys()
    what = (
        f"ends {count(zombies, 'process', 'processes')} and does not wait for {pronoun(zombies)},"
        f" so a zombie may stay: {listing(zombies.values())}"
        if by_chance
        else f"leaves {count(zombies, 'zombie')}: {listing(zombies.values())}"
    )
    acquired = site_words(view, "processes", "process", zombies)
    lines = [line for line in [single_site(view, "process")] if line]
    yield zombies_after_manager_close.finding(
        f"close() {what}",
        f"call wait() on {pronoun(zombies)} after terminate() or kill() in"
        f" {view.class_name}.close(){acquired}.",
        # It goes on until close() ends it: a wait() before that would last for ever.
        aim=WaitForKilled() if by_chance else aim_at("zombie", lines),
        location=view.locate("close"),
        evidence={"zombies": zombies, "taken_at": acquired_at(view, "process")},
    )


def _unwaited(view: View) -> dict[str, str]:
    """The children that the last life ended with its close(), or with the last reference, and whose
    Popen object was given up without an answer: by process id, with their names.
    """
    trace, life = view.trace("life"), view.last_life()
    if trace is None or life is None or not (view.is_direct and has_close(view)):
        return {}
    points = [point for point in EVENTS if life.has("processes", point)]
    ran = life.by_key("processes", points[-1]) if points else {}
    runs = life.by_key("processes", "collected")
    return {
        str(unwaited_child.child): unwaited_child.name
        for unwaited_child in trace.facts(UnwaitedChild)
        if unwaited_child.life == life.number
        and str(unwaited_child.child) in ran
        and str(unwaited_child.child) not in runs
    }


def _ended(*events: Event, **points: Any) -> Trace:
    """A life in which a process ran until close()."""
    ran = {"processes": {"9": "simulator --port 4242"}, "zombies": {}}
    life = life_trace(
        before={"processes": {}, "zombies": {}},
        stepped=ran,
        held={"processes": {}, "zombies": {}},
        **{"collected": {"processes": {}, "zombies": {}}, **points},
    )
    return replace(life, events=(*life.events, *events))


_UNWAITED = fact("unwaited", {"child": 9, "name": "simulator", "life": 0})
_STILL_RUNS = {"processes": {"9": "simulator --port 4242"}, "zombies": {}}

EXAMPLES = (
    Example(
        "killed, not waited for",
        direct_view(
            life_trace(
                before={"zombies": {}},
                held={"zombies": {"9": "simulator"}},
                collected={"zombies": {"9": "simulator"}},
            )
        ),
        "close() leaves 1 zombie: simulator",
    ),
    Example(
        "a manager that joins none of its workers",
        vector_view(
            life_trace(
                before={"zombies": {}},
                held={},
                collected={"zombies": {"9": "python", "10": "python"}},
            )
        ),
        "close() leaves 2 zombies: python, python",
    ),
    Example(
        "collecting the object waits for it",
        direct_view(
            life_trace(
                before={"zombies": {}},
                held={"zombies": {"9": "simulator"}},
                collected={"zombies": {}},
            )
        ),
    ),
    Example(
        "Python reaps the process by chance, when its Popen object is given up",
        direct_view(_ended(_UNWAITED)),
        "close() ends 1 process and does not wait for it, so a zombie may stay: simulator",
    ),
    Example(
        "what close() began in the background is waited for by its own parent",
        vector_view(
            ended_afterwards(
                sensor_life("zombies", before={}, held={"9": "docker"}, collected={"9": "docker"}),
                11.0,
                "zombies",
                "9",
            )
        ),
    ),
    Example("it is waited for", direct_view(_ended())),
    Example("it goes on", direct_view(_ended(_UNWAITED, collected=_STILL_RUNS))),
    Example(
        "one ends before close(), and another Popen() reaps it",
        direct_view(_ended(fact("unwaited", {"child": 8, "name": "compiler", "life": 0}))),
    ),
)
