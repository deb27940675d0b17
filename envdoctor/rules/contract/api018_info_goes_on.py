"""The info of reset() has a number of the episode before.

What it does
    Looks at the infos of an instance that is reset again. Reported is a number in the info of
    reset() that is exactly that of the last step before it, after each of 3 episodes, and that an
    attribute of the environment still has.

    Left out are numbers that only rise, as counters and clocks of all episodes do, those that a
    step may leave as they are, whole numbers, and environments whose first observation is that of
    the last step. It is a note: some state is to outlive an episode, as the charge of a battery.

Why it matters
    The first info of an episode says something of a step that it has not made. What is summed up
    over an episode, or is given to a policy or a discount, begins with a wrong number; the same
    seed does not give the same info.

How to fix it
    Set back in reset() what step() sets:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.duration = 0.0
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import SetBack
from envdoctor.model.facts import StaleInfo
from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.engine.examples import direct_view, fact, trace
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View

REUSE = "reuse"


@rule("API018", "info-goes-on", severity=NOTE, where=DIRECT_ONLY, needs=(REUSE,), verb="reset")
def info_goes_on(view: View) -> Iterator[Finding]:
    run = view.trace(REUSE)
    stale = run.fact(StaleInfo) if run is not None else None
    if stale is None:
        return
    yield info_goes_on.finding(
        f"info[{stale.key!r}] of reset() is that of the last step of the episode before, after each"
        f" of {stale.episodes} episodes: {stale.attribute} still has it",
        f"set {stale.attribute} back in {view.class_name}.reset(), where it belongs to an episode."
        " What is to go on, as the charge of a battery, needs no change.",
        aim=SetBack(stale.attribute),
        location=view.locate("reset"),
        key=(stale.key,),
        evidence={"key": stale.key, "attribute": stale.attribute, "episodes": stale.episodes},
    )


_PLAIN = trace(name="life")
_STALE = {"key": "d_ts", "attribute": "self.latest_step_duration", "episodes": 3}

EXAMPLES = (
    Example(
        "the duration of the last step",
        direct_view(_PLAIN, trace(fact("stale-info", _STALE), name=REUSE)),
        "info['d_ts'] of reset() is that of the last step of the episode before, after each"
        " of 3 episodes: self.latest_step_duration still has it",
    ),
    Example("infos begin anew", direct_view(_PLAIN, trace(name=REUSE))),
)
