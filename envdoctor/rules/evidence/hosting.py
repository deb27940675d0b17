"""Places where several instances were seen to work, and that host them: the remedy of what only one
instance a process does.
"""

from __future__ import annotations

from envdoctor.frameworks import DEFAULT, profile_of, vectorizer_of
from envdoctor.frameworks.profile import MAKE
from envdoctor.model.errors import ErrorValue
from envdoctor.model.records import InstanceRecord
from envdoctor.model.scenario import EXECUTED, WITHOUT_SHADOW
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence import without_buffers
from envdoctor.rules.remedies.launch_lines import Place, launch_code, name_place
from envdoctor.rules.wording.leftovers import place_of


def hosted_in_other_places(view: View) -> list[Place]:
    """The managers under which two workers or more each made and kept an instance in a process
    of their own.
    """
    places = []
    for other_place in view.other_places:
        pids = {
            event.pid for event in other_place.records(InstanceRecord, what="made", parent=False)
        }
        if (
            len(pids) >= 2
            and not other_place.scenario.control
            and not other_place.scenario.options
            and other_place.verbs("step", "ended")
        ):
            places.append(other_place.scenario.place)
    return list(dict.fromkeys(places))


def shadowed(view: View) -> Place | None:
    """The last place in which TorchRL built one more instance in the parent, a shadow, before
    its workers'.
    """
    places = [
        other_place.scenario.place
        for other_place in view.other_places
        if vectorizer_of(other_place.scenario.manager).without_shadow
        and other_place.scenario.traits.plain
    ]
    return places[-1] if places else None


def cured(view: View) -> Place | None:
    """Return a place where it works without a shadow."""
    for run in view.everywhere(WITHOUT_SHADOW):
        if without_buffers.went_well(run):
            return run.scenario.place
    return None


def fails_in_other_processes(view: View, error: ErrorValue | None) -> Place | None:
    """A manager whose workers are programs of their own, and in one of which the constructor
    raised at the same line: what is taken there belongs to the machine.
    """
    place = place_of(error) if error is not None and error.user is not None else None
    for other_place in view.other_places if place else ():
        failed = other_place.records(InstanceRecord, what="make-raised", parent=False)
        if other_place.scenario.start_method in EXECUTED and any(
            place_of(event.error) == place for event in failed
        ):
            return other_place.scenario.place
    return None


def cure(view: View, error: ErrorValue | None = None) -> tuple[str, tuple[str, ...]]:
    """Return the remedy, and the launch of a manager that works, or may work: the lightest of them;
    none where it fails in other processes as well.
    """
    places, alone, api = hosted_in_other_places(view), cured(view), view.survey.api
    failing = None if places or alone else fails_in_other_processes(view, error)
    if failing:
        return (
            "let each instance take another one of what the machine has only once (a port, a file,"
            " a lock, a name): a process for each does not help, since"
            f" {name_place(failing)} fails at the same line."
        ), ()
    observed = (
        f"seen to work here with {'; '.join(map(name_place, places))}"
        if places
        else "not seen to work here"
    )
    text = (
        "keep the state in a handle for each instance, or use a manager with a process for each"
        f" ({observed}). {hosts(places, alone)}"
    )
    if alone and not places:
        return text, launch_code(
            alone, MAKE, options=vectorizer_of(alone[0]).without_shadow, api=api
        )
    return text, launch_code(places[0] if places else (lightest(view), "spawn"), MAKE, api=api)


def lightest(view: View) -> str:
    """A vectorizer with a process for each instance: of the subject's own framework, where it has
    any.
    """
    known = [*view.api.vectorizers, *DEFAULT.vectorizers]
    return next(vectorizer.name for vectorizer in known if not vectorizer.in_process)


def hosts(places: list[Place], alone: Place | None) -> str:
    """Name the vectorizers that host or build instances in one process: those of the framework that
    the cure is for.
    """
    place = alone or (places[0] if places else None)
    known = (profile_of(place[0]).hosts if place else "") or DEFAULT.hosts
    return f"{known[:-1]}: seen to work here with {name_place(alone)}." if alone else known
