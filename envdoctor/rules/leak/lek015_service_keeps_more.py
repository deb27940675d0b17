"""A service keeps more with every cycle, as a command of yours counts it.

What it does
    With `--service-count COMMAND`, runs the command before and after blocks of whole cycles, and of
    resets of one instance that stays open. It prints one whole number: how much a service keeps, in
    another process or on another machine. Other users of that service are counted with it, so run
    it where there are none. Without the option nothing is counted. Where only some resets leave
    something, an error that is raised and caught in as many of them is named.

Why it matters
    A sandbox, a session or a browser that a service keeps costs there what a process costs here,
    and at its quota the service refuses the next one. No process of the training shows any of it.

How to fix it
    End in close() what the instance has there, and in reset() before another takes its place:

        def reset(self, *, seed=None, options=None):
            self._end_sandbox()
            self._sandbox = self._client.post("/sandboxes").json()["id"]

        def close(self):
            self._end_sandbox()
            super().close()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.model.environment_aims import EndHeld
from envdoctor.model.facts import CaughtError, ServiceCount
from envdoctor.model.finding import ERROR, Finding
from envdoctor.model.meters import SERVICE
from envdoctor.rules.engine.examples import block, designs, direct_view, fact, growing, trace
from envdoctor.rules.engine.registry import WHERE_COUNTED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.caught_errors import as_often, caught_as_often, end_failed
from envdoctor.rules.evidence.growth import leaks_of
from envdoctor.rules.wording.growth import (
    give_back,
    held,
    horizon,
    many,
    reached_after,
    report,
    sentence,
)

NOUN = ("entry in the service", "entries in the service")


def _failed(view: View) -> str:
    """Return why the command did not count at every reading, or nothing."""
    facts = (fact for trace in view.traces for fact in trace.facts(ServiceCount))
    return next((fact.failed for fact in facts if fact.failed), "")


@rule(
    "LEK015",
    "service-keeps-more",
    where=WHERE_COUNTED,
    needs=("leak",),
    meters=(SERVICE,),
    follow_ups=("caught",),
    also_reads=("caught",),
    unjudged=_failed,
    grows="entries in the service",
)
def service_keeps_more(view: View) -> Iterator[Finding]:
    if _failed(view):
        return
    for leak in leaks_of(view, SERVICE):
        error = caught_as_often(view, leak)
        message = (
            f"{sentence(leak, 'leaves', *NOUN)}: 100 after {reached_after(leak, 100)}"
            f"{held(view, leak)}; {horizon(leak)}{as_often(error)}"
        )
        words = (message, _remedy(view, leak, error))
        aim = end_failed(error) or EndHeld()
        yield report(service_keeps_more, view, leak, words, severity=ERROR, aim=aim)


def _remedy(view: View, leak: Leak, error: CaughtError | None) -> str:
    cure = f"{give_back(view, leak, 'end')}, by the call that the service has for it."
    if error is not None:
        return (
            f"keep what could not be ended where {error.type} is caught, and end it later, in the"
            f" next reset() and in {view.class_name}.close(); or let the error be seen."
        )
    if leak.shares[leak.operation] >= 1:
        return cure
    return (
        f"{cure} Where the other {many(leak)} end theirs, that call fails now and then: see what"
        " catches its error, and end later what is left."
    )


def _caught(resets: int, *calls: int) -> View:
    """Every other reset() leaves something, and errors are caught in so many of the resets."""
    caught = {"file": "/arm.py", "line": 64, "function": "free"}
    known = {"type": "ServiceError", "message": "503", "caught": caught}
    errors = [
        {**known, "calls": number, "frame": {"file": "/client.py", "line": line, "function": "end"}}
        for line, number in enumerate(calls, 33)
    ]
    tried = trace(fact("caught-errors", {"resets": resets, "errors": errors}), name="caught")
    view = direct_view(*growing(service=0.5), *designs("service", reset=0.5))
    return replace(view, optional_traces=(tried,))


_EVERY_OTHER = (
    "every other reset() leaves 1 entry in the service: 100 after about 200 resets; steady through"
    " 231 cycles"
)

EXAMPLES = (
    Example(
        "a sandbox for each instance",
        direct_view(block(7, service=7), block(7, service=7)),
        "every cycle of make, reset, steps and close leaves 1 entry in the service: 100"
        " after 100 cycles; steady through 14 cycles",
    ),
    Example(
        "it ends every other",
        direct_view(*growing(service=0.5), *designs("service", reset=0.5)),
        _EVERY_OTHER,
    ),
    Example(
        "the call that ends it fails as often, and that is caught",
        _caught(16, 8),
        f"{_EVERY_OTHER}; as often, ServiceError: 503 (client.py:33 in end) is caught at"
        " arm.py:64 in free",
    ),
    Example("two errors that are caught as often", _caught(16, 8, 8), _EVERY_OTHER),
    Example("an error in each reset", _caught(16, 16), _EVERY_OTHER),
    Example("it ends them", direct_view(*growing(service=0))),
    Example(
        "a pool that is filled once",
        direct_view(block(7, service=3), *(block(cycles, service=0) for cycles in (7, 7, 14, 28))),
    ),
)
