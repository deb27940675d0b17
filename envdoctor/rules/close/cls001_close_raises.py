"""close() raises after an ordinary life.

What it does
    Makes the environment, resets it, steps it twenty times and closes it. Anything that close()
    raises then is reported, with the line that raised it. Under a manager it tells apart what an
    environment's close() raised from what the manager raised by itself.

Why it matters
    Managers close their environments one after another: the first that raises leaves all others
    open. Those that run workers drop the error instead, so what close() did not reach is left,
    without a message.

How to fix it
    Release first, report later, and do not let the report stop the release:

        def close(self):
            self._simulator.stop()
            try:
                self._write_summary()
            except (OSError, TypeError) as error:
                warnings.warn(f"no summary: {error}")
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import GoOn
from envdoctor.model.errors import ErrorValue, kind_of, message_of, one_line
from envdoctor.model.events import Event
from envdoctor.model.finding import Finding
from envdoctor.model.records import InstanceRecord
from envdoctor.model.scenario import EPISODE
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import closes_after_steps, raises_once_rendered
from envdoctor.rules.wording.leftovers import place_of

#: The words of an AttributeError: the class of the object, and the attribute.
MISSING = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
#: Methods that give something back.
ENDS = (
    *("cleanup", "close", "destroy", "disconnect", "dispose", "exit", "finish", "free"),
    *("quit", "release", "shutdown", "stop", "terminate"),
)


AFTER_RENDER = " once render() has been called; without that, it comes back"


@rule(
    "CLS001",
    "close-raises",
    verb="close",
    looks_at={"life": "make reset step close"},
    also_reads=(EPISODE,),
)
def close_raises(view: View) -> Iterator[Finding]:
    life = view.trace("life")
    failed = (
        [
            closes_after_step.error
            for closes_after_step in closes_after_steps(life)
            if closes_after_step.state == "raised" and closes_after_step.error
        ]
        if life
        else []
    )
    if not life or not failed:
        return
    theirs = None if view.is_direct else _from_an_environment(life)
    if view.is_direct or theirs is not None:
        yield _environment_raises(view, theirs or failed[-1])
    else:
        yield _manager_raises(failed[-1])


def _from_an_environment(life: Trace) -> ErrorValue | None:
    """The last error that an environment's own close() raised, in any process."""
    errors: list[ErrorValue] = [
        event.error for event in life.records(InstanceRecord, what="close-raised") if event.error
    ]
    return errors[-1] if errors else None


def _environment_raises(view: View, error: ErrorValue) -> Finding:
    drawn = view.is_direct and raises_once_rendered([*view.all("life"), *view.all(EPISODE)])
    return close_raises.finding(
        f"close() raises {one_line(error)}{AFTER_RENDER if drawn else ''}",
        _remedy(view, error),
        aim=GoOn(error),
        location=place_of(error) or view.locate("close"),
        evidence={"error": error.wire},
    )


def _remedy(view: View, error: ErrorValue) -> str:
    """The cure: to catch that a part has no such method would leave open what it has."""
    is_attribute = kind_of(error).rpartition(".")[2] == "AttributeError"
    missing = MISSING.search(message_of(error)) if is_attribute else None
    kind, name = missing.groups() if missing is not None else ("", "")
    line = error.user_frame.text if error.user_frame is not None else ""
    if name in ENDS and kind != "NoneType" and re.search(rf"\w\.\w+\.{name}\(", line):
        return (
            f"call in {view.class_name}.close() what gives back a {kind}, which has no {name}() in"
            " the installed version: until then it stays open."
        )
    return (
        f"handle it in {view.class_name}.close(): release what it holds first, and let nothing"
        " escape."
    )


def _manager_raises(error: ErrorValue) -> Finding:
    return close_raises.finding(
        f"close() of the manager raises {one_line(error)}, although no environment's close() did",
        "look for a worker that ended early or for an environment that closed something of the"
        " manager's.",
        evidence={"error": error.wire},
    )


def _life(close: Event, *more: Event) -> Trace:
    return trace(verb("make"), verb("reset"), verb("step:20"), *more, close, verb("drop"))


REFUSED = verb("close", "raised", error=raised("TypeError", "float32 is not JSON serializable"))


def _missing(line: str) -> dict[str, object]:
    """The error of a method that is not there, which a line calls."""
    frame = {"file": "env.py", "line": 1, "function": "close", "text": line}
    return {**raised("builtins.AttributeError", NO_FINISH), "frames": [frame]}


FULL = (verb("make"), verb("reset"), verb("episode:2000"), verb("reset"), verb("step:5"))
NO_FINISH = "'Viewer' object has no attribute 'finish'"

EXAMPLES = (
    Example(
        "the summary cannot be written",
        direct_view(_life(REFUSED)),
        "close() raises TypeError: float32 is not JSON serializable",
    ),
    Example(
        "a viewer that render() makes",
        direct_view(
            _life(REFUSED, verb("render")), trace(*FULL, verb("close"), verb("drop"), name=EPISODE)
        ),
        "close() raises TypeError: float32 is not JSON serializable once render() has been"
        " called; without that, it comes back",
    ),
    Example(
        "it raises without a render(), too",
        direct_view(_life(REFUSED, verb("render")), trace(*FULL, REFUSED, name=EPISODE)),
        "close() raises TypeError: float32 is not JSON serializable",
    ),
    Example(
        "a method that is not there",
        direct_view(_life(verb("close", "raised", error=_missing("self.viewer.finish()")))),
        f"close() raises AttributeError: {NO_FINISH}",
    ),
    Example(
        "an attribute of the environment that is not there",
        direct_view(_life(verb("close", "raised", error=_missing("self.finish()")))),
        f"close() raises AttributeError: {NO_FINISH}",
    ),
    Example(
        "an in-process manager passes on what the environment raised",
        vector_view(
            _life(REFUSED, instance("close-raised", error=REFUSED["error"])),
            manager="gymnasium-sync",
            start_method=None,
        ),
        "close() raises TypeError: float32 is not JSON serializable",
    ),
    Example(
        "the manager fails by itself",
        vector_view(_life(verb("close", "raised", error=raised("BrokenPipeError", "pipe")))),
        "close() of the manager raises BrokenPipeError: pipe, although no environment's"
        " close() did",
    ),
    Example("close() works", direct_view(_life(verb("close")))),
    Example(
        "after a step that failed, close() may complain",
        direct_view(
            trace(verb("make"), verb("reset"), verb("step:20", "raised", error=raised()), REFUSED)
        ),
    ),
)
