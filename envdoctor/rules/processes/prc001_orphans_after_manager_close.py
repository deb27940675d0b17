"""Processes live on after the manager was closed.

What it does
    Counts the processes below the manager before it is launched and after it was closed, dropped
    and collected: its workers, and what the environments in them started. Looks once more from
    outside when the whole process has ended, so that a daemon which left its parent's session is
    found too.

Why it matters
    Vectorizers end their workers, not what these started. A simulator that survives keeps its
    memory, its port and its licence, and each trial leaves one more.

How to fix it
    End in close() what the environment started, and wait for it:

        def close(self):
            if self._simulator is not None:
                self._simulator.terminate()
                self._simulator.wait(timeout=10)
                self._simulator = None
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, UNKNOWN, Finding
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.examples import fact, life_trace, sensor_life, trace, vector_view
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View, kind_of, subtract
from envdoctor.rules.evidence.deaths import close_failed, worker_pids
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.leftovers import (
    acquired_at,
    count,
    ended_by_itself,
    ends_by_itself,
    listing,
    pronoun,
    single_site,
)

# Python's own servants live as long as the process that uses multiprocessing, and end with it.
SERVANTS = (
    "multiprocessing.forkserver",
    "multiprocessing.resource_tracker",
    "multiprocessing.semaphore_tracker",
)


@rule(
    "PRC001",
    "orphans-after-manager-close",
    where=VECTOR_ONLY,
    verb="close drop",
    sensors=("processes",),
    looks_at={"life": LIFECYCLE},
    counts=counted("processes left", "processes"),
    also_reads=("acquisitions",),
    cured_in_close=True,
)
def orphans_after_manager_close(view: View) -> Iterator[Finding]:
    orphans = {**found_afterwards(view), **view.left("processes", "collected")}
    workers = worker_pids(view.trace("life"))
    # Then it never came to ending its workers, and why it failed is another rule's.
    if close_failed(view.trace("life")):
        orphans = {pid: text for pid, text in orphans.items() if pid not in workers}
    if not orphans:
        return
    acquisition = single_site(view, "process")
    aim = aim_at("process", [acquisition] if acquisition else [])
    who = f"end {pronoun(orphans)} in {view.class_name}.close(), and wait for the end."
    if acquisition and acquisition.frame.function.rpartition(".")[2] == "reset":
        who += " It is reset() that starts one: let it end the old one first."
    if orphans.keys() <= workers:
        aim = None
        who = (
            "these are workers: see in the stderr and the stacks why they do not end;"
            " close(terminate=True) ends them meanwhile."
        )
    # In one process, and the null environment leaves none: no pair is needed.
    alone = (view.start_method is None and view.control is not None) or _left_alone(view, orphans)
    # What close() has stopped in the background: followed to its end where no manager was.
    fading = _left_alone(view, orphans) and ends_by_itself(view.direct, "processes")
    yield orphans_after_manager_close.finding(
        f"{count(orphans, 'process lives', 'processes live')} on after the manager was closed"
        f"{', and an instance alone ends its own in the background' if fading else ''}:"
        f" {listing(orphans.values())}",
        who,
        severity=NOTE if fading else ERROR,
        aim=aim,
        location=None if orphans.keys() <= workers else view.locate("close"),
        evidence={
            "processes": orphans,
            "workers": sorted(workers),
            "taken_at": acquired_at(view, "process"),
        },
        blame=ENVIRONMENT if alone else UNKNOWN,
    )


def _left_alone(view: View, orphans: Mapping[str, str]) -> bool:
    """Return whether an instance without a manager leaves processes of the same kinds, or runs them
    in the background after its close(). Those that were seen to end need no comparison.
    """
    left = {kind_of(text) for text in view.direct.left("processes", "held").values()}
    later = {kind_of(text) for text in ended_by_itself(view.direct, "processes").values()}
    ended = ended_by_itself(view, "processes")
    return bool(left) and all(
        pid in ended or kind_of(text) in left | later for pid, text in orphans.items()
    )


def found_afterwards(view: View) -> dict[str, str]:
    """Return the processes that were left when the process that ran the manager had to be gone,
    less the control's.
    """
    theirs = aftermath(view.control.trace("life")) if view.control else {}
    run = view.trace("life")
    launches = len(run.verbs("make", "ended")) if run else 0
    return view.without_forgotten("processes", subtract(aftermath(run), theirs.values()), launches)


def aftermath(run: Trace | None) -> Mapping[str, str]:
    """The processes left by a life that came to its end."""
    if run is None or run.outcome.kind != FINISHED or not run.verbs("close", "ended"):
        return {}
    workers = worker_pids(run)
    left = run.left_processes
    return {
        pid: text
        for pid, text in left.items()
        if pid in workers or not any(servant in text for servant in SERVANTS)
    }


def _closed(
    *,
    after: Mapping[str, str] | None = None,
    workers: tuple[int, ...] = (),
    **points: Mapping[str, str],
) -> View:
    readings: dict[str, Any] = {point: {"processes": left} for point, left in points.items()}
    life = life_trace(**readings)
    values = {"event": "workers", "t": 0.0, "pid": 1, "pids": list(workers)}
    return vector_view(
        Trace(life.scenario, life.outcome, (values, *life.events), {"processes": after or {}})
    )


def _stopped_alone(text: str, later: str = "") -> Trace:
    left = {"9": text}
    life = sensor_life("processes", before={}, held=left, collected=left)
    ended = {"processes": {**left, **({"10": later} if later else {})}}
    value = {"life": 0, "seconds": 11.0, "ended": ended}
    return replace(life, events=(*life.events, fact("afterwards", value)))


EXAMPLES = (
    Example(
        "the simulator goes on",
        _closed(before={}, held={}, collected={"31": "simulator --port 4242"}),
        "1 process lives on after the manager was closed: simulator --port 4242",
    ),
    Example(
        "daemons that are seen only from outside",
        _closed(
            before={},
            held={},
            collected={},
            after={
                "31": "server a",
                "32": "server b",
                "33": "python -c from multiprocessing.forkserver",
            },
        ),
        "2 processes live on after the manager was closed: server a, server b",
    ),
    Example(
        "a worker itself stays",
        _closed(
            before={}, held={"7": "python worker"}, collected={"7": "python worker"}, workers=(7, 8)
        ),
        "1 process lives on after the manager was closed: python worker",
    ),
    Example(
        "close() has it stopped in the background, which was followed without a manager",
        replace(
            _closed(before={}, held={}, collected={"31": "docker stop 721e856e59f8"}),
            other_places=(_stopped_alone("docker stop 2dd8f600d525"),),
        ),
        "1 process lives on after the manager was closed, and an instance alone ends its"
        " own in the background: docker stop 721e856e59f8",
    ),
    Example(
        "it is at another stage of its end than the instance without a manager was",
        replace(
            _closed(before={}, held={}, collected={"31": "docker rm 721e856e59f8"}),
            other_places=(_stopped_alone("docker stop 2dd8f600d525", "docker rm 2dd8f600d525"),),
        ),
        "1 process lives on after the manager was closed, and an instance alone ends its"
        " own in the background: docker rm 721e856e59f8",
    ),
    Example("all gone", _closed(before={}, held={}, collected={})),
    Example("it was never closed", vector_view(trace())),
)
