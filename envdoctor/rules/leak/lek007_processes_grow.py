"""The number of child processes grows from cycle to cycle.

What it does
    Counts the processes below this one, also those that ended and were not waited for,
    before and after blocks of whole cycles, and gives each a moment to end. CLS008 reports what
    every life leaves; this one also sees what only some do. Where they are the ended children of a
    process that the environment started, that process is named.

Why it matters
    A simulator that runs on takes a core and its memory with it, and outlives the training.

How to fix it
    End it, and wait for it, so that it does not stay as a zombie:

        def close(self):
            self._encoder.terminate()
            self._encoder.wait(timeout=5)
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.analysis.growth.sides import INSTANCE
from envdoctor.model.facts import CaughtError, Unreaped
from envdoctor.model.finding import ERROR, Finding, Location
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    CYCLES,
    block,
    designs,
    direct_view,
    fact,
    growing,
    played_block,
    trace,
)
from envdoctor.rules.engine.registry import WHERE_PLAYED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.acquisitions import site_of
from envdoctor.rules.evidence.caught_errors import (
    as_often,
    caught_each_time,
    end_failed,
    where_caught,
)
from envdoctor.rules.evidence.growth import leaks_of, returned_by
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.growth import (
    at_line,
    give_back,
    held,
    horizon,
    reached_after,
    report,
    sentence,
    started_at,
)
from envdoctor.rules.wording.leftovers import listing

OPENED = "leak-open"


@rule(
    "LEK007",
    "processes-grow",
    explains=Cause.PROCESSES_GROW,
    where=WHERE_PLAYED,
    needs=("leak", "leak-workers"),
    meters=("processes",),
    grows="processes",
    gives_way=(Cause.PROCESSES_LEFT, Cause.INSTANCE_KEPT),
    follow_ups=("acquisitions", "caught"),
    also_reads=("acquisitions", "caught"),
)
def processes_grow(view: View) -> Iterator[Finding]:
    error = caught_each_time(view, "processes")
    for grown in leaks_of(view, "processes"):
        leak = where_caught(grown, error)
        site, parents = site_of(view, "process", leak), _parents_that_do_not_wait(view, leak)
        line = error.caught if error else (Location.at(site.frame) if site else None)
        message = (
            f"{sentence(leak, 'leaves', 'process', 'processes')}: 100 after"
            f" {reached_after(leak, 100)}{held(view, leak)}; {horizon(leak)}"
            f"{as_often(error, 'each time')}{_as_zombies(parents)}"
        )
        yield report(
            processes_grow,
            view,
            leak,
            (message, _of_error(error) or _remedy(view, leak, line, parents)),
            line,
            ERROR,
            aim=end_failed(error) or aim_at("process", [site] if site and not parents else []),
            explained_by=returned_by(
                view, leak, "processes", (Cause.PROCESSES_LEFT,), (Cause.INSTANCE_KEPT,)
            ),
        )


def _parents_that_do_not_wait(view: View, leak: Leak) -> list[str]:
    """The processes below an open instance whose ended children are what grows."""
    run = view.trace(OPENED) if leak.side == INSTANCE else None
    known = run.fact(Unreaped) if run is not None else None
    parents = known.parents if known is not None else {}
    return [command for command, number in parents.items() if number >= leak.rate * leak.cycles]


def _as_zombies(parents: list[str]) -> str:
    if not parents:
        return ""
    return f". They are zombies: ended children of {listing(parents)}, which does not wait for them"


def _of_error(error: CaughtError | None) -> str:
    """The remedy where processes are left each time that an error is caught."""
    if error is None:
        return ""
    return (
        f"end there, where {error.type} is caught, all that was started for the call, and wait for"
        " it: to end what started it does not end what that has started elsewhere, such as in a"
        " container, where the limit has to be given to the command itself (timeout)."
    )


def _remedy(view: View, leak: Leak, line: Location | None, parents: list[str]) -> str:
    if not parents:
        return f"{give_back(view, leak, 'end and wait for')}{started_at(line)}."
    started = f" ({at_line(line).strip()})" if line else ""
    return (
        f"let that process{started} wait for its children, also for those that it inherits as the"
        " first process of a container: start it below an init (docker run --init, tini), or reap"
        " them where SIGCHLD arrives."
    )


_ZOMBIES = [
    event
    for cycles in CYCLES
    for event in played_block(cycles, {"processes": 3 * cycles}, OPENED).events
]
_UNREAPED = fact("unreaped", {"parents": {"tail -f /dev/null": 700, "sh": 1}})
(_BY_RESET,) = designs("processes", reset=3)


def _caught(*left: str) -> View:
    """Every other reset() leaves a process, and step() catches an error in some of them."""
    place = {"file": "/arm.py", "line": 58, "function": "exec"}
    error = {"type": "TimeoutExpired", "calls": 8, "within": "step", "left": left}
    errors = [{**error, "message": "sleep 60", "frame": place, "caught": place}]
    tried = trace(fact("caught-errors", {"resets": 16, "errors": errors}), name="caught")
    view = direct_view(*growing(processes=0.5), *designs("processes", reset=0.5))
    return replace(view, optional_traces=(tried,))


_STEADY = "leaves 1 process: 100 after about 200 resets; steady through 231 cycles"
_EVERY_OTHER = f"every other reset() {_STEADY}"
_EPISODES = f"every other episode {_STEADY.replace('resets', 'episodes')}"

EXAMPLES = (
    Example(
        "a command that takes too long runs on",
        _caught("processes"),
        f"{_EPISODES}; each time, TimeoutExpired: sleep 60 (arm.py:58 in exec) is caught"
        " there, in step()",
    ),
    Example("an error that is caught in other calls", _caught(), _EVERY_OTHER),
    Example(
        "a simulator for each instance",
        direct_view(block(7, processes=7), block(7, processes=7)),
        "every cycle of make, reset, steps and close leaves 1 process: 100 after 100"
        " cycles; steady through 14 cycles",
    ),
    Example(
        "every second encoder is forgotten",
        direct_view(*growing(processes=0.5), *designs("processes", reset=0.5)),
        "every other reset() leaves 1 process: 100 after about 200 resets; steady through"
        " 231 cycles",
    ),
    Example(
        "a sandbox whose first process does not wait",
        direct_view(
            *growing(processes=0),
            trace(*_ZOMBIES, _UNREAPED, name=OPENED, script="open block:7x1x20 shut"),
            trace(*_BY_RESET.events, name="leak-open-causes", script=_BY_RESET.scenario.script),
        ),
        "every reset() of an instance that stays open leaves 3 processes: 100 after 33"
        " resets; steady through 231 resets. They are zombies: ended children"
        " of tail -f /dev/null, which does not wait for them",
    ),
    Example(
        "a server that is started once",
        direct_view(
            block(7, processes=1), *(block(cycles, processes=0) for cycles in (7, 7, 14, 28))
        ),
    ),
)
