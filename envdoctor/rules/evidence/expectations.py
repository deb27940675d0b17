"""The known behavior of a manager, by its installed version, and its comparison with the
control.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace

from envdoctor.frameworks import profile_of
from envdoctor.frameworks.hidden_instances import forgotten
from envdoctor.model.facts import ExpectedBehavior, SurveyedManager
from envdoctor.model.facts.decoding import key
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import InstanceRecord
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View


@dataclass(frozen=True)
class Unlike:
    """A difference between a control and the table of its manager."""

    what: str
    expected: bool | int
    observed: bool | int = field(metadata=key("seen"))


def expected(view: View) -> ExpectedBehavior:
    """The row of the manager's table for the installed version, with `hidden`. Nothing is known
    where a manager or a version has none.
    """
    known = view.survey.managers.get(view.manager) or SurveyedManager()
    versions = view.survey.frameworks
    installed = version_of(versions.get(profile_of(view.manager).package, ""))
    rows = [row for since, row in known.expected if version_of(since) <= installed]
    return replace(rows[0] if rows else ExpectedBehavior(), hidden=known.hidden)


def version_of(text: str) -> tuple[int, ...]:
    """`(2, 9, 2)` of `2.9.2`; what is not a number ends it."""
    return tuple(int(number) for number in re.findall(r"\d+", re.split(r"[^\d.]", text)[0]))


def differences(view: View) -> list[Unlike]:
    """Return the differences between the control and the table: a defect of the doctor's."""
    trace = view.control.trace("life") if view.control else None
    if trace is None or not trace.verbs("close", "ended"):
        return []
    known = expected(view)
    table = dict(_of_launch(known, trace.scenario.workers))
    visited = observed(trace, known.hidden or 0)
    return [
        Unlike(what, table[what], visited[what])
        for what in visited
        if what in table and table[what] != visited[what]
    ]


def _of_launch(known: ExpectedBehavior, workers: int) -> Iterator[tuple[str, bool | int]]:
    """Yield the known values of one launch with so many workers."""
    if known.pins is not None:
        each, once = known.pins
        yield "pins", each * workers + once
    if known.zombies is not None:
        yield "zombies", known.zombies * workers
    for what in ("hidden", "closes_again", "closes_hidden"):
        value = getattr(known, what)
        if value is not None:
            yield what, value


def observed(trace: Trace, hidden: int) -> dict[str, bool | int]:
    """Return the values of a table as one control shows them."""
    launches, workers = len(trace.verbs("make", "ended")), trace.scenario.workers
    in_process = trace.scenario.start_method is None
    in_parent = sum(1 for _ in trace.records(InstanceRecord, what="made", parent=True))
    closings = [event.key for event in trace.records(InstanceRecord, what="closing")]
    pinned, zombies = trace.facts("pinned"), trace.facts("zombies")
    return {
        "hidden": in_parent // launches - (workers if in_process else 0),
        "closes_again": len(closings) > len(set(closings)),
        "closes_hidden": not forgotten(trace, hidden),
        **({"pins": pinned[0]} if pinned else {}),
        **({"zombies": zombies[0]} if zombies else {}),
    }
