"""The resources that reset() acquires, and the leftovers of one that failed."""

from __future__ import annotations

from collections.abc import Mapping

from envdoctor.model.container_clients import SENSOR as ENGINE_CONTAINERS
from envdoctor.model.facts import Denied
from envdoctor.model.records import InstanceRecord
from envdoctor.model.scenario import FAILING_RESET
from envdoctor.model.trace import Life, Trace
from envdoctor.rules.engine.view import View, subtract

#: What may be left, and what one of it is called.
KINDS = {
    "processes": ("process", "processes"),
    "threads": ("thread", "threads"),
    "ports": ("port", "ports"),
    "descriptors": ("descriptor", "descriptors"),
    "files": ("temporary file", "temporary files"),
    "shared-memory": ("shared-memory segment", "shared-memory segments"),
    ENGINE_CONTAINERS: ("container", "containers"),
}

#: Python's own multiprocessing leaves the pipes open that it makes for a process which cannot be
#: forked.
FORK, PIPE = "os.fork", "pipe:"

Left = Mapping[str, Mapping[str, str]]


def acquired_by_reset(life: Trace) -> Left:
    """Return what reset() acquires and keeps, in the last of these lives: {sensor: {key: text}}."""
    with_reset = [lifecycle for lifecycle in life.lifecycles if "reset" in lifecycle.readings]
    return _by_kind(
        {kind: with_reset[-1].left(kind, "reset", "made") for kind in KINDS} if with_reset else {}
    )


def failed(view: View, closed: bool) -> tuple[Denied, Left] | None:
    """The last reset() that failed in a life that was closed, or given up at once, and what was
    left of that; None where none failed so. What a life leaves whose reset() goes well is not
    counted, nor is what the constructor of an instance took that was never closed.
    """
    trace = next(iter(view.optional(FAILING_RESET)[-1:]), None)
    by_number = {life.number: life for life in trace.lifecycles} if trace else {}
    texts = [denied for denied in (trace.facts(Denied) if trace else ()) if denied.has_failed]
    result = [
        (denied, by_number[denied.life])
        for denied in texts
        if denied.life in by_number
        and "collected" in by_number[denied.life].readings
        and ("held" in by_number[denied.life].readings) == closed
    ]
    if not result:
        return None
    denied, life = result[-1]
    left = {kind: _left(life, by_number.get(0), kind, closed) for kind in KINDS}
    if denied.what == FORK:
        left = {kind: _without_pipes(items) for kind, items in left.items()}
    return denied, _by_kind(left)


def fails_by_itself(view: View) -> bool:
    """True where a reset() of the environment raised that nothing of ours made fail."""
    return any(
        event.what == "reset-raised"
        for trace in (*view.traces, *view.other_places)
        if not trace.scenario.option("fails_once")
        for event in trace.records(InstanceRecord)
    )


def _left(life: Life, healthy: Life | None, kind: str, closed: bool) -> dict[str, str]:
    left = life.left(kind, "collected")
    if not closed:
        made = life.by_key(kind, "made")
        left = {key: text for key, text in left.items() if made.get(key) != text}
    return subtract(left, healthy.left(kind, "collected").values() if healthy else ())


def _without_pipes(items: Mapping[str, str]) -> dict[str, str]:
    return {key: text for key, text in items.items() if not text.startswith(PIPE)}


def _by_kind(left: Left) -> Left:
    return {kind: items for kind, items in left.items() if items}
