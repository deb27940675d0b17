"""A vectorizer has one instance in several of its places.

What it does
    Looks, when a vectorizer has made its instances, which of them are one and the same, within
    all wrappers; and when one of the script's own resets an instance twice in a row. Reported
    is an instance that has two places or more. Vectorizers with workers are left out: each
    worker has a copy of its own.

Why it matters
    Each step of the vectorizer steps the one instance several times, by actions that were computed
    for other observations than those that it is in, and each reset of one of them ends the episode
    of all. What is learned from that is not of the environment, and nothing raises.

How to fix it
    Make the instance in the function that the vectorizer is given:

        env = make_arm(size=3)
        venv = SyncVectorEnv([lambda: env] * 4)  # one instance, four times
        venv = SyncVectorEnv([lambda: make_arm(size=3)] * 4)  # four instances
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.finding import ERROR, UNKNOWN, Finding, Location
from envdoctor.model.training_aims import MakeHosted
from envdoctor.model.training_ends import HostedTwice
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, training_of, view_of, whose


@rule(
    "TRN034",
    "instance-hosted-twice",
    explains=Cause.HOSTED_TWICE,
    severity=ERROR,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def instance_hosted_twice(view: View) -> Iterator[Finding]:
    for instance in training_of(view).created_here:
        hosted = instance.hosted
        if hosted is None:
            continue
        place, name = hosted.location, instance.class_name
        made = instance.location
        how = "that resets its instances at" if hosted.method else "made at"
        at = f" at {short(made.file)}:{made.line}" if made is not None else ""
        yield instance_hosted_twice.finding(
            f"the {hosted.vectorizer} {how} {short(place.file)}:{place.line} in {place.function}"
            f" has one instance of {whose([instance])} in {hosted.places} of its places: each step"
            f" of it steps that one {hosted.places} times",
            f"make each {name} in the function that the {hosted.vectorizer} is given: move what"
            f" makes it{at} there, such as `lambda: {name}(...)` in the place of `lambda: env`.",
            aim=MakeHosted(Frame(made.file, made.line)) if made is not None else None,
            location=place,
            key=(name, hosted.vectorizer),
            blame=UNKNOWN,
            evidence={"places": hosted.places, "vectorizer": hosted.vectorizer},
        )


_MADE, _AT = Location("/train.py", 45, "main"), Location("/train.py", 38, "host")


def _arm(hosted: HostedTwice | None) -> Instances:
    return Instances(1, 1, "arm.Arm", _MADE, reset=Calls(4, 4), step=Calls(80, 80), hosted=hosted)


EXAMPLES = (
    Example(
        "a function that returns the same one each time",
        view_of(_arm(HostedTwice("ArmVectors", 4, _AT))),
        "the ArmVectors made at train.py:38 in host has one instance of Arm made"
        " at /train.py:45 in 4 of its places: each step of it steps that one 4 times",
    ),
    Example(
        "a vectorizer of the script's own",
        view_of(_arm(HostedTwice("ArmVectors", 4, _AT, "reset"))),
        "the ArmVectors that resets its instances at train.py:38 in host has one instance"
        " of Arm made at /train.py:45 in 4 of its places: each step of it steps that one 4"
        " times",
    ),
    Example("an instance for each place", view_of(_arm(None))),
)
