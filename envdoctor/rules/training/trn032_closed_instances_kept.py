"""Closed instances of a training are kept.

What it does
    Counts, when an instance is made, how many of its class are there that were closed and not reset
    since, and looks, when the script has ended, for who keeps them. Reported are classes of which
    there were more than ever before 8 times at least, and to 8 of which a way leads from a module,
    a class or a thread then. What is only garbage is not counted, nor what was closed at the end of
    the script, or with a vectorizer that a variable has.

    It is a note where a variable of the script itself keeps them, which may be wanted.

Why it matters
    close() gives back what an environment has outside of Python. Its arrays, buffers and caches go
    with the last reference to it: a registry or a cache that keeps each instance keeps those, too,
    and memory grows with each environment that is made.

How to fix it
    Keep what is recorded of an environment, and not the environment; or keep a weak reference:

        self._env = weakref.ref(env)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training_aims import RegisterWithout
from envdoctor.model.training_ends import KeptInstances
from envdoctor.model.training_instances import Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, view_of, whose

OF_SCRIPT = "__main__."
#: What is kept in the arguments with which a name was registered.
REGISTERED = re.compile(r"\.registry\[.*?\]\.kwargs\[('[^']*')\]")


@rule(
    "TRN032",
    "closed-instances-kept",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
    counts=counted("closed instances that are kept", "instances"),
)
def closed_instances_kept(view: View) -> Iterator[Finding]:
    for instances in training_of(view).created_here:
        kept = instances.kept
        if kept is None or not kept.chain:
            continue
        name = instances.class_name
        by = f", by an object of {kept.owner}" if kept.owner else ""
        yield closed_instances_kept.finding(
            f"{of(kept.number, 'instance')} of {whose([instances])} were closed, and are kept while"
            f" others are made: {kept.chain} leads to one of them{by}",
            _remedy(kept, name),
            aim=_aim(kept),
            severity=NOTE if kept.chain.startswith(OF_SCRIPT) else WARNING,
            location=kept.location or instances.location,
            key=(name, kept.owner),
            blame=UNKNOWN,
            evidence={"instances": kept.number, "held_by": kept.chain},
        )


def _remedy(kept: KeptInstances, name: str) -> str:
    registered = REGISTERED.search(kept.chain)
    if registered is not None:
        place = kept.registered_at
        at = f" at {short(place.file)}:{place.line}" if place is not None else ""
        return (
            f"leave {registered.group(1)} out of the kwargs that register() is given{at}, and give"
            " it to make() alone: what is registered stays for as long as the process runs."
        )
    return (
        f"take each {name} out of there when it is closed; or keep there what is needed of it, or a"
        " weak reference to it."
    )


def _aim(kept: KeptInstances) -> RegisterWithout | None:
    """Leave out what an id was registered with; nothing where that is not what keeps them."""
    registered, place = REGISTERED.search(kept.chain), kept.registered_at
    if registered is None or place is None:
        return None
    return RegisterWithout(Frame(place.file, place.line), registered.group(1).strip("'"))


_MADE, _CLOSED = Location("/builder.py", 27, "make"), Location("/run.py", 31, "job")
_REGISTRY = "registration.registry['kitchen_0-v0'].kwargs['recorder'].env"


def _kept(number: int, chain: str, owner: str = "") -> Instances:
    kept = KeptInstances(number, chain, owner, _CLOSED)
    return Instances(2, 1, "arena.Kitchen", _MADE, number=1, closed=1, kept=kept)


EXAMPLES = (
    Example(
        "what a name was registered with refers to the instance",
        view_of(_kept(29, _REGISTRY, "Recorder")),
        "29 instances of Kitchen made at /builder.py:27 were closed, and are kept while"
        " others are made: registration.registry['kitchen_0-v0'].kwargs['recorder'].env"
        " leads to one of them, by an object of Recorder",
    ),
    Example(
        "a list of the script",
        view_of(_kept(12, "__main__.PAST[0]")),
        "12 instances of Kitchen made at /builder.py:27 were closed, and are kept while"
        " others are made: __main__.PAST[0] leads to one of them",
    ),
    Example("no way leads to them", view_of(_kept(29, ""))),
    Example("each is freed", view_of(Instances(2, 1, "arena.Kitchen", _MADE, number=1, closed=1))),
)
