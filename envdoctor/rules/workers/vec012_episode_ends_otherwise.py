"""Under a manager an episode ends, or the next one begins, otherwise than alone.

What it does
    Plays an episode to its end under each manager, then asks an instance without a manager the
    same: the same seed, the same actions, a reset() after the end. It compares each observation and
    reward beyond the first steps, the step in which the episode ends, and the first observation of
    the next episode.

Why it matters
    Instances that share a counter end each other's episodes. An instance that is reset twice, or
    at another moment, plays other episodes than the ones that were debugged.

How to fix it
    Keep all state in the instance, set it back in reset() only, and let nothing but reset() begin
    an episode:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.steps = 0    # not: an attribute of the class or the module
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import OwnCounters
from envdoctor.model.facts import EndedAlone
from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import WHERE_FOLLOWED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import in_process, moment, what_differs
from envdoctor.rules.evidence.episodes import by_mode, ends, not_followed
from envdoctor.rules.evidence.side_by_side import interferes_in_play
from envdoctor.rules.workers.vec010_final_observation_lost import ended


def _not_judged(view: View) -> str:
    if in_process(view.direct):
        return "one process gives different results already"
    return not_followed(view)


@rule(
    "VEC012",
    "episode-ends-otherwise",
    severity="warning",
    where=WHERE_FOLLOWED,
    needs=("episode",),
    blames_itself=True,
    unjudged=_not_judged,
    gives_way=(
        Cause.SHARED_BY_WORKERS,
        Cause.VECTOR_DIFFERS,
        Cause.SEED_SHARED,
        Cause.INSTANCES_INTERFERE,
    ),
)
def episode_ends_otherwise(view: View) -> Iterator[Finding]:
    if in_process(view.direct):
        return
    together = view.start_method is None and interferes_in_play(view.direct)
    for mode, comparisons in by_mode([end for end in ends(view) if not end.skipped]):
        result = [comparison for comparison in comparisons if _what(comparison)]
        if not result:
            continue
        where = "a worker process" if view.start_method else "the other instances of the process"
        yield episode_ends_otherwise.finding(
            f"{len(result)} of {len(comparisons)} instances play another episode than alone{mode}:"
            f" {_what(result[0])}",
            f"See what {view.class_name} shares with {where}, and keep it in the instance.",
            aim=OwnCounters() if view.start_method is None else None,
            location=view.locate("reset"),
            evidence={"instances": [comparison.as_json() for comparison in result]},
            explained_by=(Cause.SHARED_BY_WORKERS, Cause.VECTOR_DIFFERS, Cause.SEED_SHARED),
            explained_alone=(Cause.INSTANCES_INTERFERE,) if together else (),
            blame=INTERACTION,
            key=(result[0].scenario,),
        )


def _what(comparison: EndedAlone) -> str:
    """Return the difference from the episode alone, in words; empty where all is equal."""
    alone, under, first = comparison.alone, comparison.under, comparison.difference
    if first:
        return f"{moment(first)}, {what_differs(first, 'alone', 'and')} under the manager"
    if alone and under and alone[0] != under[0]:
        return f"it ends at step {alone[0]} alone and at step {under[0]} under the manager"
    if comparison.begun:
        difference = what_differs(comparison.begun, "alone", "and")
        return f"after its end the next one begins otherwise: {difference} under the manager"
    return ""


_DIFFERENT = {"key": "observation", "what": "value", "place": [0], "values": ["9", "0"]}

EXAMPLES = (
    Example(
        "instances share a counter of steps",
        ended(scenario="episode", under=[5, "truncated"]),
        "1 of 1 instances play another episode than alone: it ends at step 9 alone and at"
        " step 5 under the manager",
    ),
    Example(
        "the next episode begins otherwise",
        ended(scenario="episode", begun=_DIFFERENT),
        "1 of 1 instances play another episode than alone: after its end the next one"
        " begins otherwise: observation[0] is 9 alone and 0 under the manager",
    ),
    Example("all is the same", ended()),
)
