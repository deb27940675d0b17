"""Exceptions on their way to another process: what a manager's parent would get of them."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Callable, Dict, List, Optional

from envdoctor.probe.errors import error_value
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.subject.own_exceptions import build, exceptions_in, modules_of
from envdoctor.probe.surviving import AGAIN, relay, shape
from envdoctor.probe.system.deadline import Deadline

if TYPE_CHECKING:
    from types import ModuleType

MAX_SOURCE = 400_000  # characters of one module
MAX_CLASSES = 20
MAX_TEXT = 200  # characters of a line
PAUSE = 0.05  # seconds
PATIENCE = 3.0  # seconds that a parent gets to hear of an error: it takes milliseconds


def try_exceptions(kind: type) -> List[Dict[str, object]]:
    """The exception classes of the package of the environment's class `kind`, as far as
    its own code raises them and their instances do not survive the way to another process: [{type,
    relay, parameters, kept, file, line, text}].
    """
    modules = modules_of(kind)
    losses = []
    for cls in [cls for module in modules for cls in exceptions_in(module)][:MAX_CLASSES]:
        loss = _try(cls)
        place = _raised_at(cls, modules) if loss else None
        if loss and place:
            losses.append(dict(loss, type="%s.%s" % (cls.__module__, cls.__qualname__), **place))
    return losses


def fate(call: Callable[[], object], ownership: Ownership) -> Dict[str, object]:
    """{hangs, error}: what comes of a call that has its workers raise. It may wait for ever, so
    it does so in a thread of its own.
    """
    got: List[object] = []

    def attempt() -> None:
        try:
            call()
        except BaseException as error:
            got.append(error_value(error, ownership))

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    deadline = Deadline(PATIENCE)
    while thread.is_alive() and not deadline.passed:
        thread.join(PAUSE)
    return {"hangs": thread.is_alive(), "seconds": PATIENCE, "error": got[0] if got else None}


def _try(cls: type) -> Optional[Dict[str, object]]:
    """Relay an instance that is built with placeholders, and describe the loss; None where it
    survives, or where it cannot be built so.
    """
    try:
        error = build(cls)
        lost = relay(error)
    except Exception:
        return None
    if lost is None or lost.step == AGAIN:
        return None
    return dict(relay={lost.step: lost.problem}, **shape(error))


def _raised_at(cls: type, modules: List[ModuleType]) -> Optional[Dict[str, object]]:
    """The first line of these modules that raises the class. One that is never raised by name
    never leaves an environment.
    """
    pattern = re.compile(
        r"^[^#\n\"']*\braise[ \t]+(?:\w+\.)*%s\b.*$" % re.escape(cls.__name__), re.MULTILINE
    )
    for module in modules:
        text = _source(module)
        match = pattern.search(text)
        if match:
            return {
                "file": module.__file__,
                "line": text.count("\n", 0, match.start()) + 1,
                "text": match[0].strip()[:MAX_TEXT],
            }
    return None


def _source(module: object) -> str:
    file = getattr(module, "__file__", None) or ""
    if not file.endswith(".py"):
        return ""
    try:
        with open(file, encoding="utf-8", errors="replace") as source:
            return source.read(MAX_SOURCE)
    except OSError:
        return ""
