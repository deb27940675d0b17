"""The manager made an instance and never closed it.

What it does
    Counts, for every instance that was made under a manager, whether its close() was called before
    the manager was given up. Not judged when a worker died: its instances cannot be closed.

Why it matters
    What the forgotten instance holds stays until the process ends. Often the environment is the
    reason: a constructor that fails for the second instance makes it forget the first, and a
    close() that raises for the first keeps it from reaching the others.

How to fix it
    Make the other calls safe: a constructor that either succeeds or leaves nothing, and a close()
    that never raises.

        def __init__(self, port=0):         # 0: the system picks a free one for each instance
            self._server = start_server(port)

        def close(self):
            if self._server is not None:
                self._server.stop()
                self._server = None
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import replace

from envdoctor.frameworks.hidden_instances import forgotten
from envdoctor.model.environment_aims import GoOn
from envdoctor.model.events import Event
from envdoctor.model.finding import Finding
from envdoctor.model.records import InstanceRecord, VerbRecord, WorkerExitRecord
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.expectations import expected
from envdoctor.rules.wording.leftovers import count


def never_closed(run: Trace) -> list[InstanceRecord]:
    """The `made` events of the instances whose close() was never called."""
    closed = {event.key for event in run.records(InstanceRecord, what="closing")}
    return [event for event in run.records(InstanceRecord, what="made") if event.key not in closed]


def launches(run: Trace) -> Iterator[Trace]:
    """The trace, cut into the lives of its managers: what was not closed is counted among the
    instances of one.
    """
    begins = [call.index for call in run.records(VerbRecord, verb="make", state="began")]
    for begin, end in zip([0, *begins[1:]], [*begins[1:], None], strict=False):
        yield replace(run, events=run.events[begin:end])


def never_closed_unawares(view: View, run: Trace) -> list[InstanceRecord]:
    """Return instances that were never closed, without those that the manager is known to build for
    their spaces and to forget: DOC004 reports them.
    """
    known = expected(view)
    by_design = forgotten(run, known.hidden or 0) if known.closes_hidden is False else []
    return [event for event in never_closed(run) if event not in by_design]


def someone_died(run: Trace) -> bool:
    """Return True if a process that could have closed its instance ended before it could. Managers
    end workers that have closed theirs.
    """
    if run.outcome.kind != FINISHED:
        return True
    unclosed = {event.pid for event in never_closed(run)}
    codes = [(event.pid_of_worker, event.code) for event in run.records(WorkerExitRecord)]
    return any(
        code not in (0, -signal.SIGTERM) or (code and pid in unclosed) for pid, code in codes
    )


def one_a_process(view: View) -> str:
    """Return the reason why the manager forgets instances: the environment cannot be made twice in
    one process.
    """
    both, run = view.direct.trace("two-at-once"), view.trace("life")
    alone = both.verbs("make", "raised") if both else []
    here = run is not None and any(map(_fails_beside_another, launches(run)))
    return (
        f"{view.manager} makes two instances in one process, which the environment does not allow"
        if alone and here
        else ""
    )


def _fails_beside_another(launch: Trace) -> bool:
    """Return True if a constructor raised in a process that had an instance. Two workers with one
    each do not count.
    """
    there: set[tuple[int, int]] = set()
    for event in launch.records(InstanceRecord):
        if event.what == "made":
            there.add(event.key)
        elif event.what == "closing":
            there.discard(event.key)
        elif event.what == "make-raised" and any(pid == event.pid for pid, _ in there):
            return True
    return False


@rule(
    "CLS015",
    "close-never-called",
    severity="warning",
    where=VECTOR_ONLY,
    looks_at={"life": LIFECYCLE},
    unjudged=one_a_process,
    counts=counted("instances never closed", "never_closed"),
)
def close_never_called(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    if run is None or someone_died(run) or one_a_process(view):
        return
    run = next((launch for launch in launches(run) if never_closed_unawares(view, launch)), None)
    if run is None:
        return
    made, open_still = (
        list(run.records(InstanceRecord, what="made")),
        never_closed_unawares(view, run),
    )
    why, remedy = _cause(run, view)
    raising = (each.error for each in run.records(InstanceRecord, what="close-raised"))
    yield close_never_called.finding(
        f"{view.manager} never called close() of {len(open_still)} of"
        f" {count(made, 'instance')}{why}",
        remedy,
        aim=None if _is_made_wrong(run) else next((GoOn(each) for each in raising if each), None),
        location=view.locate("close"),
        evidence={
            "never_closed": [
                {"pid": event.pid, "serial": event.serial, "parent": event.parent}
                for event in open_still
            ]
        },
    )


def _is_made_wrong(run: Trace) -> bool:
    """Return True if a constructor raised."""
    return any(run.records(InstanceRecord, what="make-raised"))


def _cause(run: Trace, view: View) -> tuple[str, str]:
    if _is_made_wrong(run):
        return (
            ": the constructor of another one failed",
            (
                f"let {view.class_name}.__init__() succeed for every instance; the manager forgets"
                " those that it had already made."
            ),
        )
    if any(run.records(InstanceRecord, what="close-raised")):
        return (
            ": close() of an earlier one raised",
            (
                f"let {view.class_name}.close() never raise; the manager stops closing at the first"
                " error."
            ),
        )
    if run.verbs("make", "raised"):
        return (
            ": its launch failed",
            (
                f"repair what keeps {view.manager} from starting; until then it forgets the"
                " instances that it made."
            ),
        )
    return (
        "",
        (
            f"release what {view.class_name} holds in __del__() or by weakref.finalize() too:"
            f" {view.manager} gives it up without close()."
        ),
    )


_DIED = {"event": "worker-exit", "t": 0.0, "pid": 1, "pid_of_worker": 2, "code": -9}


def _made(*others: Event) -> tuple[Event, ...]:
    return (instance("made", 1), instance("made", 2), *others)


EXAMPLES = (
    Example(
        "the first close raises, the second instance is forgotten",
        vector_view(
            trace(
                *_made(
                    instance("closing", 1),
                    instance("close-raised", 1, error=raised()),
                    verb("close", "raised"),
                )
            ),
            manager="gymnasium-sync",
        ),
        "gymnasium-sync never called close() of 1 of 2 instances: close() of an earlier one raised",
    ),
    Example(
        "the second constructor raises, the first instance is forgotten",
        vector_view(
            trace(instance("made", 1), instance("make-raised", 2, error=raised())),
            manager="gymnasium-sync",
        ),
        "gymnasium-sync never called close() of 1 of 1 instance: the constructor of another"
        " one failed",
    ),
    Example(
        "the manager just forgets",
        vector_view(trace(*_made(instance("closing", 1)))),
        "gymnasium-async never called close() of 1 of 2 instances",
    ),
    Example(
        "the same in each of two launches",
        vector_view(
            trace(
                *(
                    event
                    for launch in (0, 5)
                    for event in (
                        verb("make", "began", at=launch),
                        instance("made", 1 + launch),
                        instance("make-raised", 2 + launch, error=raised()),
                    )
                )
            ),
            manager="gymnasium-sync",
        ),
        "gymnasium-sync never called close() of 1 of 1 instance: the constructor of another"
        " one failed",
    ),
    Example(
        "without the manager, a second one cannot be made beside the first either",
        replace(
            vector_view(
                trace(instance("made", 1), instance("make-raised", 2, error=raised())),
                manager="gymnasium-sync",
            ),
            other_places=(
                trace(verb("make"), verb("make", "raised", error=raised()), name="two-at-once"),
            ),
        ),
    ),
    Example(
        "the second one fails in another process",
        replace(
            vector_view(
                trace(
                    instance("made", 1, pid=7, parent=False),
                    instance("make-raised", 1, pid=8, parent=False, error=raised()),
                )
            ),
            other_places=(
                trace(verb("make"), verb("make", "raised", error=raised()), name="two-at-once"),
            ),
        ),
        "gymnasium-async never called close() of 1 of 1 instance: the constructor of"
        " another one failed",
    ),
    Example(
        "both are closed",
        vector_view(trace(*_made(instance("closing", 1), instance("closing", 2)))),
    ),
    Example("a worker died", vector_view(trace(*_made(_DIED)))),
    Example("the probe was lost", vector_view(trace(*_made(), outcome="lost"))),
)
