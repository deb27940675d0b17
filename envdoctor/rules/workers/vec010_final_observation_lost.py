"""The last observation of an episode is lost under a manager.

What it does
    Plays an episode to its end under each manager, in each of the ways in which Gymnasium's go on
    after an end, and compares the final observation that arrives with the one that an instance
    returns alone, with the same seed and actions.

Why it matters
    Where an episode is cut off by a time limit, learning takes the value of the final observation.
    With the first observation of the next episode in its place, it learns a wrong value, and
    nothing fails. Where the environment changes what it returned without a manager, too, API011
    says so, and this rule gives way.

How to fix it
    Return a new array from reset() and step(). Managers keep the final observation, and call
    reset() before they hand it on:

        return self._observation.copy(), reward, terminated, truncated, {}
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import CopyReturned
from envdoctor.model.facts import ChangedLater, EndedAlone
from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import fact, trace, vector_view, verb
from envdoctor.rules.engine.registry import WHERE_FOLLOWED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import what_differs
from envdoctor.rules.evidence.episodes import by_mode, compared, not_followed


def _not_judged(view: View) -> str:
    if not view.framework.hands_on_last_observations:
        return f"{view.framework.title} hands on no last observation"
    return not_followed(view)


@rule(
    "VEC010",
    "final-observation-lost",
    severity="warning",
    where=WHERE_FOLLOWED,
    needs=("episode",),
    blames_itself=True,
    unjudged=_not_judged,
    gives_way=(Cause.OBSERVATION_REUSED,),
)
def final_observation_lost(view: View) -> Iterator[Finding]:
    if not view.framework.hands_on_last_observations:
        return
    for mode, comparisons in by_mode(compared(view)):
        lost = [
            comparison
            for comparison in comparisons
            if comparison.observation or not comparison.final
        ]
        if not lost:
            continue
        first = lost[0]
        yield final_observation_lost.finding(
            f"the final observation of an episode is lost{mode} in {len(lost)} of"
            f" {len(comparisons)} instances: {_what(first)}",
            f"Let {view.class_name} return a copy of its observation, in reset() as well as in"
            " step():",
            commands=("observation = observation.copy()",),
            aim=CopyReturned("observation"),
            location=view.locate("reset"),
            evidence={"instances": [comparison.as_json() for comparison in lost]},
            blame=INTERACTION,
            key=(first.scenario,),
            explained_alone=(Cause.OBSERVATION_REUSED,)
            if all(_is_reused(view, comparison) for comparison in lost)
            else (),
        )


def _is_reused(view: View, comparison: EndedAlone) -> bool:
    """Return whether the final observation arrived with the contents of a later one, and without a
    manager, too, a later call changes what was returned there.
    """
    reuse = view.direct.trace("reuse")
    changes = reuse.facts(ChangedLater) if reuse else ()
    return (
        comparison.final
        and comparison.observation is not None
        and any(
            (change.what, change.key) == ("observation", comparison.observation.key)
            for change in changes
        )
    )


def _what(comparison: EndedAlone) -> str:
    if comparison.observation is None or not comparison.final:
        return "none arrives"
    return f"{what_differs(comparison.observation, 'alone', 'and')} under the manager"


def ended(**values: object) -> View:
    """A view of a manager whose instance came to an end, for examples."""
    value = {
        "scenario": "episode-same-step",
        "manager": "gymnasium-sync",
        "start_method": None,
        "slot": 0,
        "seed": 0,
        "calls": 9,
        "difference": None,
        "alone": [9, "truncated"],
        "under": [9, "truncated"],
        "final": True,
        "observation": None,
        "begun": None,
        "lost": [],
        "changed": [],
        **values,
    }
    alone = trace(fact("ended-alone", value), name="episode-alone", script="replay:episode")
    last = verb("episode:2000", steps=9, episodes=[{"step": 9, "how": "truncated"}])
    life = trace(last, name="episode", manager="gymnasium-sync", start_method=None)
    view = vector_view(life, manager="gymnasium-sync", start_method=None)
    return View(view.subject, view.manager, None, view.traces, view.survey, other_places=(alone,))


EXAMPLES = (
    Example(
        "reset() writes into the array that step() returned",
        ended(
            observation={"key": "observation", "what": "value", "place": [0], "values": ["9", "0"]}
        ),
        'the final observation of an episode is lost with autoreset_mode="SameStep" in 1 of'
        " 1 instances: observation[0] is 9 alone and 0 under the manager",
    ),
    Example("it arrives", ended()),
)
