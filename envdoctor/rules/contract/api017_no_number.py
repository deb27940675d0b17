"""step() returns a reward that is NaN or infinite, or an observation with a NaN.

What it does
    Looks at each value that the plain life returns, the instance that is reset again, and a whole
    episode where one is played. What is too large to be kept is not looked at.

    An observation with a NaN is a note: some environments mark by it what they do not see.
    Infinite observations are left out, which a sensor may mean, as one that sees no wall.

Why it matters
    One NaN makes all weights of a policy NaN in the next update. Trainers fail much later, in a
    line that has nothing to do with it, or train on and learn nothing.

How to fix it
    Let numpy raise at the line that makes the first one, and mend that:

        np.seterr(all="raise")
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.facts import NotNumbers, as_json
from envdoctor.model.finding import NOTE, WARNING, Finding
from envdoctor.model.scenario import EPISODE
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, fact, trace
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import of
from envdoctor.rules.wording.no_numbers import RAISE_AT_FIRST

NEEDED = ("life", "reuse")
SCENARIOS = (*NEEDED, EPISODE)
NAMES = {"nan": "NaN", "inf": "infinite"}


@rule(
    "API017",
    "no-number",
    explains=Cause.REWARD_IS_NO_NUMBER,
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=NEEDED,
    verb="step",
)
def no_number(view: View) -> Iterator[Finding]:
    known = [run.fact(NotNumbers) for run in map(view.trace, SCENARIOS) if run is not None]
    all_counts = [each for each in known if each is not None]
    rewards = next((each for each in all_counts if each.rewards), None)
    observations = next((each for each in all_counts if each.observations), None)
    if rewards is not None:
        name = NAMES[rewards.reward]
        yield no_number.finding(
            f"step() returned a reward that is {name}, in {rewards.rewards} of"
            f" {of(rewards.steps, 'step')}, first in step {rewards.first_reward} of an episode",
            RAISE_AT_FIRST,
            location=view.locate("step"),
            key=("reward",),
            evidence={"seen": as_json(rewards)},
        )
    elif observations is not None:
        first = observations.first_observation
        where = f"step {first} of an episode" if first else "that of reset()"
        yield no_number.finding(
            f"{of(observations.observations, 'observation')} with a NaN in"
            f" {of(observations.steps, 'step')}, first in {where}",
            f"{RAISE_AT_FIRST} Where it says what is not seen, ignore this: a policy needs a"
            " number, and a flag beside it.",
            severity=NOTE,
            location=view.locate("step" if first else "reset"),
            key=("observation",),
            evidence={"seen": as_json(observations)},
        )


def _trace(name: str = "life", /, **values: object) -> Trace:
    return trace(fact("not-numbers", values), name=name)


_PLAIN = trace(name="life")
_REWARD = {"steps": 220, "rewards": 90, "reward": "nan", "first_reward": 3}
_UNKNOWN = {"observations": 12, "first_observation": 9}

EXAMPLES = (
    Example(
        "a logarithm of what may be negative",
        direct_view(_trace(**_REWARD), _trace("reuse", **_REWARD)),
        "step() returned a reward that is NaN, in 90 of 220 steps, first in step 3 of an episode",
    ),
    Example(
        "a division by zero when it is reset again, and observations with a NaN",
        direct_view(
            _PLAIN, _trace("reuse", **_UNKNOWN, **{**_REWARD, "reward": "inf", "rewards": 1})
        ),
        "step() returned a reward that is infinite, in 1 of 220 steps, first in step 3 of"
        " an episode",
    ),
    Example(
        "a velocity that is not known",
        direct_view(_trace(**_UNKNOWN, steps=20), trace(name="reuse")),
        "12 observations with a NaN in 20 steps, first in step 9 of an episode",
    ),
    Example(
        "it is not known at the beginning",
        direct_view(_trace(observations=1, steps=20), trace(name="reuse")),
        "1 observation with a NaN in 20 steps, first in that of reset()",
    ),
    Example("all values are numbers", direct_view(_PLAIN, trace(name="reuse"))),
)
