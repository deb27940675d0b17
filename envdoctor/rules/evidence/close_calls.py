"""Calls of close() and of constructors in the journal: which came back, and which did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.records import InstanceRecord, VerbRecord
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import Trace

DRAWS = ("render", "picture")  # verbs that call render()


def closes(trace: Trace | None) -> list[VerbRecord]:
    """Every call of close() that came back, well or not, in order."""
    return [event for event in trace.verbs("close") if event.state != "began"] if trace else []


def closes_after_steps(trace: Trace) -> Iterator[VerbRecord]:
    """Calls of close() that came back, in lives where reset and steps went well before: what
    close() says after a failure is often only its echo.
    """
    done: set[str] = set()
    for event in trace.records(VerbRecord):
        name = verb_name(event.verb)
        if name == "close" and event.state != "began" and {"reset", "step"} <= done:
            yield event
        elif name == "make" or event.state == "raised":
            done.clear()
        elif event.state == "ended":
            done.add(name)


def raises_once_rendered(traces: Iterable[Trace]) -> bool:
    """Return whether close() raised in each life in which render() was called before, and in no
    other one of several steps: some of either kind came to a close(). An episode may decide it by
    its length.
    """
    raised = {True: set[bool](), False: set[bool]()}  # by whether it was rendered
    for trace in traces:
        done: set[str] = set()
        for event in trace.records(VerbRecord):
            name = verb_name(event.verb)
            if event.state == "began":
                continue
            if name == "close" and {"reset", "step"} <= done:
                raised[bool(done & set(DRAWS))].add(event.state != "ended")
            if name in ("make", "close") or event.state != "ended":
                done.clear()
            else:
                done.add(name)
    return raised == {True: {True}, False: {False}}


def unfinished_closes(trace: Trace) -> list[dict[str, int]]:
    """The instances whose close() began and never came back, by process and serial."""
    pending: dict[tuple[int, int], None] = {}  # a dict, for the order
    for event in trace.records(InstanceRecord):
        key = event.key
        if event.what == "closing":
            pending[key] = None
        elif event.what in ("closed", "close-raised"):
            pending.pop(key, None)
    return [{"pid": pid, "serial": serial} for pid, serial in pending]


def thread_of_original(trace: Trace) -> str:
    """The method that a thread runs of the object that an instance is a copy of, whose close() did
    not come back; else nothing.
    """
    pending = {tuple(each.values()) for each in unfinished_closes(trace)}
    events = (event for event in trace.records(InstanceRecord) if event.what == "closing")
    return next((event.thread_of for event in events if event.key in pending), "")


def unfinished(trace: Trace) -> set[tuple[int, int]]:
    """The instances, (pid, serial), whose constructor began and never came to an end."""
    begun: set[tuple[int, int]] = set()
    for event in trace.records(InstanceRecord):
        key = event.key
        if event.what == "making":
            begun.add(key)
        elif event.what in ("made", "make-raised"):
            begun.discard(key)
    return begun
