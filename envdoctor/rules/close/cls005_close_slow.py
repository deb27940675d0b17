"""close() takes long.

What it does
    Times close() after twenty steps, in the last life that was played. Two seconds and more are
    worth a note.

Why it matters
    Managers close their environments one after another, and some give each only a few seconds
    before they end its process by force. With 64 environments, two seconds are two minutes at the
    end of every trial.

How to fix it
    Tell what is running to stop as early as possible, wait for the event and not for a fixed time,
    and bound the wait:

        def close(self):
            self._stop.set()
            self._recorder.join(timeout=1.0)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.records import InstanceRecord
from envdoctor.rules.engine.examples import direct_view, instance, trace, vector_view, verb
from envdoctor.rules.engine.measures import longest
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import closes
from envdoctor.rules.remedies.missing_in_worker import kind_of_error

SLOW = 2.0  # seconds


def _raised_in_workers(view: View) -> str:
    """That close() raises in workers: how long all of it takes is not known then."""
    run = view.trace("life") if view.start_method else None
    raised = run.records(InstanceRecord, what="close-raised", parent=False) if run else ()
    for record in raised:
        return f"close() raises {kind_of_error(record.error)} in workers, so the rest was not seen"
    return ""


@rule(
    "CLS005",
    "close-slow",
    severity=NOTE,
    verb="close",
    looks_at={"life": "close"},
    counts=longest,
    unjudged=_raised_in_workers,
)
def close_slow(view: View) -> Iterator[Finding]:
    ended = (
        in_workers(view)
        if view.start_method
        else [
            float(close.seconds) for close in closes(view.trace("life")) if close.state == "ended"
        ]
    )
    if not ended or ended[-1] < SLOW:
        return
    yield close_slow.finding(
        f"close() takes {ended[-1]:.1f} s",
        f"see what {view.class_name}.close() waits for; wait for the event itself, and for a"
        " bounded time.",
        location=view.locate("close"),
        evidence={"seconds": ended},
    )


def in_workers(view: View) -> list[float]:
    """Return how long close() of each instance took in its worker. The manager also waits for the
    end of the process, and one with PyTorch in it takes seconds to end.
    """
    run = view.trace("life")
    events = list(run.records(InstanceRecord)) if run else []
    began = {event.key: event.t for event in events if event.what == "closing"}
    return sorted(
        event.t - began.get(event.key, event.t) if event.seconds is None else event.seconds
        for event in events
        if event.what in ("closed", "close-raised")
    )


def _in_worker(seconds: float, waited: float, end: str = "closed") -> View:
    events = (
        instance("closing", pid=7, parent=False, t=1.0),
        instance(end, pid=7, parent=False, t=1.0 + seconds),
    )
    return vector_view(trace(*events, verb("close", seconds=waited)))


EXAMPLES = (
    Example("it sleeps", direct_view(trace(verb("close", seconds=2.61))), "close() takes 2.6 s"),
    Example(
        "only the first one had to import something",
        direct_view(trace(verb("close", seconds=3.0), verb("close", seconds=0.2))),
    ),
    Example("it sleeps in a worker", _in_worker(2.61, 2.7), "close() takes 2.6 s"),
    Example(
        "it sleeps in a worker, and raises",
        _in_worker(2.61, 2.7, "close-raised"),
        "close() takes 2.6 s",
    ),
    Example("the worker's process takes its time to end", _in_worker(0.1, 3.1)),
    Example(
        "the worker waits for a machine that runs others",
        vector_view(
            trace(
                instance("closing", pid=7, parent=False, t=1.0),
                instance("closed", pid=7, parent=False, t=4.5, seconds=0.1),
                verb("close", seconds=3.6),
            )
        ),
    ),
)
