"""Instances of a training are closed more than once.

What it does
    Counts the calls of close() from outside on an instance that was closed already, in all
    processes of a watched training. A reset() in between opens it again.

Why it matters
    Two places believe that they own the instance. A second close() that raises, or that gives back
    what belongs to another one by now, ends a training hours later.

How to fix it
    Close it where it was made, and nowhere else:

        venv = DummyVecEnv([make])
        venv.close()  # closes its instances: env.close() after it is one too many
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_instances import Instances
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import (
    by_site,
    nothing_made,
    of,
    training_of,
    watched_view,
    whose,
)
from envdoctor.rules.remedies.aims import end_once


@rule(
    "TRN002",
    "instance-closed-again",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
    counts=counted("further calls of close()", "again"),
    gives_way=(Cause.HOSTED_TWICE,),
)
def instance_closed_again(view: View) -> Iterator[Finding]:
    own = [instances for instances in training_of(view).created_here if not instances.inherited]
    for group in by_site(own):
        again = sum(instances.again for instances in group)
        if not again:
            continue
        yield instance_closed_again.finding(
            f"close() was called {of(again, 'more time')} on closed instances of {whose(group)}",
            "close each instance in one place only.",
            aim=end_once(group[0].location, "again"),
            location=group[0].location,
            key=(group[0].type,),
            explained_by=(Cause.HOSTED_TWICE,) if any(each.hosted for each in group) else (),
            evidence={"again": again, "closed": sum(instances.closed for instances in group)},
        )


_AT = Location("/train.py", 14)

EXAMPLES = (
    Example(
        "closed by the vectorizer and by the script",
        watched_view(Training((), instances=(Instances(1, 1, "arm.Arm", _AT, closed=1, again=1),))),
        "close() was called 1 more time on closed instances of Arm made at /train.py:14",
    ),
    Example(
        "closed once",
        watched_view(Training((), instances=(Instances(1, 1, "arm.Arm", _AT, closed=1),))),
    ),
)
