"""close() raises in a worker, and the manager reports success.

What it does
    Every instance writes down how its close() ended, in any process. When one of them raised and
    the manager's own close() returned normally, the error was lost.

Why it matters
    Every common vectorizer drops what close() raises in a worker: the line after the failing one
    never runs, so simulators, sockets and temporary files stay, and the training script says
    nothing.

How to fix it
    Repair the error itself; it is shown in the message. Make close() able to run in every
    state:

        def close(self):
            recorder, self._recorder = self._recorder, None
            if recorder is not None:
                recorder.save()
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import GoOn
from envdoctor.model.errors import NO_ERROR, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.finding import Finding
from envdoctor.model.records import InstanceRecord
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.wording.leftovers import count, place_of


@rule("CLS014", "close-error-hidden", where=VECTOR_ONLY, verb="close", looks_at={"life": LIFECYCLE})
def close_error_hidden(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    if run is None or not run.verbs("close", "ended"):
        return
    errors: dict[str, list[InstanceRecord]] = {}
    for event in run.records(InstanceRecord, what="close-raised"):
        errors.setdefault(one_line(event.error), []).append(event)
    for text, raised_in in errors.items():
        # A manager may call it once more where it raised.
        events = list({event.key: event for event in raised_in}.values())
        yield close_error_hidden.finding(
            f"close() raised in {count(events, 'instance')} and {view.manager} reported success:"
            f" {text}",
            f"repair the error in {view.class_name}.close(); until then what follows that line is"
            " not released, and no log says so.",
            aim=GoOn(events[0].error or NO_ERROR),
            location=place_of(events[0].error) or view.locate("close"),
            evidence={
                "instances": [{"pid": event.pid, "serial": event.serial} for event in events],
                "error": wire_of(events[0].error),
            },
        )


def _close(*instances: Event, state: str = "ended") -> View:
    return vector_view(trace(verb("close", "began"), *instances, verb("close", state)))


EXAMPLES = (
    Example(
        "both workers fail to close, and the errors are lost",
        _close(
            *(
                instance(
                    "close-raised",
                    pid=pid,
                    parent=False,
                    error=raised("AttributeError", "no recorder"),
                )
                for pid in (7, 8)
            )
        ),
        "close() raised in 2 instances and gymnasium-async reported success:"
        " AttributeError: no recorder",
    ),
    Example(
        "the manager passes the error on",
        _close(instance("close-raised", error=raised()), state="raised"),
    ),
    Example(
        "close is fine",
        _close(instance("closing", pid=7, parent=False), instance("closed", pid=7, parent=False)),
    ),
)
