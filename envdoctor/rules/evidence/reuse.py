"""Advice on instances that are built once and reset often, in the words of the framework whose
convention that is.
"""

from __future__ import annotations

from envdoctor.frameworks.profile import ReuseAdvice
from envdoctor.model.facts import Restarts
from envdoctor.model.scenario import CONFIGURED, RELAUNCHED, RENEWED, RETRIED
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View


def convention(view: View) -> ReuseAdvice | None:
    """The convention that the subject follows; None where its framework has none."""
    return view.api.reuse


def in_words(text: str, view: View) -> str:
    """A sentence of a convention about this subject."""
    return text.format(name=view.class_name, manager=view.manager)


#: Where a closed instance may still be there when a new one takes what it needs.
OLD_ONE = {
    RELAUNCHED: (
        "a closed manager that is launched again builds new instances, and the closed ones may"
        " still be there"
    ),
    RENEWED: (
        "with retry_type='renew' a manager closes the instance whose reset() failed, and builds the"
        " new one before it lets go of it"
    ),
}


def when_opened_again(scenario: str, manager: str, parameters: str = "") -> tuple[str, str]:
    """Return the call that failed, and the call before it that went well."""
    return {
        RELAUNCHED: ("launch() after close()", "although the first launch() went well"),
        RENEWED: (
            f"the instance that {manager} builds in the place of one whose reset() failed",
            "although the first one could be reset",
        ),
        RETRIED: (
            f"reset(), called again by {manager} after one that failed,",
            "although every other reset() went well",
        ),
        CONFIGURED: (f"reset({parameters})", "although reset() without parameters does not"),
    }[scenario]


def let_go_in_close(view: View, scenario: str) -> str:
    """Return the remedy where a new instance fails after an old one was closed."""
    framework = view.framework.title
    if scenario == CONFIGURED:
        return (
            f"let {view.class_name}.reset() take what it is given: {framework} hands reset_param on"
            " to it, also at the end of an episode."
        )
    if scenario == RETRIED:
        return (
            f"let {view.class_name}.reset() begin anew after every state: with max_retry,"
            f" {framework} calls it again after a failure."
        )
    return (
        f"give back in {view.class_name}.close() all that the first reset() took, so that the next"
        f" instance can take it: in {framework}, {OLD_ONE[scenario]}."
    )


def built_anew(trace: Trace | None) -> str:
    """Return the reason why instances cannot be counted: a framework built them anew after an
    error.
    """
    anew = trace is not None and trace.facts(Restarts)
    return "the framework built its instances anew after an error" if anew else ""
