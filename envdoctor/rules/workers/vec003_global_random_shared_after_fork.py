"""Forked workers draw the same numbers from a global generator.

What it does
    Looks at the states of the global generators before and after the first resets in each forked
    worker. It is reported when the environment draws from one that is in the same state in all of
    them: mostly numpy's or torch's, since Python seeds its own anew in the child of a fork. Where
    the seeds of reset() decide that state, workers are launched once more and reset without a seed,
    as most trainers do.

Why it matters
    A fork copies the state: what is drawn as noise, as a level or as a port number is the same in
    every worker, so their experience is correlated, and resources with random names collide.

How to fix it
    Draw from the instance's own generator, which each worker seeds for itself:

        def step(self, action):
            noise = self.np_random.normal(size=3)       # not np.random.normal(size=3)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.model.scenario import UNSEEDED
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import random_events, trace, vector_view
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import cure
from envdoctor.rules.evidence.random_streams import GLOBALS, draws_in, pids, said, shared


@rule(
    "VEC003",
    "global-random-shared-after-fork",
    severity="warning",
    where=VECTOR_ONLY,
    verb="reset",
    start_methods=("fork",),
    blames_itself=True,
    looks_at={"life": "reset"},
    gives_way=(Cause.SEED_SHARED,),
    also_reads=(UNSEEDED,),
)
def global_random_shared(view: View) -> Iterator[Finding]:
    launched_again = view.optional(UNSEEDED)
    traces = (*filter(None, [view.trace("life")]), *launched_again)
    run = next((trace for trace in traces if _sources(trace)), None)
    if run is None:
        return
    sources = _sources(run)
    calls = draws_in(sources[0], run)
    text, aim = cure(view, sources)
    unseeded = " where reset() has no seed" if run in launched_again else ""
    yield global_random_shared.finding(
        f"{len(pids(run))} forked workers draw the same numbers in"
        f" {' and '.join(f'{call}()' for call in calls)}{unseeded}: {said(sources)} is in the same"
        " state in all of them",
        text,
        aim=aim,
        location=view.locate(calls[0] if calls else "reset"),
        blame=INTERACTION,
        evidence={"sources": sources, "workers": sorted(pids(run))},
        explained_by=(Cause.SEED_SHARED,),
    )


def _sources(run: Trace) -> list[str]:
    """The generators of their process from which all workers draw the same."""
    return [source for source in shared(run) if source in GLOBALS]


def _drawing(source: str, *states: tuple[str, ...], name: str = "life") -> Trace:
    """Two workers, each with the states before and after its first two resets."""
    return trace(
        *(
            event
            for worker, of in zip((7, 8), states, strict=True)
            for event in random_events(source, *of, pid=worker, parent=False)
        ),
        name=name,
    )


def _forked(source: str, *states: tuple[str, ...]) -> View:
    return vector_view(_drawing(source, *states), start_method="fork")


def _unseeded(source: str, *states: tuple[str, ...]) -> View:
    """Seeds decide, and so the workers are launched once more without one."""
    seeded = _forked(source, ("ab", "cd"), ("ae", "fg"))
    return replace(seeded, optional_traces=(_drawing(source, *states, name=UNSEEDED),))


EXAMPLES = (
    Example(
        "levels are drawn from numpy.random",
        _forked("numpy.random", ("ab", "bc"), ("ab", "bc")),
        "2 forked workers draw the same numbers in reset(): numpy.random is in the same"
        " state in all of them",
    ),
    Example(
        "so is the noise of each step",
        _forked("random", ("aa", "bb"), ("aa", "bb")),
        "2 forked workers draw the same numbers in step(): random is in the same state in"
        " all of them",
    ),
    Example(
        "reset() seeds it where it has a seed",
        _unseeded("numpy.random", ("xy", "yz"), ("xy", "yz")),
        "2 forked workers draw the same numbers in reset() where reset() has no seed:"
        " numpy.random is in the same state in all of them",
    ),
    Example(
        "without a seed, each takes one of the system's",
        _unseeded("numpy.random", ("xy", "yz"), ("xu", "uv")),
    ),
    Example(
        "without a seed, each reset() sets it to one state",
        _unseeded("numpy.random", ("xy", "zy"), ("xy", "zy")),
    ),
    Example("reset() seeds it", _forked("random", ("ab", "cd"), ("ae", "fg"))),
    Example("no instance was reset twice", _forked("numpy.random", ("aa",), ("aa",))),
    Example("no instance draws", _forked("random", ("aa", "aa"), ("aa", "aa"))),
    Example(
        "it is the instance's own: workers-share-a-seed",
        _forked("self.rng", ("ab", "bc"), ("ab", "bc")),
    ),
)
