"""The actions of a training fill a part of their space, from -1 to 1.

What it does
    Looks at the actions that step() is given in some episodes, where the action space is a Box of
    fractions that reaches beyond -1 and 1 on both sides. Reported are instances of which none of at
    least 256 numbers is beyond, several are at each of these ends, and many different ones lie
    between: what a tanh returns, or is cut there, and was not scaled to the space.

    Actions that reach beyond once, as random ones do with which a training begins, are left out. So
    are those of a few values, and those that stay away from one of the ends. It is a note: a policy
    may be kept to small actions on purpose.

Why it matters
    What the space has beyond, such as the torque that swings a pendulum up, is never played, and
    nothing raises. The training looks as if it could not learn.

How to fix it
    Scale actions to the space, in the loop or by a wrapper:

        action = low + (action + 1.0) / 2.0 * (high - low)

        env = RescaleAction(env, -1.0, 1.0)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training_ends import NarrowActions
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import by_site, nothing_made, training_of, view_of, whose


@rule(
    "TRN036",
    "actions-not-scaled",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def actions_not_scaled(view: View) -> Iterator[Finding]:
    instances = training_of(view).instances
    for site in by_site(each for each in instances if each.narrow and each.narrow.values):
        known = [each.narrow for each in site if each.narrow is not None]
        place, values = known[0].location, sum(each.values for each in known)
        ends = sum(each.ends for each in known)
        yield actions_not_scaled.finding(
            f"of {values:,} numbers in actions that {short(place.file)}:{place.line} in"
            f" {place.function} gives to step() of {whose(site)}, none is beyond -1 and 1, and"
            f" {ends:,} are at these ends; its action space reaches {known[0].bounds}",
            "scale them to the space before step(): `low + (action + 1) / 2 * (high - low)`; or"
            " wrap the environment in RescaleAction(env, -1.0, 1.0). Where the policy is meant to"
            " play small actions only, nothing is wrong.",
            location=place,
            key=(site[0].type, site[0].by),
            blame=UNKNOWN,
            evidence={"values": values, "ends": ends},
        )


def _example(values: int) -> View:
    """An instance whose actions were looked at, and that may have reached beyond later."""
    narrow = NarrowActions(values, 96, "from -2 to 2", Location("/train.py", 42, "fit"))
    arm = Instances(0, 1, "arm.Arm", Location("/train.py", 9), narrow=narrow)
    return view_of(replace(arm, reset=Calls(26, 26), step=Calls(5000, 5000), make=Calls(1, 1)))


EXAMPLES = (
    Example(
        "a tanh that is not scaled",
        _example(800),
        "of 800 numbers in actions that train.py:42 in fit gives to step() of Arm made at"
        " /train.py:9, none is beyond -1 and 1, and 96 are at these ends; its action space"
        " reaches from -2 to 2",
    ),
    Example("one was beyond later", _example(0)),
)
