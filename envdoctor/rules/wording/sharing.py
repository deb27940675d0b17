"""The wording for what two instances share."""

from __future__ import annotations

from envdoctor.model.environment_aims import (
    MakeOwn,
    OwnCounters,
    OwnRandom,
    SharedPlace,
    TakeInstance,
)
from envdoctor.model.errors import ErrorValue, kind_of
from envdoctor.model.facts import CalledLibrary, SharedState, as_json
from envdoctor.model.finding import Remedy
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.wording.leftovers import listing


def what_is_shared(shared: SharedState) -> str:
    """`; both change panda.World.bodies, which the class keeps`, or nothing."""
    if shared.places:
        return f"; both change {listing(_called(place) for place in shared.places)}"
    library = _only_library(shared)
    if library is None:
        return ""
    return (
        f"; both call {library.name} ({short(library.file)}:{library.line}), and nothing else was"
        " seen that they share"
    )


def shared_evidence(shared: SharedState) -> dict[str, object]:
    """Return what was seen of it."""
    values = {"shared": shared.places, "libraries": shared.libraries if not shared.places else ()}
    return {key: as_json(value) for key, value in values.items() if value}


def own_instead(view: View, shared: SharedState) -> Remedy | None:
    """Return what to change, so that each instance has its own; None where it is not known what."""
    library = None if shared.places else _only_library(shared)
    if library is not None:
        return Remedy(
            f"tell each call of {library.name} which instance it is for, by a handle that each"
            f" {view.class_name} takes for itself (in PyBullet, physicsClientId). Where it has no"
            " handles, host each instance in a process of its own."
        )
    if not shared.places:
        return None
    text = " ".join(_cure(view, place) for place in shared.places)
    return Remedy(text, aim=MakeOwn(shared.places))


def default_argument(name: str, file: str, line: int) -> str:
    """`the default argument body of Env.__init__(), env.py:12`."""
    return f"the default argument {name}, {short(file)}:{line}"


def _called(place: SharedPlace) -> str:
    held = f", which both hold as {place.held}" if place.held else ""
    if place.kind == "default":
        return f"{default_argument(place.name, place.file, place.line)}{held}"
    if place.kind == "held":
        return f"the object that both hold as {place.held}"
    owner = "" if held else f", which the {place.kind} keeps"
    return f"{place.name}{owner}{held}"


def _cure(view: View, place: SharedPlace) -> str:
    constructor = f"{view.class_name}.__init__()"
    if place.kind == "default":
        argument, _, function = place.name.partition(" of ")
        return (
            f"give {argument} the default None in {function}, and make a new one there where it is"
            " None: a default is made once, for all calls."
        )
    if place.held:
        return (
            f"let {constructor} copy what it is given as {place.held}, or build a new one for each"
            " instance."
        )
    owner, _, name = place.name.rpartition(".")
    if place.kind == "class":
        constructor = f"{owner.rpartition('.')[2]}.__init__()"
    shared = f"{place.name} belongs to all"
    if place.kind == "module":
        return (
            f"make {name} in {constructor}, and keep it in self; or let close() leave it to the"
            f" instances that still use it: {shared}."
        )
    return f"make {name} in {constructor}, and keep it in self: {shared}."


def _only_library(shared: SharedState) -> CalledLibrary | None:
    return shared.libraries[0] if len(shared.libraries) == 1 else None


def shared_no_more(view: View, error: ErrorValue | None) -> Remedy:
    """Count the users of what is shared; pygame has one window for the whole process, which
    counting does not change.
    """
    pygame = kind_of(error).startswith("pygame.")
    text = (
        "pygame has one window in a process: show one instance at a time, and call pygame.quit()"
        " when the last one closes. "
        if pygame
        else (
            f"let {view.class_name} share nothing between instances that one of them can take away:"
            " give each a handle of its own, or count the users and give up what they share with"
            " the last one. "
        )
    )
    return Remedy(
        f"{text}Until then host each in a process of its own.",
        aim=None if pygame else TakeInstance(),
    )


def own_state(view: View, sources: list[str]) -> Remedy:
    """Keep in the instance what belongs to it: its random numbers, where those are what is
    shared.
    """
    name = view.class_name
    if sources:
        return Remedy(
            f"draw in {name} from the instance's own generator, which reset() seeds, and never seed"
            f" {sources[0]}.",
            aim=OwnRandom(sources[0]),
        )
    return Remedy(
        f"make in {name}.__init__() what changes in reset() and step(), and keep it in self:"
        " attributes of the class and of the module, default arguments and a simulator's global"
        " state belong to all instances.",
        aim=OwnCounters(),
    )
