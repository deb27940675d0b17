"""Vectorizers of a training are never closed.

What it does
    Counts, for each line that makes vectorizers with workers, on how many of them close() was
    called from outside, in all processes of a watched training; what their own `__del__` calls is
    not counted. Those that were open when the training ended well are a note: one that is killed,
    or that raises, closes nothing. It is a warning where three or more were kept without a close()
    while a later one of the same line was stepped, and none of them was stepped again: each has its
    workers, pipes and shared memory until the end. So it is where three or more were closed, and
    all of their workers still ran when a later one was made.

    A class of the user's counts as a vectorizer where it has a close(), and its methods start
    processes of multiprocessing in which environments are made. It may end its workers in a method
    of another name: reported of it is what piles up, and what was never closed and left its workers
    to a broken pipe, or to the SIGTERM that multiprocessing sends when the script is done.

Why it matters
    A search over hyperparameters, or an evaluation, that makes its vectorizer anew has twice as
    many processes and descriptors each time, until the machine has no more.

How to fix it
    Close it where it was made, or make one and reset it:

        envs = AsyncVectorEnv([make] * 8)
        try:
            collect(envs)
        finally:
            envs.close()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.finding import NOTE, UNKNOWN, WARNING, Finding, Location
from envdoctor.model.training import OWN_VECTORIZER, VECTORIZER, Site, Training, TrainingProcess
from envdoctor.model.training_ends import Termination
from envdoctor.model.training_instances import Instances, Raised
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.evidence.training_deaths import CONNECTION
from envdoctor.rules.evidence.training_sites import SiteLine, cut_off, lines_of
from envdoctor.rules.remedies.aims import close_made, end_once

KINDS = (VECTORIZER, OWN_VECTORIZER)


def _unjudged(view: View) -> str:
    known = any(site.kind in KINDS and site.workers for site in training_of(view).sites)
    return nothing_made(view) or ("" if known else "no vectorizer with workers was seen")


@rule(
    "TRN016",
    "vectorizer-not-closed",
    explains=Cause.VECTORIZER_NOT_CLOSED,
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
    counts=counted("vectorizers not closed", "not_closed"),
)
def vectorizer_not_closed(view: View) -> Iterator[Finding]:
    training = training_of(view)
    ended_well = training.over and training.code == 0
    for each in (line for kind in KINDS for line in lines_of(training, kind)):
        is_own, ends = each.sites[0].kind == OWN_VECTORIZER, cut_off(training, each)
        # A class of the user's may end its workers in a method of another name.
        is_note = ended_well and (bool(ends) or not is_own)
        if each.ends_none:
            yield _runs_on(each)
        elif each.workers and each.unclosed and (is_note or each.piles_up):
            yield vectorizer_not_closed.finding(
                f"{each.unclosed:,} of {each.made:,} {each.name} not closed{_how(each, ends)}",
                f"call close() of each {each.class_name} when it is not needed any more, also where"
                " the code in between raises (try, finally); or make one, and reset it.",
                severity=WARNING if each.piles_up else NOTE,
                aim=close_made(each.location),
                location=each.location,
                blame=UNKNOWN,
                key=(each.type,),
                evidence={
                    "made": each.made,
                    "not_closed": each.unclosed,
                    "kept": each.idle,
                    "workers": each.workers,
                },
            )


def _runs_on(each: SiteLine) -> Finding:
    """The finding on vectorizers whose close() ends none of their workers."""
    workers = each.workers * each.running // each.made
    return vectorizer_not_closed.finding(
        f"close() of {each.name} ends none of its workers: when the last of {each.made:,} was made,"
        f" {of(workers, 'worker')} of {each.running:,} closed before still ran",
        f"have {each.class_name}.close() end each worker that it started, and join() it.",
        aim=end_once(each.location, "destructor", each.class_name),
        location=each.location,
        blame=UNKNOWN,
        key=(each.type,),
        evidence={"made": each.made, "not_closed": each.running, "workers": each.workers},
    )


def _how(each: SiteLine, ends: list[TrainingProcess]) -> str:
    if each.piles_up:
        return f": up to {each.idle:,} were kept beside the one that was stepped"
    if ends:
        errors = [process.raised for process in ends if process.raised is not None]
        by = f", and {len(errors)} ended by {errors[0].sentence}" if errors else ""
        until = "it was freed, or the script was done" if errors else "the script was done"
        return f": {of(len(ends), 'worker')} ran until {until}{by}"
    return ": open when the training ended, or freed before"


_AT = Location("/train.py", 15, "collect")


def _example(site: Site, over: bool = True) -> View:
    arm = Instances(2, 1, "arm.Arm", _AT, "gymnasium-async")
    return watched_view(Training((), 1, instances=(arm,), sites=(site,), over=over))


_SITE = Site(1, VECTORIZER, "gymnasium.vector.AsyncVectorEnv", _AT, made=1, workers=2)

_OWN = replace(_SITE, kind=OWN_VECTORIZER, type="__main__.Vector")
_EOF = Raised("EOFError", location=Location("/train.py", 34, "work"), within=CONNECTION)


def _own(
    errors: tuple[Raised | None, ...],
    asked: bool = False,
    ended: float = 5.1,
    code: int = -15,
    script: int = 0,
) -> View:
    """A vectorizer of the script's own, and what its workers raised, or which signal ended them."""
    request = Termination(15, 1) if asked else None
    workers = tuple(
        TrainingProcess(pid, 1, code=code, ended=ended, raised=error, asked=request)
        for pid, error in enumerate(errors, 2)
    )
    arms = tuple(Instances(each.pid, 1, "arm.Arm", _AT) for each in workers)
    processes = (TrainingProcess(1, code=script, ended=9.0, exits=5.0), *workers)
    pids = tuple(each.pid for each in workers)
    own = replace(_OWN, workers=len(pids), pids=pids)
    return watched_view(Training((), 1, script, 9.0, processes, arms, sites=(own,)))


EXAMPLES = (
    Example(
        "one for each iteration, all of them kept",
        _example(replace(_SITE, made=120, gone=120, idle=118)),
        "120 of 120 AsyncVectorEnv made at train.py:15 in collect() not closed: up to 118"
        " were kept beside the one that was stepped",
    ),
    Example(
        "open to the end",
        _example(_SITE),
        "1 of 1 AsyncVectorEnv made at train.py:15 in collect() not closed: open when the"
        " training ended, or freed before",
    ),
    Example(
        "a population, whose vectorizers take turns",
        _example(replace(_SITE, made=8, idle=7, reused=9), over=False),
    ),
    Example(
        "a close() that ends no worker",
        _example(replace(_SITE, made=12, closed=12, workers=24, running=11)),
        "close() of AsyncVectorEnv made at train.py:15 in collect() ends none of its"
        " workers: when the last of 12 was made, 22 workers of 11 closed before still ran",
    ),
    Example(
        "a class of the script's own, which may end its workers by another method",
        _example(replace(_SITE, kind=OWN_VECTORIZER, made=12)),
    ),
    Example(
        "workers of a class of the script's own that wait for orders to the end",
        _own((None, _EOF)),
        "1 of 1 Vector made at train.py:15 in collect() not closed: 2 workers ran until it"
        " was freed, or the script was done, and 1 ended by EOFError (train.py:34 in work)",
    ),
    Example("workers that were ended by another method", _own((None, None), asked=True)),
    Example("workers that ended before the script was done", _own((None, None), ended=4.0)),
    Example("workers that ended with exit code 0", _own((None, _EOF), code=0)),
    Example("a script that raised", _own((None, None), script=1)),
    Example("in its own process", _example(replace(_SITE, workers=0))),
    Example("closed", _example(replace(_SITE, made=120, closed=120, gone=119))),
)
