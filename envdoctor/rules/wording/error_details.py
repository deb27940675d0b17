"""Sentences on the circumstances of an exception that ended a training, and the cures."""

from __future__ import annotations

from envdoctor.frameworks.older_interfaces import difference
from envdoctor.model.training import Training
from envdoctor.model.training_errors import (
    BASE,
    GENERATOR,
    LAYER,
    REGISTRAR,
    SEARCHES,
    ErrorDetail,
)
from envdoctor.model.training_instances import Raised
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import of
from envdoctor.rules.wording.leftovers import listing


def circumstance(error: Raised) -> tuple[str, str] | None:
    """The circumstance of an exception, said after it, and the cure; None where none is known."""
    detail = error.detail
    if detail is None:
        return None
    if detail.kind == LAYER:
        return _within_wrapper(*detail.names)
    if detail.kind == REGISTRAR:
        return _unimported(detail)
    return difference(detail)


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
