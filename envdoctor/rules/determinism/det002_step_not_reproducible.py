"""Steps differ for the same seed and the same actions.

What it does
    Plays the same actions after the same seed in two instances of one process, and in one instance
    twice, and compares observations, rewards and ends of episodes exactly, up to the first
    difference. A whole episode is played twice where the one after it was much shorter. The first
    observations are the same here; where they are not, that is DET001.

Why it matters
    A run cannot be repeated: what goes wrong at step 9000 goes wrong somewhere else the next time.

How to fix it
    Draw from the seeded generator in step() too, take no time from the clock, and set all state
    back in reset():

        def step(self, action):
            gust = self.np_random.normal()          # not random.gauss(0, 1)
            self.time += self.dt                    # not time.time()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.model.scenario import EPISODE
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import compared, direct_view, longer_pair, random_resets
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    MORE_SEEDS,
    WHOLE_AGAIN,
    at_first_reset,
    culprits,
    cure,
    cure_of_rests,
    drawing,
    in_process,
    moment,
    nondeterministic,
    stays,
    what_differs,
    whole_episode,
)
from envdoctor.rules.evidence.leftover import fresh_ones_agree


def _hidden_by_reset(view: View) -> str:
    """Two episodes that begin otherwise cannot be compared step by step."""
    began = any(at_first_reset(comparison) for comparison, _ in in_process(view))
    return (
        "two first observations differ with one seed, so steps cannot be compared" if began else ""
    )


@rule(
    "DET002",
    "step-not-reproducible",
    explains=Cause.STEP_NOT_SEEDED,
    severity="warning",
    where=DIRECT_ONLY,
    verb="step",
    compares="same-seed",
    looks_at={"life": "reset step", "reuse": "reseed"},
    unjudged=_hidden_by_reset,
    follow_ups=("leftover",),
    also_reads=("reuse", EPISODE, WHOLE_AGAIN, MORE_SEEDS, "leftover"),
)
def step_not_reproducible(view: View) -> Iterator[Finding]:
    result = in_process(view)
    if not result or any(at_first_reset(comparison) for comparison, _ in result):
        return
    comparison, between = result[0]
    call = comparison.first.call
    sources = culprits(view, call)
    rests = stays(view, sources, between)
    text, aim = cure_of_rests(view) if rests else cure(view, sources)
    yield step_not_reproducible.finding(
        f"the same seed and actions give different results {moment(comparison.first)}:"
        f" {what_differs(comparison.first)}, {between}"
        f"{drawing(call, sources)}{fresh_ones_agree(view) if rests else ''}"
        f"{nondeterministic(view)}",
        text,
        aim=aim,
        location=view.locate(call),
        evidence={
            "comparison": comparison.as_json(),
            "between": between,
            "unseeded": sources,
            **whole_episode(view, comparison),
        },
    )


_ALIKE = compared("same-seed", differs=False)
_CUT = compared(
    "reseeded", name=WHOLE_AGAIN, call="step", step=1, key="truncated", values=["False", "True"]
)
EXAMPLES = (
    Example(
        "the wind comes from the global generator",
        direct_view(
            compared("same-seed", call="step", step=1, key="reward", values=["1.0", "0.5"]),
            random_resets("random", "aa", "bb", "cc"),
        ),
        "the same seed and actions give different results at step 1: reward is 1.0 once and"
        " then 0.5, in two instances; step() draws from random, which the seed does not"
        " reach",
    ),
    Example(
        "the second episode begins otherwise",
        direct_view(
            compared(
                "same-seed",
                call="reset",
                step=10,
                key="observation",
                what="shape",
                values=["(3,)", "(4,)"],
            )
        ),
        "the same seed and actions give different results at the reset() after step 10: the"
        " shape of observation is (3,) once and then (4,), in two instances",
    ),
    Example(
        "the physics world remembers",
        direct_view(
            compared("same-seed", differs=False),
            compared("reseeded", call="step", step=1, values=["0.1", "0.2"], name="reuse"),
        ),
        "the same seed and actions give different results at step 1: observation is 0.1"
        " once and then 0.2, in one instance seeded twice, although two fresh ones agree",
    ),
    Example(
        "steps are counted on after an episode",
        direct_view(_ALIKE, _CUT),
        "the same seed and actions give different results at step 1: truncated is False"
        " once and then True, in one instance seeded twice, although two fresh ones agree",
    ),
    Example(
        "what a step does rarely shows in longer lives",
        direct_view(_ALIKE, longer_pair(call="step", values=["0.1", "0.2"])),
        "the same seed and actions give different results at step 20: observation is 0.1"
        " once and then 0.2, in two instances",
    ),
    Example(
        "the first observation differs already: reset-not-seeded",
        direct_view(compared("same-seed")),
    ),
    Example("all the same", direct_view(_ALIKE)),
)
