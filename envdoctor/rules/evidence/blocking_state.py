"""State that the first instance of a process left changed, so that no second one can be made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from envdoctor.model.environment_aims import BlockingPlace
from envdoctor.model.errors import ErrorValue, kind_of
from envdoctor.model.facts import BlockingState, as_json
from envdoctor.rules.engine.examples import fact, trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import place_of
from envdoctor.rules.wording.sharing import default_argument


def blocking_places(view: View) -> tuple[BlockingPlace, ...]:
    """The places that were tried: a second instance could be made once they were put back."""
    facts = (run.fact(BlockingState) for run in view.optional("blocking-state"))
    return next(filter(None, facts), BlockingState()).places


def raises_in(view: View, scenario: str, error: ErrorValue | None) -> bool:
    """Return whether a scenario has the same error at the same place, in the constructor or in a
    reset().
    """
    run = view.trace(scenario)
    names = ("make", "reset", "reseed") if run is not None and error is not None else ()
    return any(
        (place_of(event.error), kind_of(event.error)) == (place_of(error), kind_of(error))
        for name in names
        for event in (run.verbs(name, "raised") if run is not None else ())
    )


def effect_on_second(places: Iterable[BlockingPlace], was_closed: bool) -> str:
    """A clause on what makes the difference; nothing where that is not known. `was_closed`: the
    sentence before it speaks of a first instance that was closed.
    """
    named = [f"{_called(place)} {_had(place)}" for place in places]
    when = "it works" if was_closed else "after the first was closed, it works"
    return f"; {when} if {' and '.join(named)}" if named else ""


def how_to_unblock(view: View, places: Iterable[BlockingPlace]) -> str:
    """Say what to change in the environment, a sentence for each place."""
    return " ".join(_cure(view, place) for place in places)


def blocking_evidence(places: Iterable[BlockingPlace]) -> dict[str, object]:
    """The places, for JSON."""
    values = [as_json(place) for place in places]
    return {"blocking": values} if values else {}


def _called(place: BlockingPlace) -> str:
    if place.kind == "default":
        return f"{default_argument(place.name, place.file, place.line)},"
    return f"{place.name}, which the {place.kind} keeps,"


def _had(place: BlockingPlace) -> str:
    return f"is {place.before} again" if place.before else "has what it had before the first one"


def _cure(view: View, place: BlockingPlace) -> str:
    if place.kind == "default":
        argument, _, function = place.name.partition(" of ")
        return (
            f"copy {argument} in {function} before it is changed: a default is made once, for all"
            " calls."
        )
    name = place.name.partition(".")[2] if place.kind == "class" else place.name
    if place.before:
        return f"let {view.class_name}.close() set {name} to {place.before} again."
    return (
        f"let {view.class_name} copy what it takes out of {name} before it changes that, or let"
        " close() undo the change."
    )


def with_blocking_place(view: View, **place: str) -> View:
    """A view in which this was tried, for examples."""
    tried = trace(fact("blocking-state", {"places": [place]}), name="blocking-state")
    return replace(view, optional_traces=(tried,))
