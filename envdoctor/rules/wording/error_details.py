"""Sentences on the circumstances of an exception that ended a training, and the cures."""

from __future__ import annotations

from envdoctor.frameworks.info_keys import INFO_KEYS
from envdoctor.frameworks.older_interfaces import difference
from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_errors import (
    AGAIN,
    BASE,
    CALLER,
    GENERATOR,
    KEY,
    LAYER,
    OBSERVATION,
    REGISTRAR,
    SEARCHES,
    ErrorDetail,
)
from envdoctor.model.training_instances import Raised
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import of
from envdoctor.rules.wording.leftovers import listing

RESET = "reset"


def circumstance(error: Raised, steps: int = 1) -> tuple[str, str] | None:
    """The circumstance of an exception that came after so many steps, said after it, and the cure;
    None where none is known.
    """
    detail = error.detail
    if detail is None:
        return None
    if detail.kind == LAYER:
        return _within_wrapper(*detail.names)
    if detail.kind == KEY and detail.location is not None:
        return _returned_without(error, detail, detail.location, steps)
    if detail.kind == REGISTRAR:
        return _unimported(detail)
    if detail.kind == OBSERVATION:
        return _other_shape(*detail.names)
    return difference(detail)


def called(error: Raised) -> str:
    """`, called at train.py:60 in main`; nothing where the line is not known."""
    place = error.detail.location if error.detail and error.detail.kind == CALLER else None
    return f", called at {short(place.file)}:{place.line} in {place.function}" if place else ""


def wrapped_again(training: Training, error: Raised) -> tuple[str, str] | None:
    """A constructor that was given what is wrapped in its class already, and the cure; None where
    it was given something else.
    """
    detail = error.detail
    if detail is None or detail.kind != AGAIN or detail.location is None:
        return None
    (name,) = detail.names
    again = f"{short(detail.location.file)}:{detail.location.line}"
    alike = (each.location for each in training.instances if each.class_name == name)
    first = next((place for place in alike if place and place != detail.location), None)
    at = f", at {short(first.file)}:{first.line}" if first is not None else ""
    return (
        f": {again} gives {name} an environment that is wrapped in it already{at}",
        f"wrap it in {name} once: leave out the one at {again}, or the one in it{at}.",
    )


def _within_wrapper(owner: str, attribute: str, *ways: str) -> tuple[str, str]:
    """An attribute that what is wrapped has."""
    why = (
        f": the {owner} that it wraps has it, and a wrapper hands on no attributes of what is in it"
    )
    search = f"`env.get_wrapper_attr({attribute!r})`, which looks through all wrappers"
    if BASE not in ways:
        return why, f"read {search if SEARCHES in ways else 'it from what is wrapped'}."
    other = f", or {search}" * (SEARCHES in ways)
    return why, f"read `env.unwrapped.{attribute}`{other}."


def _unimported(detail: ErrorDetail) -> tuple[str, str]:
    """Modules that would register an id."""
    modules = detail.names
    which = "its import registers that id" if len(modules) == 1 else "each registers that id"
    why = f": {listing(modules)} {'was' if len(modules) == 1 else 'were'} not imported, and {which}"
    return why, (
        f"write `import {modules[0]}` before the environment is made; or name the module in the id,"
        f" as in `{modules[0]}:ID`, which workers understand, too."
    )


def _returned_without(
    error: Raised, detail: ErrorDetail, place: Location, steps: int
) -> tuple[str, str]:
    """A dict that an environment returned without a key."""
    methods, owner, number, *keys = detail.names
    calls = [RESET] if steps == 0 and RESET in methods.split("/") else methods.split("/")
    call = " or ".join(f"{name}()" for name in calls)
    more = int(number) - len(keys)
    there = f"{', '.join(keys)} and {more} more" if more else listing(keys)
    has = f"has {there}{' alone' * (number == '1')}" if keys else "is empty"
    why = (
        f": {call} of {owner}, called at {short(place.file)}:{place.line}, returned a dict"
        f" without it, which {has}"
    )
    key = error.message.strip("'\"")
    if key in INFO_KEYS:
        when = INFO_KEYS[key]
        return why, (
            f"look whether it is there: `if {error.message} in info`. {when[0].upper()}{when[1:]}."
        )
    if calls == [RESET] and any(_stem(each) == _stem(error.message) for each in keys):
        return why, (
            "let reset() return what all agents see. Where they act in turns, it returns what the"
            " next one sees: wrap an environment in which they act at once (in PettingZoo that is"
            " parallel_env(), or aec_to_parallel()), or read what is there only."
        )
    return why, (
        f"read what is there only: `if {error.message} in ...`. Many environments leave out agents"
        " whose episode has ended, and what is not known in a step."
    )


def _other_shape(shape: str, owner: str, space: str) -> tuple[str, str]:
    """An observation of another shape than that of its space."""
    return f": {owner} returned an observation of shape {shape}, and its space is {space}", (
        f"let reset() and step() of {owner} return what its observation_space says, or let that say"
        " what they return. `envdoctor check` names the call, and the part of a Dict."
    )


def _stem(key: str) -> str:
    """A key without the number at its end."""
    return key.strip("'\"").rstrip("0123456789")


def unended_episode(training: Training, pid: int) -> str:
    """The steps of the episode that the only instance of a process is in; nothing where it is in
    none, or where there are several.
    """
    own = [each for each in training.created_here if each.pid == pid and each.is_called]
    steps = own[0].episode if len(own) == 1 and own[0].made == 1 else 0
    return f": its episode had {of(steps, 'step')} then, and none of them had ended it" * (
        steps > 0
    )


def of_generator(error: Raised, attribute: str) -> tuple[str, str]:
    """The generator that cannot be pickled, and how its values could be; nothing of other parts."""
    detail = error.detail
    if detail is None or detail.kind != GENERATOR or detail.location is None:
        return "", ""
    place = f"{short(detail.location.file)}:{detail.location.line}"
    return f"; it is the generator of {detail.names[0]}() ({place})", (
        f" Or make {attribute} an object of a class with __iter__() and __next__(), which keeps in"
        " attributes where it is: a generator cannot be pickled."
    )
