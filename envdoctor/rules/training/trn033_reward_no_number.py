"""Rewards of a training are NaN or infinite.

What it does
    Looks at the rewards of some episodes of each instance: the first, the second, the fourth, and
    so on, up to their ends. Reported are instances of which step() itself returned one that is NaN
    or infinite although its action was finite. What wrappers around it make of that is not known,
    nor what actions are that are neither numbers nor arrays of numpy.

Why it matters
    One NaN makes all weights of a policy NaN in the next update. Trainers fail much later, in a
    line that has nothing to do with it, or train on and learn nothing.

How to fix it
    Let numpy raise at the line that makes the first one, and mend that:

        np.seterr(all="raise")
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.finding import ENVIRONMENT, WARNING, Finding, Location
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import by_site, nothing_made, of, training_of, view_of, whose
from envdoctor.rules.wording.no_numbers import RAISE_AT_FIRST


@rule(
    "TRN033",
    "reward-no-number",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
    counts=counted("rewards that are not finite", "steps"),
)
def reward_no_number(view: View) -> Iterator[Finding]:
    for site in by_site(each for each in training_of(view).instances if each.not_finite):
        steps = sum(each.not_finite for each in site)
        yield reward_no_number.finding(
            f"step() of {whose(site)} returned a reward that is NaN or infinite for a finite"
            f" action, {of(steps, 'time')} in the episodes that were looked at",
            RAISE_AT_FIRST,
            location=site[0].location,
            key=(site[0].type, site[0].by),
            blame=ENVIRONMENT,
            evidence={"steps": steps},
        )


_ARM = Instances(1, 1, "arm.Arm", Location("/train.py", 14), step=Calls(900, 900), not_finite=70)

EXAMPLES = (
    Example(
        "the logarithm of a distance",
        view_of(_ARM),
        "step() of Arm made at /train.py:14 returned a reward that is NaN or infinite for a"
        " finite action, 70 times in the episodes that were looked at",
    ),
    Example("all rewards are finite", view_of(replace(_ARM, not_finite=0))),
)
