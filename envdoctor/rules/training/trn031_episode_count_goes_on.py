"""A count of an episode's steps goes on from an episode that a time limit ended.

What it does
    Compares what step() of the script's own wrappers and vectorizers adds to the infos at the end
    of an episode with the steps that it took. Reported is a number that is exactly the steps of the
    episode after each end that is terminated, and exactly as many more as it was at the end before
    after each that is truncated, of 24 ends or more. Where hardly any was terminated, its key has
    to say that it is of an episode ("l", "episode_length"), and step() has to set it back.

    A number that never begins anew counts all episodes, and is left out; so is one that goes on
    where a life was lost. It is a note: what is returned to the agent may be right.

Why it matters
    Episodes look longer and better than they are, and the more so the better an agent is at lasting
    until its time is over. The curve rises, and what is learned does not.

How to fix it
    Set the count back after both kinds of ends:

        self.lengths[terminated | truncated] = 0
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_aims import SetBackAtEnd
from envdoctor.model.training_returned import CountGoesOn
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view

ANEW = 2  # ends after which a number began anew, that show what it counts
LENGTHS, EPISODE = ("l", "length", "lengths"), "ep"


@rule(
    "TRN031",
    "episode-count-goes-on",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def episode_count_goes_on(view: View) -> Iterator[Finding]:
    known = sorted(filter(_is_of_episodes, training_of(view).counts), key=_is_named)
    for count in {each.type: each for each in known}.values():
        place = count.set_back or count.defined
        at = f" at {short(place.file)}:{place.line}" if count.set_back else ""
        yield episode_count_goes_on.finding(
            f'"{count.key}" in the infos of {count.class_name}.step() counts the steps of an'
            f" episode, and after all {of(count.on, 'end')} that were truncated it goes on from"
            " the episode before: those look longer than they are",
            f"set it back{at} where an episode is truncated, too: terminated | truncated. What else"
            " is summed up there, such as the rewards, needs it as well.",
            aim=SetBackAtEnd(Frame(place.file, place.line)) if count.set_back else None,
            location=place,
            key=(count.type, count.key),
            blame=UNKNOWN,
            evidence={"key": count.key, "truncated": count.on, "terminated": count.anew},
        )


def _is_of_episodes(count: CountGoesOn) -> bool:
    """Return whether a number counts the steps of an episode, and not of all."""
    return count.anew >= ANEW or (_is_named(count) and count.set_back is not None)


def _is_named(count: CountGoesOn) -> bool:
    """Return whether the key of a number says that it is the length of an episode."""
    name = count.key.rpartition(".")[2].lower()
    return name in LENGTHS or name.startswith(EPISODE)


def _training(*counts: CountGoesOn) -> View:
    return watched_view(Training((), 7, counts=counts))


_STEP, _SET_BACK = (Location("/pool.py", line, "step") for line in (40, 46))
_COUNT = CountGoesOn(7, "pool.Statistics", "l", 2, 22, _STEP)

EXAMPLES = (
    Example(
        "lengths and returns",
        _training(_COUNT, replace(_COUNT, key="r")),
        '"l" in the infos of Statistics.step() counts the steps of an episode, and after'
        " all 22 ends that were truncated it goes on from the episode before: those look"
        " longer than they are",
    ),
    Example(
        "none was terminated, and step() sets it back",
        _training(replace(_COUNT, key="episode.l", anew=0, set_back=_SET_BACK)),
        '"episode.l" in the infos of Statistics.step() counts the steps of an episode, and'
        " after all 22 ends that were truncated it goes on from the episode before: those"
        " look longer than they are",
    ),
    Example("none was terminated, and nothing sets it back", _training(replace(_COUNT, anew=0))),
    Example(
        "steps of a level, which goes on",
        _training(replace(_COUNT, key="steps_of_level", anew=1, set_back=_SET_BACK)),
    ),
    Example("none goes on", _training()),
)
