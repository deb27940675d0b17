"""A training calls step() on where an episode has ended.

What it does
    Looks at some of the episodes of each instance: the first, the second, the fourth, and so on, or
    the steps of one that was never reset.
    Reported are instances on which the script called step() again and again after step() had said
    that the episode has ended, each time that it was looked at, without a reset() between, and
    which went on saying so.

    Reported is an instance, too, that a function resets and plays to its end, and that the function
    which called it then goes on to step: an evaluation in the environment of the training.

    Left out are instances that begin anew by themselves, or that something else than reset() takes
    back, calls through a wrapper of the script's or a vectorizer, which may say something else of
    an end, instances that are stepped in turn, where the script may leave out what has ended, and
    workers, and copies that were never reset. It is a note: some trainings play all episodes to one
    length on purpose.

Why it matters
    What step() returns after an end is not defined. Many environments go on in a state that no
    episode reaches, some repeat the last reward, others raise. What is learned from that is wrong,
    and the time is lost.

How to fix it
    Reset where an episode has ended, or end the loop there:

        observation, reward, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            observation, info = env.reset()
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_ends import PlayedOn, RunOn
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.run_on import condition, end_episode, reset_call
from envdoctor.rules.evidence.training import by_site, nothing_made, of, training_of, view_of, whose

TIMES = 2  # calls after each end, in the mean: a script may look at what one returns


@rule(
    "TRN022",
    "stepped-after-end",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
    counts=counted("steps after an end", "ends"),
    gives_way=(Cause.HOSTED_TWICE,),
)
def stepped_after_end(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for site in by_site(each for each in training.instances if _is_played_on(each)):
        yield _of_visits(site)
    for site in by_site(each for each in training.instances if _is_stepped_on(each, training)):
        known = [each.run_on for each in site if each.run_on is not None]
        first, ends = known[0], sum(each.passed for each in known)
        steps, place = sum(each.steps for each in known), first.location
        at = f"{short(place.file)}:{place.line} in {place.function}" if place else ""
        yield stepped_after_end.finding(
            f"{at} calls step() of {whose(site)} on after it has returned {' and '.join(first.by)}:"
            f" {of(steps, 'time')} after {of(ends, 'end')} seen, without a reset()",
            f"reset it there, or end the loop: `if {condition(first)}: {reset_call(first)}`. What"
            " step() returns after an end is not defined.",
            aim=end_episode(first),
            location=place,
            key=(site[0].type, site[0].by),
            blame=UNKNOWN,
            explained_by=(Cause.HOSTED_TWICE,) if any(each.hosted for each in site) else (),
            evidence={"steps": steps, "ends": ends},
        )


def _is_played_on(instance: Instances) -> bool:
    """Return whether a function plays it on that had another one play it to an end, and what it
    does so with always says that it is over.
    """
    return instance.played_on is not None and instance.played_on.times > 0


def _of_visits(site: list[Instances]) -> Finding:
    """The finding of instances that one function plays in, and another one that calls it."""
    known = next(each.played_on for each in site if each.played_on is not None)
    place, begun = known.location, known.begun
    return stepped_after_end.finding(
        f"{short(place.file)}:{place.line} in {place.function} goes on with step() of"
        f" {whose(site)} after {begun.function}() has reset it ({short(begun.file)}:{begun.line})"
        f" and played it to its end, {known.times} times and more, without a reset()",
        f"let {begun.function}() play in an environment of its own; or reset this one after each"
        " call of it: the observation from before belongs to an episode that is given up.",
        location=place,
        key=(site[0].type, site[0].by, "visited"),
        blame=UNKNOWN,
        evidence={"times": known.times},
    )


def _is_stepped_on(instance: Instances, training: Training) -> bool:
    """Return whether the script itself plays it on after each end, alone. What raises then is an
    end of the training, or a call that it counts on.
    """
    known = instance.run_on
    return (
        known is not None
        and known.location is not None
        and known.passed == known.ends
        and known.steps >= TIMES * known.passed
        and instance.pid == training.pid
        and instance.turns <= 1
        and not instance.raised
        and not instance.is_bare_copy
    )


_LINE = Location("/train.py", 38, "run_cycle")
_SAID = RunOn(6, 6, 900, ("terminated",), _LINE)


def _example(run_on: RunOn | None = _SAID, **known: Any) -> View:
    """An instance of a script that plays each episode for 200 steps."""
    pid = known.pop("pid", 0)
    calls = {"reset": Calls(40, 40), "step": Calls(8000, 8000), "make": Calls(1, 1)}
    at = Location("/train.py", 55)
    return view_of(Instances(pid, 1, "cart.Cart", at, run_on=run_on, **{**calls, **known}))


EXAMPLES = (
    Example(
        "each episode is played for 200 steps",
        _example(),
        "train.py:38 in run_cycle calls step() of Cart made at /train.py:55 on after it has"
        " returned terminated: 900 times after 6 ends seen, without a reset()",
    ),
    Example(
        "an older interface",
        _example(RunOn(1, 1, 60, ("done",), _LINE)),
        "train.py:38 in run_cycle calls step() of Cart made at /train.py:55 on after it has"
        " returned done: 60 times after 1 end seen, without a reset()",
    ),
    Example(
        "it was never reset",
        _example(RunOn(1, 1, 2800, ("truncated",), _LINE), reset=Calls()),
        "train.py:38 in run_cycle calls step() of Cart made at /train.py:55 on after it has"
        " returned truncated: 2,800 times after 1 end seen, without a reset()",
    ),
    Example(
        "a function plays an evaluation in the environment of the training",
        _example(None, played_on=PlayedOn(3, _LINE, Location("/train.py", 9, "evaluate"))),
        "train.py:38 in run_cycle goes on with step() of Cart made at /train.py:55 after"
        " evaluate() has reset it (train.py:9) and played it to its end, 3 times and more,"
        " without a reset()",
    ),
    Example(
        "a planner puts it back after it has played to an end",
        _example(None, played_on=PlayedOn(0, _LINE, Location("/train.py", 9, "simulate"))),
    ),
    Example("copies that a planner plays on", _example(copied=True, reset=Calls())),
    Example("one more step after each end", _example(RunOn(6, 6, 6, ("terminated",), _LINE))),
    Example("after some of its ends", _example(RunOn(6, 2, 90, ("terminated",), _LINE))),
    Example("a wrapper is between", _example(RunOn(6, 6, 900, ("terminated",)))),
    Example("several are stepped in turn", _example(turns=16)),
    Example("in a worker", _example(pid=7)),
    Example("it raises then", _example(raised=1, error=Raised("RuntimeError", method="step"))),
)
