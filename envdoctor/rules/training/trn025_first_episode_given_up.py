"""A training gives up the first of the episodes that come in one order.

What it does
    Finds instances that a line resets and steps once or twice, and that another line resets again
    before the episode has ended. They are reported where episodes come in one order: the instances
    of a line begin with the same observation, reset() was never given a seed, draws from no
    generator, and begins otherwise each time.

    Many trainings look at one observation before they begin. Where chance decides an episode, that
    does no harm, and is left out. So is one instance alone: nothing shows then that its episodes
    have an order.

Why it matters
    Levels, tasks or records of a data set are played in turn, and the first one is never played. A
    level that is costly to build is built for nothing.

How to fix it
    Read sizes from the spaces, and leave reset() to the loop that plays:

        size = env.observation_space.shape[0]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training_aims import PlayFirst
from envdoctor.model.training_ends import GivenUpEpisode
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.beginnings import stepped
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import by_site, nothing_made, of, training_of, view_of, whose

LONGER = 8  # steps of an episode, in the mean: what has fewer may be meant to be short


@rule(
    "TRN025",
    "first-episode-given-up",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def first_episode_given_up(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for site in by_site(each for each in stepped(training) if each.given_up is not None):
        episode = site[0].given_up
        if episode is None or not _is_in_order(site):
            continue
        at, again = (
            f"{short(each.file)}:{each.line}" for each in (episode.location, episode.again)
        )
        yield first_episode_given_up.finding(
            f"{of(len(site), 'instance')} of {whose(site)} are reset at {at}, stepped"
            f" {of(episode.steps, 'time')}, and reset again at {again} before an end: their"
            " episodes come in one order, without chance, and the first one is not played",
            f"leave the reset() at {at} out, or play the episode that it begins. Sizes are in"
            " observation_space and action_space.",
            aim=PlayFirst(Frame(episode.location.file, episode.location.line)),
            location=episode.location,
            key=(site[0].type, site[0].by),
            blame=UNKNOWN,
            evidence={"instances": len(site), "steps": episode.steps},
        )


def _is_in_order(site: list[Instances]) -> bool:
    """Return whether the episodes of instances come in one order that chance has no part in."""
    starts = {each.beginning for each in site}
    return (
        len(site) > 1
        and len(starts) == 1
        and 0 not in starts
        and all(
            each.varied
            and not each.moved
            and not each.optioned
            and each.seed is None
            and not each.reseeded
            and each.step.ended >= LONGER * each.reset.ended
            for each in site
        )
    )


_GIVEN_UP = GivenUpEpisode(
    1, Location("/train.py", 35, "__init__"), Location("/train.py", 55, "improve")
)


_FIRST = Instances(
    0,
    1,
    "levels.Levels",
    Location("/train.py", 49),
    beginning=5,
    varied=True,
    given_up=_GIVEN_UP,
    make=Calls(1, 1),
    reset=Calls(31, 31),
    step=Calls(601, 601),
)


def _view(first: Instances = _FIRST, number: int = 2) -> View:
    """Instances that are alike."""
    return view_of(*(replace(first, row=row) for row in range(1, 1 + number)))


EXAMPLES = (
    Example(
        "levels that come one after the other",
        _view(),
        "2 instances of Levels made at /train.py:49 are reset at train.py:35, stepped"
        " 1 time, and reset again at train.py:55 before an end: their episodes come in one"
        " order, without chance, and the first one is not played",
    ),
    Example("chance decides them", _view(replace(_FIRST, moved=("self",)))),
    Example("a seed does", _view(replace(_FIRST, seed=3))),
    Example("each begins alike", _view(replace(_FIRST, varied=False))),
    Example("options say which level comes", _view(replace(_FIRST, optioned=30))),
    Example("episodes of two steps", _view(replace(_FIRST, step=Calls(60, 60)))),
    Example("one alone", _view(number=1)),
    Example("the first one is played", _view(replace(_FIRST, given_up=None))),
)
