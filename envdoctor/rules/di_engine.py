"""What rules say in DI-engine's own words, where the subject is a BaseEnv."""

from __future__ import annotations

from envdoctor.model.events import ErrorValue
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


def build_once(view: View) -> str:
    """How reset() reuses the environment inside."""
    return f"build it in the first {view.class_name}.reset() only (if not self._init_flag): {REUSE}."
