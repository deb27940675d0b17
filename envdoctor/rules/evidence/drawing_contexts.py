"""Drawing contexts: which one an error comes from, what an instance with one takes, and what two of
them do to each other's images.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from envdoctor.analysis.drawing import memory_of_drawing
from envdoctor.model.events import Event
from envdoctor.model.finding import Location
from envdoctor.model.scenario import IMAGES
from envdoctor.model.trace import Trace
from envdoctor.model.units import size
from envdoctor.rules.engine.examples import fact, trace, verb
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.copies import PairTrouble
from envdoctor.rules.evidence.exit_errors import Complaint
from envdoctor.rules.evidence.side_by_side import NAMES, changes_in, shared_state
from envdoctor.rules.wording.sharing import shared_evidence, what_is_shared

_ERROR = re.compile(r"\b(EGL|GL|OSMesa)Error\b")
_LIBRARY = re.compile(r"-packages/(?P<library>\w+)/(?:\w+/)*(?P<kind>egl|osmesa)\b")
_KINDS = {"egl": "EGL", "osmesa": "OSMesa"}


def context_of(complaint: Complaint) -> str:
    """`the EGL context of mujoco`: what raised an error because it was still open; empty for
    another error.
    """
    if not _ERROR.search(complaint.error.partition(":")[0]):
        return ""
    places = (_LIBRARY.search(frame.file) for frame in complaint.frames)
    match = next((place for place in places if place), None)
    if match is None:
        return ""
    library, kind = match.groups()
    return f"the {_KINDS[kind]} context of {library}"


def drawing_cost(view: View) -> str:
    """`107.6 MiB`: the native memory of an open instance that has drawn, in render() or with each
    step; empty where it is little or was not read.
    """
    life = view.last_life()
    number = memory_of_drawing(life) if life else 0
    return size(number) if number else ""


def images_changed(view: View, both: Trace) -> Iterator[PairTrouble]:
    """The first image that is not what it is where an instance is alone."""
    for change in [each for each in changes_in(both) if each.is_drawn][:1]:
        shared, freed, name = shared_state(view), change.finalizer, view.class_name
        what = f"; {freed.function}() calls {freed.called}() then" if freed else ""
        yield PairTrouble(
            "draws",
            f"{change.cause} changes what the {NAMES[change.number]} one draws in the same process:"
            f" {change.words}{what or what_is_shared(shared)}",
            f"let {name}.close() give back what belongs to this instance's window or context while"
            " that is the current one: what __del__() gives back later may be another instance's."
            if freed
            else f"let {name}.render() choose this instance's own window or context each time,"
            " before it draws: another instance may have been drawn meanwhile.",
            {
                "changed": change.comparison.as_json(),
                "scenario": IMAGES,
                "script": both.scenario.script,
                **shared_evidence(shared),
            },
            place=Location(freed.file, freed.line) if freed else view.locate("render"),
        )


def two_drawn(*events: Event, compared: Sequence[Mapping[str, object]]) -> Trace:
    """The scenario with further `events` and what was compared, for examples."""
    return trace(
        *(verb("make"), verb("reset", at=1), verb("step:2", at=2, steps=2), verb("picture", at=3)),
        *(verb("make", at=4), verb("make", at=5), verb("reset@0", at=6), verb("reset@1", at=7)),
        *(verb("picture@1", at=8), verb("step:2@0", at=9, steps=2)),
        *events,
        fact("side-by-side", {"alone": {"calls": 9}, "instances": compared}),
        name=IMAGES,
        script="make reset step:2 picture make make reset@0 reset@1 picture@1 step:2@0",
    )
