"""An instance was replaced by a new one and never closed.

What it does
    Looks at the same replacements as RUS001, and whether the old innermost object was closed before
    or after it was replaced. Without a manager, close() of its class is watched for that.
    DI-engine's managers are made to renew an instance whose reset() failed: it has to be closed
    before another one is built in its place.

Why it matters
    No other code has a reference to the old one: what it holds stays until the garbage collector or
    the end of the process, once for every episode.

How to fix it
    Reuse the old instance; if a new one is needed, close the old one first:

        def reset(self, *, seed=None, options=None):
            self.env.close()
            self.env = make_level(options)
            return self.env.reset(seed=seed)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import CloseReplaced
from envdoctor.model.events import Event
from envdoctor.model.finding import Finding
from envdoctor.model.records import InnerRecord, InstanceRecord
from envdoctor.model.scenario import RENEWED
from envdoctor.model.trace import Trace
from envdoctor.rules.close.cls015_close_never_called import never_closed, someone_died
from envdoctor.rules.engine.examples import direct_view, instance, trace, vector_view, verb
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import dead_workers
from envdoctor.rules.evidence.relaunches import dropped_unclosed
from envdoctor.rules.evidence.reuse import convention, in_words
from envdoctor.rules.reuse.rus001_instance_not_reused import (
    SCRIPT,
    changes,
    inside,
    made_in_reset,
    place_of_subject,
)
from envdoctor.rules.wording.leftovers import count


def replaced_unclosed(run: Trace) -> list[InstanceRecord]:
    """The resets of innermost objects that were replaced at the next reset and never closed."""
    closed = {event.base for event in run.records(InnerRecord, what="closed")}
    return [earlier for earlier, _ in changes(run) if inside(earlier) not in closed]


def renewed_unclosed(run: Trace) -> list[InstanceRecord]:
    """Instances that were never closed, of processes in which the manager's reset made a new
    one later.
    """
    renewals = made_in_reset(run)
    if someone_died(run):
        return []
    return [
        old
        for old in never_closed(run)
        if any(new.pid == old.pid and new.serial > old.serial for new in renewals)
    ]


def renewed_for_a_failure(view: View) -> list[InstanceRecord]:
    """The instance whose reset was made to fail, where it was not closed before another one was
    built in its place.
    """
    run = view.trace(RENEWED)
    lost = dropped_unclosed(run) if run is not None and not any(dead_workers(run)) else None
    return [lost] if lost else []


@rule(
    "RUS002",
    "replaced-without-close",
    needs=("reuse", "life"),
    verb="reset",
    looks_at={"reuse": "reset", "life": "reset"},
    counts=counted("instances never closed", "never_closed"),
)
def replaced_without_close(view: View) -> Iterator[Finding]:
    # Without a manager only `reuse` watches close(); under a manager every instance writes down its
    # own.
    run = view.trace("reuse" if view.is_direct else "life")
    if run is None:
        return
    lost = replaced_unclosed(run) if view.is_direct else renewed_unclosed(run)
    by_reset = bool(lost) or view.is_direct
    lost = lost if by_reset else renewed_for_a_failure(view)
    if not lost:
        return
    who = "reset()" if view.is_direct else f"reset() of {view.manager}"
    what = count(lost, "old instance") if lost[0].real is None else f"{len(lost)} old _env"
    yield replaced_without_close.finding(
        f"{who} drops {what} without closing {'it' if len(lost) == 1 else 'them'}",
        _cure(view),
        aim=CloseReplaced() if view.is_direct and convention(view) is None else None,
        location=place_of_subject(view) if view.is_direct else view.locate("close"),
        evidence={
            "never_closed": [
                {"pid": event.pid, "serial": event.serial, "base": event.base, "id": event.id}
                for event in lost
            ],
            **({} if by_reset else {"scenario": RENEWED}),
        },
    )


def _cure(view: View) -> str:
    if not view.is_direct:
        return (
            f"release what {view.class_name} holds in __del__() too: {view.manager} gives it up"
            " without close()."
        )
    known = convention(view)
    return (
        in_words(known.build_once, view)
        if known
        else "reuse the old instance, or close it before the new one takes its place."
    )


def _resets(*closed: int) -> Trace:
    watched = (
        {"event": "inner", "t": 0.0, "pid": 1, "what": "closed", "base": base, "id": base}
        for base in closed
    )
    return trace(
        *(instance("reset", 1, base=base) for base in (1, 2, 3)),
        *watched,
        name="reuse",
        script=SCRIPT,
    )


def _launch(*others: Event) -> View:
    span = [verb("reset", state, at=at) for at in (1, 3) for state in ("began", "ended")]
    return vector_view(
        trace(
            instance("made", 1, pid=7),
            *span,
            instance("made", 2, pid=7),
            *others,
            instance("closing", 2, pid=7),
        ),
        manager="ding-subproc",
    )


def _renewed(*events: Event) -> View:
    failing = trace(
        instance("made", 2, pid=7),
        instance("failing", 2, pid=7),
        *events,
        name=RENEWED,
        manager="ding-subproc",
    )
    return vector_view(trace(manager="ding-subproc"), failing, manager="ding-subproc")


EXAMPLES = (
    Example(
        "two levels are lost",
        direct_view(_resets(3)),
        "reset() drops 2 old instances without closing them",
    ),
    Example("each was closed", direct_view(_resets(1, 2, 3))),
    Example(
        "the manager drops one",
        _launch(),
        "reset() of ding-subproc drops 1 old instance without closing it",
    ),
    Example(
        "the manager renews one that failed",
        _renewed(instance("making", 3, pid=8)),
        "reset() of ding-subproc drops 1 old instance without closing it",
    ),
    Example(
        "the worker closes it first",
        _renewed(instance("closing", 2, pid=7), instance("making", 3, pid=8)),
    ),
    Example("the manager closes it", _launch(instance("closing", 1, pid=7))),
)
