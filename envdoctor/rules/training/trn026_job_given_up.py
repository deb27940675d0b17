"""A worker of a pool computes what a training has given up.

What it does
    Follows the results of multiprocessing's pools: `pool.apply_async(...).get(timeout=...)`. It is
    reported where no result came in time, nothing waited for it any more, sixteen results of other
    jobs of the same pool came after that, and it never came until the training ended. The line that
    the worker was in, and what its memory grew by, are named where they are known: for the line,
    py-spy has to be installed.

    A result that comes later, or that is waited for again, is left out, and so is a pool that is
    ended with what it computes.

Why it matters
    A limit for get() ends the wait, and not the job: its worker is lost for all other jobs, and may
    take more and more memory. With as many such jobs as there are workers, the training stands
    still.

How to fix it
    End the pool where a result does not come in time, and make it anew, or let the job bound
    itself:

        try:
            reward = pool.apply_async(verify, (answer,)).get(timeout=5.0)
        except multiprocessing.TimeoutError:
            pool.terminate()
            pool = multiprocessing.Pool(3)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, UNKNOWN, Finding, Location
from envdoctor.model.training import Training
from envdoctor.model.training_aims import EndGivenUp
from envdoctor.model.training_calls import GivenUpJob
from envdoctor.model.units import size
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import in_frame, short
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view

GROWN = 8 << 20  # bytes that a worker took since it was seen first, which are worth a word


@rule(
    "TRN026",
    "job-given-up",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def job_given_up(view: View) -> Iterator[Finding]:
    sites: dict[Location, list[GivenUpJob]] = {}
    for job in training_of(view).jobs:
        sites.setdefault(job.location, []).append(job)
    for place, jobs in sites.items():
        known = next((job for job in jobs if job.computed is not None), jobs[0])
        at = f"{short(place.file)}:{place.line}"
        yield job_given_up.finding(
            f"{at} gave up waiting for {of(len(jobs), 'job')} of a pool of processes, and no result"
            f" came until the end, while others did: {_worker(known)}",
            f"end the pool with terminate() where a result does not come in time at {at}, and make"
            " it anew; or let the job bound itself: a limit for get() does not end it.",
            aim=EndGivenUp(Frame(place.file, place.line)),
            location=place,
            key=(place.function,),
            blame=UNKNOWN,
            evidence={"jobs": len(jobs), "workers": [job.worker for job in jobs if job.worker]},
        )


def _worker(job: GivenUpJob) -> str:
    """The worker that computes on, as far as it is known."""
    if job.computed is None:
        return "a worker may compute on"
    grown = job.least > 0 and job.most - job.least >= GROWN
    memory = f", and its memory grew from {size(job.least)} to {size(job.most)}" if grown else ""
    return f"a worker was still in {in_frame(job.computed).removeprefix(' in ')}(){memory}"


_AT, _DIGITS = Location("/train.py", 42, "reward"), Location("/train.py", 23, "digits")


def _training(*jobs: GivenUpJob) -> View:
    return watched_view(Training((), 7, jobs=jobs))


EXAMPLES = (
    Example(
        "an answer that is never verified",
        _training(GivenUpJob(7, 8, _AT, 31, _DIGITS, 20 << 20, 180 << 20), GivenUpJob(7, 21, _AT)),
        "train.py:42 gave up waiting for 2 jobs of a pool of processes, and no result came"
        " until the end, while others did: a worker was still in train.py:23, digits(), and"
        " its memory grew from 20.0 MiB to 180.0 MiB",
    ),
    Example(
        "its stacks are not known",
        _training(GivenUpJob(7, 8, _AT)),
        "train.py:42 gave up waiting for 1 job of a pool of processes, and no result came"
        " until the end, while others did: a worker may compute on",
    ),
    Example("nothing is given up", _training()),
)
