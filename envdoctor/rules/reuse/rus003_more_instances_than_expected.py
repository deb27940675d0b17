"""More instances exist than were asked for.

What it does
    Counts the living objects of the innermost class while one instance is in use. Under a manager
    it counts the constructor calls in the parent and in the workers against what that manager is
    known to make.

Why it matters
    Memory, licences and start-up time are paid for each. Hidden copies are also the ones that
    are never closed.

How to fix it
    Save and restore the state of one instance instead of keeping copies of it:

        state = self.get_state()
        value = self.search()           # plays ahead on itself
        self.set_state(state)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.events import Event
from envdoctor.model.facts import Census
from envdoctor.model.finding import Finding
from envdoctor.model.records import InstanceRecord
from envdoctor.model.scenario import MORE_INSTANCES
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, instance, trace, vector_view, verb
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.expectations import expected as expected_of
from envdoctor.rules.evidence.reuse import built_anew

OWN = 1  # the instance in use


def _unjudged(view: View) -> str:
    return "" if view.is_direct else built_anew(view.trace("life"))


@rule(
    "RUS003",
    "more-instances-than-expected",
    severity="note",
    verb="make",
    looks_at={"life": "make"},
    unjudged=_unjudged,
)
def more_instances_than_expected(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    if run is None:
        return
    yield from _alive(view, run) if view.is_direct else _made(view, run)


def _alive(view: View, run: Trace) -> Iterator[Finding]:
    census = run.fact(Census)
    if not census or census.count <= OWN:
        return
    name = census.class_name.rsplit(".", 1)[-1]
    yield more_instances_than_expected.finding(
        f"one instance in use, but {census.count} objects of {name} are alive",
        "if these are copies to plan ahead with, save and restore the state of one instance"
        " instead; close those that are needed in close().",
        location=view.locate("__init__"),
        evidence={"census": census.wire},
    )


def _made(view: View, run: Trace) -> Iterator[Finding]:
    known = expected_of(view)
    launches, workers = len(run.verbs("make", "ended")), run.scenario.workers
    if known.hidden is None or not launches or built_anew(run):
        return
    if run.scenario.option(MORE_INSTANCES, False):
        return
    hosted = {True: known.hidden, False: 0}
    hosted[view.start_method is None] += workers
    for where, parent in (("the parent", True), ("the workers", False)):
        expected = hosted[parent] * launches
        made = len(list(run.records(InstanceRecord, what="made", parent=parent)))
        if made > expected:
            yield more_instances_than_expected.finding(
                f"{made} instances were made in {where}, {expected} expected of {view.manager} with"
                f" {workers} workers",
                f"make sure that {view.class_name} can be made that often: keep what must exist"
                " once out of the constructor.",
                location=view.locate("__init__"),
                evidence={"made": made, "expected": expected, "where": where},
            )


RESTARTED = fact("restarts", {"built": 2, "instances": 2, "endless": False})


def _async(parents: int, workers: int, *more: Event) -> View:
    made = [instance("made", serial) for serial in range(parents)] + [
        instance("made", pid=serial, parent=False) for serial in range(workers)
    ]
    run = trace(*made, *more, verb("make"))
    return vector_view(run, managers={"gymnasium-async": {"hidden": 1}})


EXAMPLES = (
    Example(
        "a planner keeps two copies of itself",
        direct_view(trace(fact("census", {"life": 1, "class": "sick.Sick", "count": 3}))),
        "one instance in use, but 3 objects of Sick are alive",
    ),
    Example(
        "one is in use, one is alive",
        direct_view(trace(fact("census", {"life": 1, "class": "sick.Sick", "count": 1}))),
    ),
    Example("AsyncVectorEnv builds one more in the parent", _async(1, 2)),
    Example(
        "three in the parent",
        _async(3, 2),
        "3 instances were made in the parent, 1 expected of gymnasium-async with 2 workers",
    ),
    Example("a manager built them anew after an error", _async(3, 2, RESTARTED)),
    Example(
        "an unknown manager is not judged",
        vector_view(trace(instance("made", 1), instance("made", 2), verb("make")), manager="other"),
    ),
)
