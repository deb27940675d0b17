"""step() returns the observation of reset(), while the rewards change.

What it does
    Looks at the plain life, and at the instance that is reset again. It is reported where none of
    sixteen steps or more changed the observation of its episode, their rewards took eight values or
    more, and another reset() begins with other fractions: the observation shows a state, and it is
    not that of the step.

    It is a note: where each episode asks one question, and its steps are attempts, the observation
    stays on purpose. What shows nothing at all, as that of a bandit, or is the same in each
    episode, is left out.

Why it matters
    A policy that sees the beginning only cannot tell what its actions do. Training runs, and learns
    one action for each beginning.

How to fix it
    Read the observation where the simulator is, after it has stepped:

        def get_obs(self):
            return self.simulator.get_x(self.simulator.cur)  # not frame 0
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.facts import Unmoved, as_json
from envdoctor.model.failure_aims import ReadLast
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, trace
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View

STEPS, REWARDS = 16, 8  # of the plain life, and values of their rewards, that are needed
PLAIN, REUSED = "life", "reuse"


def unjudged(view: View) -> str:
    """Return why it is not known whether another reset() begins otherwise, or nothing."""
    life, again = (_unmoved(view, name) for name in (PLAIN, REUSED))
    is_still = life is not None and life.steps >= STEPS and life.rewards >= REWARDS
    return "no instance was reset again" if is_still and again is None else ""


@rule(
    "API016",
    "observation-stays",
    severity=NOTE,
    where=DIRECT_ONLY,
    needs=(PLAIN, REUSED),
    verb="step",
    unjudged=unjudged,
)
def observation_stays(view: View) -> Iterator[Finding]:
    life, again = (_unmoved(view, name) for name in (PLAIN, REUSED))
    if life is None or again is None or not again.varies:
        return
    if life.steps < STEPS or life.rewards < REWARDS:
        return
    yield observation_stays.finding(
        f"step() returned the observation of reset() each time, in {life.steps} steps, while their"
        f" rewards took {life.rewards} values; another reset() begins with another observation",
        f"let step() of {view.class_name} read its observation where the state is after the step."
        " Where it is meant to stay, ignore this.",
        aim=ReadLast(),
        location=view.locate("step"),
        key=("step",),
        evidence={"life": as_json(life), "reuse": as_json(again)},
    )


def _unmoved(view: View, name: str) -> Unmoved | None:
    run = view.trace(name)
    return run.fact(Unmoved) if run is not None else None


def _trace(name: str, **values: object) -> Trace:
    return trace(fact("unmoved", values), name=name)


def _view(steps: int = 20, rewards: int = 20, varies: bool = True) -> View:
    life = _trace(PLAIN, steps=steps, rewards=rewards, varies=False)
    return direct_view(life, _trace(REUSED, steps=9, rewards=9, varies=varies))


EXAMPLES = (
    Example(
        "the first frame of a simulator is read each time",
        _view(),
        "step() returned the observation of reset() each time, in 20 steps, while their"
        " rewards took 20 values; another reset() begins with another observation",
    ),
    Example("few rewards: won or lost", _view(rewards=2)),
    Example("few steps", _view(steps=6)),
    Example("one beginning", _view(varies=False)),
    Example("it moves", direct_view(trace(name=PLAIN), trace(name=REUSED))),
)
