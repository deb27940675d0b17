"""The last info of an episode is lost under a manager.

What it does
    Plays an episode to its end under each manager, and compares the keys and numbers of the final
    info that arrives with those that an instance returns alone, with the same seed and actions.

Why it matters
    Results are in the last info: success, score, length. Gymnasium puts the values of all
    instances into one array of the first one's type: with an integer in one and a fraction in the
    next, the fraction is cut off. Nothing fails, and the statistics are wrong.

How to fix it
    Give a key the same type and shape in every info, and use no key that begins with an underscore
    or that the manager uses itself (final_obs, terminal_observation):

        info = {"score": float(self.score)}  # not: 0 where nothing was scored
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import FloatEntry
from envdoctor.model.facts import EndedAlone
from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.rules.engine.registry import WHERE_FOLLOWED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.episodes import by_mode, compared, not_followed
from envdoctor.rules.workers.vec010_final_observation_lost import ended

NUMBER = re.compile(r"^(np\.\w+\()?-?\d+(\.\d+)?\)?$")


def _not_judged(view: View) -> str:
    if not view.framework.hands_on_infos:
        return f"{view.framework.title}'s wrapper hands on no info"
    return not_followed(view)


@rule(
    "VEC011",
    "final-info-lost",
    severity="warning",
    where=WHERE_FOLLOWED,
    needs=("episode",),
    blames_itself=True,
    unjudged=_not_judged,
)
def final_info_lost(view: View) -> Iterator[Finding]:
    if not view.framework.hands_on_infos:
        return
    for mode, comparisons in by_mode(compared(view)):
        lost = [comparison for comparison in comparisons if comparison.lost or comparison.changed]
        if not lost:
            continue
        yield final_info_lost.finding(
            f"the final info of an episode does not arrive as it is{mode} in {len(lost)} of"
            f" {len(comparisons)} instances: {_what(lost[0])}",
            f"Let {view.class_name} give each key of its info one type in every step, and a name of"
            " its own.",
            aim=_aim(lost[0]),
            location=view.locate("step"),
            evidence={"instances": [comparison.as_json() for comparison in lost]},
            blame=INTERACTION,
            key=(lost[0].scenario,),
        )


def _aim(comparison: EndedAlone) -> FloatEntry | None:
    """Give a number one type: a float, which holds both."""
    changed = [] if comparison.lost else comparison.changed
    is_number = bool(changed) and NUMBER.search(changed[0].alone) is not None
    return FloatEntry(changed[0].key) if is_number else None


def _what(comparison: EndedAlone) -> str:
    if comparison.lost:
        keys = ", ".join(repr(key) for key in comparison.lost[:5])
        return f"{keys} {'is' if len(comparison.lost) == 1 else 'are'} missing"
    first = comparison.changed[0]
    return f"{first.key!r} is {first.alone} alone and {first.under} under the manager"


EXAMPLES = (
    Example(
        "a key is missing",
        ended(lost=["score"]),
        "the final info of an episode does not arrive as it is with"
        " autoreset_mode=\"SameStep\" in 1 of 1 instances: 'score' is missing",
    ),
    Example(
        "a fraction is cut off",
        ended(scenario="episode", changed=[{"key": "score", "alone": "0.5", "under": "0"}]),
        "the final info of an episode does not arrive as it is in 1 of 1 instances: 'score'"
        " is 0.5 alone and 0 under the manager",
    ),
    Example("it arrives", ended()),
)
