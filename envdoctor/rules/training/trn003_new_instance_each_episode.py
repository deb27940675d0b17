"""A training makes a new instance for each episode.

What it does
    Finds lines that made ten instances or more in one process, of which each was reset once at
    most; those of one vectorizer count as one. Where each was closed, its class has no close(), or
    they were made with other arguments each, that is a note: some frameworks play each episode so
    on purpose, and an instance may be one task.

Why it matters
    What the constructor does is done again for every episode: a simulator is started, a scene
    loaded, a connection opened. What close() does not give back grows with it.

How to fix it
    Make the instance once and reset it:

        env = gym.make("Arm-v0")
        for _ in range(1000):
            observation, info = env.reset()
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_instances import Calls, Instances
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
from envdoctor.rules.remedies.aims import make_once

MANY = 10  # instances of one line in one process
_OTHER_TASKS = (
    "make one instance, and give reset(options=...) what differs between those that were made."
    " Where an instance is its task, and costs little to make, nothing is wrong."
)


@rule(
    "TRN003",
    "new-instance-each-episode",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
    counts=counted("instances", "made"),
)
def new_instance_each_episode(view: View) -> Iterator[Finding]:
    for group in by_site(training_of(view).created_here):
        one_process = {instances.pid for instances in group}
        made = sum(instances.made for instances in group)
        gone = sum(instances.gone for instances in group) + sum(
            instances.closed for instances in group if not instances.gone
        )
        resets = sum(instances.reset.began for instances in group)
        is_many = _launches(group) >= MANY * len(one_process)
        again = 0 < resets <= made and is_many and gone >= made - 1
        if again and group[0].location and not any(instances.copied for instances in group):
            differ = len({instances.arguments for instances in group}) > 1
            is_closed = sum(each.closed for each in group) >= made
            yield new_instance_each_episode.finding(
                f"{of(made, 'instance')} of {whose(group)}, for {of(resets, 'reset')} in all",
                _OTHER_TASKS if differ else "make one instance, and call reset() for each episode.",
                severity=WARNING if group[0].closes and not (is_closed or differ) else NOTE,
                aim=None if differ else make_once(group[0].location),
                location=group[0].location,
                key=(group[0].type,),
                evidence={"made": made, "resets": resets},
            )


def _launches(group: Sequence[Instances]) -> int:
    """The number of times that they were made: a vectorizer makes all of its instances at once."""
    alone = sum(instances.made for instances in group if not instances.group)
    return alone + len({instances.group for instances in group if instances.group})


_AT = Location("/train.py", 14)


def _example(
    number: int, resets: int, closed: int = 1, tasks: int = 1, closes: bool = True, batch: int = 0
) -> View:
    each = Instances(1, 1, "arm.Arm", _AT, gone=1, closed=closed, closes=closes)
    each = replace(each, reset=Calls(resets, resets))
    every = tuple(
        replace(each, arguments=1 + at % tasks, group=f"1.{at // batch}" if batch else "")
        for at in range(number)
    )
    return watched_view(Training((), instances=every))


EXAMPLES = (
    Example(
        "twelve episodes, twelve instances",
        _example(12, 1),
        "12 instances of Arm made at /train.py:14, for 12 resets in all",
    ),
    Example(
        "and none of them is closed",
        _example(12, 1, closed=0),
        "12 instances of Arm made at /train.py:14, for 12 resets in all",
    ),
    Example(
        "an instance for each of four tasks of a language model",
        _example(12, 1, closed=0, tasks=4),
        "12 instances of Arm made at /train.py:14, for 12 resets in all",
    ),
    Example(
        "and there is nothing to close",
        _example(12, 1, closed=0, closes=False),
        "12 instances of Arm made at /train.py:14, for 12 resets in all",
    ),
    Example(
        "twelve vectorizers, each for one episode",
        _example(24, 1, batch=2),
        "24 instances of Arm made at /train.py:14, for 24 resets in all",
    ),
    Example("twelve evaluations of five episodes each", _example(12, 5)),
    Example("two vectorizers of twelve instances each", _example(24, 1, batch=12)),
)
