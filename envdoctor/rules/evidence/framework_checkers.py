"""The common part of the rules that report what checkers of training frameworks say."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from envdoctor.model.errors import one_line
from envdoctor.model.facts import CheckFailure
from envdoctor.model.finding import ENVIRONMENT, Finding
from envdoctor.model.fingerprint import normal
from envdoctor.model.remedy import Aim
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import fact, trace
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import place_of

CALLS = ("reset", "step")
AimOf = Callable[[str], Aim | None]


def no_aim(_message: str) -> None:
    """No message says enough for an aim."""


def pass_on(
    rule: Rule,
    view: View,
    call: str,
    remedy: str,
    instead: tuple[Cause, ...],
    aim_of: AimOf = no_aim,
) -> Iterator[Finding]:
    """One finding a failure. Nothing where the environment fails by itself, or Gymnasium's
    checker says why: that is reported already. `instead` are the defects that say more
    of an error, `aim_of` has the aim of a remedy, by what a message says.
    """
    checked = view.trace(rule.needs[0])
    if checked is None or broken_directly(view.direct):
        return
    for entry in checked.facts(CheckFailure):
        error = entry.error
        own = error is not None and error.user is not None
        yield rule.finding(
            f"{call}: {' '.join((one_line(error) if own else entry.message).split())}",
            remedy,
            aim=aim_of(entry.message),
            location=(place_of(error) if own else None) or view.locate("__init__"),
            key=(normal(entry.message),),
            evidence={key: entry.wire.get(key) for key in ("checker", "version", "error")},
            blame=ENVIRONMENT,
            explained_by=instead if error is not None else (),
        )


def broken_directly(direct: View) -> bool:
    """Return True if the contract is seen to be broken without a manager."""
    checked, life = direct.trace("check"), direct.trace("life")
    refused = any(entry.has_raised for entry in checked.facts(CheckFailure)) if checked else False
    return refused or (life is not None and any(life.verbs(name, "raised") for name in CALLS))


def said(checker: str, *messages: str, **place: str) -> Trace:
    """The trace of a checker that said these, for examples."""
    facts = (
        fact(
            "check",
            {"checker": checker, "version": "1", "kind": "raised", "message": text, "error": None},
        )
        for text in messages
    )
    return trace(*facts, name=f"check-{checker}", script=f"check:{checker}", **place)
