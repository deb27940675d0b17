"""The constructor takes seconds.

What it does
    Times the constructor of the second instance of a process, when imports and caches are paid for.

Why it matters
    Every worker pays it, each hidden instance that a manager builds to read the spaces pays it
    again, and instances in one process are built one after another.

How to fix it
    Load what all instances share once a process, and what only one needs at its first reset:

        @functools.cache
        def load_map(name):
            return Map.parse(name)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.examples import direct_view, trace, verb
from envdoctor.rules.engine.measures import longest
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View

SLOW = 2.0  # seconds
MANY = 16  # instances, for the sentence on what it means


@rule(
    "MAK003",
    "slow-constructor",
    severity="note",
    where=DIRECT_ONLY,
    verb="make",
    looks_at={"life": "make"},
    counts=longest,
)
def slow_constructor(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    makes = run.verbs("make", "ended") if run else []
    if len(makes) < 2 or makes[-1].seconds < SLOW:
        return
    seconds = makes[-1].seconds
    yield slow_constructor.finding(
        f"the constructor takes {seconds:.1f} s for the second instance too; {MANY} instances in"
        f" one process need {seconds * MANY:.0f} s",
        "load what all instances share once a process (functools.cache on the function that loads"
        " it), and the rest at the first reset().",
        location=view.locate("__init__"),
        evidence={"seconds": [make.seconds for make in makes]},
    )


EXAMPLES = (
    Example(
        "three seconds each",
        direct_view(trace(verb("make", seconds=4.0), verb("make", at=5, seconds=3.0))),
        "the constructor takes 3.0 s for the second instance too; 16 instances in one"
        " process need 48 s",
    ),
    Example(
        "slow only once",
        direct_view(trace(verb("make", seconds=4.0), verb("make", at=5, seconds=0.1))),
    ),
    Example("not known for a second one", direct_view(trace(verb("make", seconds=4.0)))),
)
