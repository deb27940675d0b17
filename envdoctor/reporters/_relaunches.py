"""Instances over resets and a relaunch: one row for each, in the order in which they were made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.analysis.instances import Instance, instances
from envdoctor.model.trace import Trace
from envdoctor.reporters._lines import Grid
from envdoctor.reporters._showing import clean

RELAUNCH = "relaunch"  # the scenario, and its verb

HEADINGS = ("relaunch of", "pid", "serial", "id", "made by", "resets", "closed by")
NONE = "none"
BY = {"make": "launch", RELAUNCH: "relaunch", "close": "close()", "": NONE}
MAX_ROWS = 16


def relaunches(traces: Iterable[Trace]) -> Iterator[Grid]:
    """The table, where anything was launched again."""
    rows = [row for trace in traces if trace.scenario.traits.relaunches for row in _rows(trace)]
    if rows:
        yield Grid(HEADINGS, tuple(rows[:MAX_ROWS]), frozenset((1, 2, 5)))


def _rows(trace: Trace) -> Iterator[tuple[tuple[str, str], ...]]:
    manager = trace.scenario.manager
    for instance in instances(trace):
        closed = _closer(instance)
        yield (
            (manager, ""),
            (str(instance.pid), ""),
            (str(instance.serial), ""),
            (f"{instance.id:#x}", ""),
            (_by(instance.made_during), ""),
            (str(instance.resets), ""),
            (closed, "yellow" if closed == NONE else ""),
        )


def _closer(instance: Instance) -> str:
    """Return the call that closed it first. A manager closes the old ones before it builds new
    ones, in one call.
    """
    return _by(instance.closings[0].during) if instance.closings else NONE


def _by(verb: str) -> str:
    return BY.get(verb, clean(verb, unicode=True))
