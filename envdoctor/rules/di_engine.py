"""What rules say in DI-engine's own words, where the subject is a BaseEnv."""

from __future__ import annotations

from envdoctor.model.events import ErrorValue
from envdoctor.model.scenario import GIVEN, RELAUNCHED, RENEWED, RETRIED
from envdoctor.rules.cures import frame_in_close
from envdoctor.rules.source import is_statement
from envdoctor.rules.view import View

#: What its managers do with instances.
REUSE = "in DI-engine reset() reuses what the first one built; only a relaunch (close, then launch) builds new instances"


def speaks_ding(view: View) -> bool:
    """Whether the subject is one of DI-engine's environments."""
    return view.survey.get("dialect") == "ding"


def take_at_first_reset(view: View) -> str:
    """What to do with what a constructor takes."""
    return (
        f"take it in {view.class_name}.reset(), the first time only (if not self._init_flag), and let the constructor keep no more than the "
        "cfg: DI-engine's managers build one more instance, env_ref, in the parent, and never close it."
    )


def close_only_what_is_open(view: View, error: ErrorValue | None) -> tuple[str, tuple[str, ...]]:
    """How close() does nothing before the first reset(): a remedy and its lines."""
    frame = frame_in_close(error)
    text = str((frame or {}).get("text") or "")
    body = (f"    {text}",) if is_statement(text) else ("    ...",)
    remedy = (
        f"let {view.class_name}.close() do nothing until the first reset() has set self._init_flag, which __init__() sets to False: "
        "where the first reset() of one instance fails, DI-engine closes the others as well, which were never reset."
    )
    return remedy, ("if self._init_flag:  # in close()", *body, "self._init_flag = False")


def open_again(view: View) -> str:
    """How a closed instance is reset again."""
    return (
        f"set self._init_flag = False in {view.class_name}.close(), and let reset() build again whatever close() gave back; DI-engine's "
        "managers build new instances when they are launched again, scripts that keep one instance do not."
    )


#: Where a closed instance may still be there when a new one takes what it needs.
OLD_ONE = {
    RELAUNCHED: "a closed manager that is launched again builds new instances, and the closed ones may still be there",
    RENEWED: "with retry_type='renew' a manager closes the instance whose reset() failed, and builds the new one before it lets go of it",
}


def when_opened_again(scenario: str, manager: str, parameters: str = "") -> tuple[str, str]:
    """What was called, and what went well before."""
    return {
        RELAUNCHED: ("launch() after close()", "although the first launch() went well"),
        RENEWED: (f"the instance that {manager} builds in the place of one whose reset() failed", "although the first one could be reset"),
        RETRIED: (f"reset(), called again by {manager} after one that failed,", "although every other reset() went well"),
        GIVEN: (f"reset({parameters})", "although reset() without parameters does not"),
    }[scenario]


def let_go_in_close(view: View, scenario: str) -> str:
    """What to do where a new instance fails after an old one was closed."""
    if scenario == GIVEN:
        return f"let {view.class_name}.reset() take what it is given: DI-engine hands reset_param on to it, also at the end of an episode."
    if scenario == RETRIED:
        return f"let {view.class_name}.reset() begin anew whatever the last one left: with max_retry, DI-engine calls it again after a failure."
    return (
        f"give back in {view.class_name}.close() whatever the first reset() took, so that the next instance can take it: in DI-engine, "
        f"{OLD_ONE[scenario]}."
    )


def closed_and_retried(view: View) -> str:
    """What a retry of DI-engine's makes of an instance that cannot be opened again."""
    return (
        f"{open_again(view)[:-1]}; the workers of {view.manager} close the instance whose reset() raised, and with retry_type='reset' that "
        "closed one is reset again; or set retry_type='renew'."
    )


def build_once(view: View) -> str:
    """How reset() reuses the environment inside."""
    return f"build it in the first {view.class_name}.reset() only (if not self._init_flag): {REUSE}."
