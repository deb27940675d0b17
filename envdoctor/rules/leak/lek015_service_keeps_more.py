"""A service keeps more with every cycle, as a command of yours counts it.

What it does
    With `--service-count COMMAND`, runs the command before and after blocks of whole cycles, and of
    resets of one instance that stays open. It prints one whole number: how much a service keeps, in
    another process or on another machine. Other users of that service are counted with it, so run
    it where there are none. Without the option nothing is counted.

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

from envdoctor.analysis.growth.leaks import Leak
from envdoctor.model.environment_aims import EndHeld
from envdoctor.model.facts import ServiceCount
from envdoctor.model.finding import ERROR, Finding
from envdoctor.model.meters import SERVICE
from envdoctor.rules.engine.examples import block, designs, direct_view, growing
from envdoctor.rules.engine.registry import WHERE_COUNTED, Example, rule
from envdoctor.rules.engine.view import View
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
    unjudged=_failed,
    grows="entries in the service",
)
def service_keeps_more(view: View) -> Iterator[Finding]:
    if _failed(view):
        return
    for leak in leaks_of(view, SERVICE):
        message = (
            f"{sentence(leak, 'leaves', *NOUN)}: 100 after {reached_after(leak, 100)}"
            f"{held(view, leak)}; {horizon(leak)}"
        )
        words = (message, _remedy(view, leak))
        yield report(service_keeps_more, view, leak, words, severity=ERROR, aim=EndHeld())


def _remedy(view: View, leak: Leak) -> str:
    cure = f"{give_back(view, leak, 'end')}, by the call that the service has for it."
    if leak.shares[leak.operation] >= 1:
        return cure
    return (
        f"{cure} Where the other {many(leak)} end theirs, that call fails now and then: see what"
        " catches its error, and end later what is left."
    )


EXAMPLES = (
    Example(
        "a sandbox for each instance",
        direct_view(block(7, service=7), block(7, service=7)),
        (
            (
                "every cycle of make, reset, steps and close leaves 1 entry in the service: 100"
                " after 100 cycles; steady through 14 cycles"
            ),
        ),
    ),
    Example(
        "it ends every other",
        direct_view(*growing(service=0.5), *designs("service", reset=0.5)),
        (
            (
                "every other reset() leaves 1 entry in the service: 100 after about 200 resets;"
                " steady through 231 cycles"
            ),
        ),
    ),
    Example("it ends them", direct_view(*growing(service=0))),
    Example(
        "a pool that is filled once",
        direct_view(block(7, service=3), *(block(cycles, service=0) for cycles in (7, 7, 14, 28))),
    ),
)
