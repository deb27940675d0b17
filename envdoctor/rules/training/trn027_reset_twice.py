"""Each episode of a training is begun twice.

What it does
    Counts the calls of reset() that a line of the script makes right after another reset(), without
    a step between. Reported are instances of which that is nearly each second reset, five times at
    least: each episode is begun, given up, and begun again.

    A reset() with a seed or with options is left out, since it may ask for another beginning. So is
    what a library or a wrapper does by itself, such as an evaluation that begins with a reset(),
    and so are workers. It is a note: the episodes that are played are whole.

Why it matters
    Vectorizers reset by themselves where an episode has ended, and step() returns the first
    observation of the next one. Who resets again then draws twice as many beginnings as are played:
    every second level, task or record of a data set is never seen, two runs with one seed play
    other episodes, and a reset() that takes seconds is paid twice.

How to fix it
    Under a vectorizer, reset once, and go on with what step() returns:

        observations = envs.reset()
        for _ in range(steps):
            observations, rewards, dones, infos = envs.step(actions)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training_aims import ResetOnce
from envdoctor.model.training_ends import ResetAgain
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import by_site, nothing_made, of, training_of, view_of, whose

SHARE = 0.8  # of the resets, where each has another one right after it


@rule(
    "TRN027",
    "reset-twice",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
    counts=counted("resets right after another", "resets"),
)
def reset_twice(view: View) -> Iterator[Finding]:
    for site in by_site(each for each in training_of(view).instances if _is_reset_twice(each)):
        known = [each.reset_again for each in site if each.reset_again is not None]
        times, resets = sum(each.times for each in known), sum(each.reset.ended for each in site)
        place = known[0].location
        yield reset_twice.finding(
            f"{short(place.file)}:{place.line} in {place.function} resets {whose(site)} right after"
            f" another reset(), without a step between: {of(times, 'time')} in"
            f" {of(resets, 'reset')}, so that each episode is begun twice",
            _remedy(site[0]),
            aim=ResetOnce(Frame(place.file, place.line), bool(site[0].by)),
            location=place,
            key=(site[0].type, site[0].by),
            blame=UNKNOWN,
            evidence={"times": times, "resets": resets},
        )


def _is_reset_twice(instance: Instances) -> bool:
    known = instance.reset_again
    return known is not None and 2 * known.times >= SHARE * instance.reset.ended


def _remedy(instance: Instances) -> str:
    if instance.by:
        return (
            "leave that reset() out where an episode has ended: the vectorizer has begun the next"
            " one by then, and step() has returned its first observation."
        )
    return "reset once for each episode: leave one of the two calls out."


def _example(times: int, by: str = "") -> View:
    """An instance that a script resets where an episode has ended."""
    again = ResetAgain(times, Location("/enjoy.py", 61, "main")) if times else None
    market = Instances(0, 1, "market.Market", Location("/enjoy.py", 43), by, reset_again=again)
    return view_of(replace(market, reset=Calls(81, 81), step=Calls(2000, 2000), make=Calls(1, 1)))


EXAMPLES = (
    Example(
        "a vectorizer resets, and the script does again",
        _example(40, "vectorizer"),
        "enjoy.py:61 in main resets Market made at /enjoy.py:43 right after another"
        " reset(), without a step between: 40 times in 81 resets, so that each episode is"
        " begun twice",
    ),
    Example(
        "without a vectorizer",
        _example(40),
        "enjoy.py:61 in main resets Market made at /enjoy.py:43 right after another"
        " reset(), without a step between: 40 times in 81 resets, so that each episode is"
        " begun twice",
    ),
    Example("now and then, before an evaluation", _example(8)),
    Example("never", _example(0)),
)
