"""Under a manager it returns something else than alone.

What it does
    Asks an instance without a manager what each instance of a manager was asked in its first
    episode, with the same seed and the same actions, puts the answers into the types that the
    manager returns, and compares them exactly. Where AsyncVectorEnv's differ, it plays once more
    without shared memory. It is an error where no observation ever changes under the manager, and
    those of the instance without one do.

Why it matters
    What was debugged alone is not what is trained. In one process it mostly means that instances
    share state, so each disturbs the others.

How to fix it
    Keep state, and the generator, in the instance:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)  # not: np.random.seed(seed), which reseeds all instances
            self.enemies = []         # not: an attribute of the class or of the module

    AsyncVectorEnv reads a Text or OneOf from its shared memory only once, when it is built. Have
    such observations sent:

        envs = gymnasium.vector.AsyncVectorEnv(factories, shared_memory=False)

    Return arrays where a vectorizer has shared memory of its own: a LazyFrames is not written
    there.

        return np.asarray(frames), reward, terminated, truncated, info
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from envdoctor.frameworks.profile import keywords
from envdoctor.model.finding import ERROR, INTERACTION, UNKNOWN, WARNING, Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import compared, longer_pair, trace, vector_view
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    MORE_SEEDS,
    Cure,
    cure,
    in_other_process,
    in_process,
    moment,
    nothing_arrives,
    replayed,
    right_without_shared_memory,
    unseeded_evidence,
    what_differs,
)
from envdoctor.rules.evidence.random_streams import GLOBALS, draws_in
from envdoctor.rules.evidence.side_by_side import interferes_in_play
from envdoctor.rules.remedies.launch_lines import launch_piped


@rule(
    "VEC004",
    "vector-differs-from-single",
    explains=Cause.VECTOR_DIFFERS,
    severity="warning",
    where=VECTOR_ONLY,
    verb="reset",
    compares="replayed",
    looks_at={"life": "reset step"},
    follow_ups=("replay", "without-shared-memory", "replay-of-piped", "other-process", MORE_SEEDS),
    gives_way=(Cause.SHARED_BY_WORKERS, Cause.SEED_SHARED, Cause.INSTANCES_INTERFERE),
)
def vector_differs(view: View) -> Iterator[Finding]:
    result = [reported for reported in replayed(view) if reported.differs]
    lost, still = right_without_shared_memory(view), nothing_arrives(view)
    unsure = in_process(view) or (_of_another_process(view) and not lost)
    if not result or (unsure and not still):
        return
    first, total = result[0].first, len(replayed(view))
    together = view.start_method is None and interferes_in_play(view.direct)
    text, aim = _cure(view)
    if lost or still:
        text, aim = _piped_instead(view) if lost else _arrays_instead(view), None
    yield vector_differs.finding(
        f"{len(result)} of {total} instances return something else than alone, with the same seed"
        f" and actions, {moment(first)}: {what_differs(first, 'alone', 'and')} under the manager"
        f"{', where no observation ever changes' if still else ''}",
        text,
        severity=ERROR if still else WARNING,
        commands=launch_piped(view) if lost else (),
        aim=aim,
        location=view.locate(first.call),
        evidence={"instances": [item.as_json() for item in result], **unseeded_evidence(view)},
        explained_by=() if lost or still else (Cause.SHARED_BY_WORKERS, Cause.SEED_SHARED),
        # In one process, instances do to each other what they do without a manager.
        explained_alone=(Cause.INSTANCES_INTERFERE,) if together and not (lost or still) else (),
        blame=INTERACTION if lost else UNKNOWN,
    )


def _piped_instead(view: View) -> str:
    """The remedy where instances return through the pipe what they return alone."""
    known = view.vectorizer
    return (
        f"pass {keywords(known.without_shared_memory)} to {known.class_name}: verified, instances"
        f" return there what they return alone. ({known.shared_memory_note})"
    )


def _arrays_instead(view: View) -> str:
    """The remedy where nothing of what instances return arrives."""
    return (
        f"return arrays of numpy from {view.class_name}.reset() and step(), as observation_space"
        f" describes them, also from its wrappers: {view.manager} does not hand on other objects,"
        " such as LazyFrames (numpy.asarray(frames) makes an array of one)."
    )


def _of_another_process(view: View) -> bool:
    """Return True if any other process differs, with a manager or without: that is DET003."""
    run = view.direct.trace("other-process")
    return (
        run is not None
        and view.start_method is not None
        and any(comparison.differs for comparison in in_other_process(view))
    )


def _cure(view: View) -> Cure:
    """In one process: what its instances share."""
    alone = view.direct.trace("life")
    globals_used = [source for source in GLOBALS if alone and draws_in(source, alone)]
    if view.start_method is None and globals_used:
        return cure(view, globals_used)
    where = "a worker process" if view.start_method else "the other instances of the process"
    return (
        (
            f"keep all state of {view.class_name} in the instance, set it back in reset(), and see"
            f" what it shares with {where}: attributes of the class, variables of the module, a"
            " library's global state."
        ),
        None,
    )


def _replayed(differs: bool = True, *alone: Trace, **values: object) -> View:
    run = compared(
        "replayed",
        differs,
        name="replay",
        manager="gymnasium-sync",
        start_method=None,
        slot=1,
        **values,
    )
    view = vector_view(trace(), manager="gymnasium-sync", start_method=None)
    return View(
        view.subject, view.manager, None, view.traces, view.survey, other_places=(*alone, run)
    )


_compared = partial(compared, "replayed", manager="gymnasium-async", start_method="fork", slot=0)


def _piped() -> View:
    """Instances of workers that are read wrongly out of shared memory, and rightly out of the
    pipe.
    """
    shared = _compared(name="replay", call="reset", values=["'go'", "'00'"])
    piped = _compared(differs=False, name="replay-of-piped")
    return replace(vector_view(trace(), start_method="fork"), other_places=(shared, piped))


def _still() -> View:
    """Instances of workers whose observations do not get into shared memory; alone they are not
    reproducible, which does not matter then.
    """
    alone = _compared(name="replay", values=["14", "0"], moves=True)
    life = compared("mirrored", differs=False, moves=False)
    view = vector_view(life, start_method="fork")
    return replace(view, other_places=(alone, compared("same-seed")))


EXAMPLES = (
    Example(
        "instances share a generator",
        _replayed(call="step", step=1, place=[0], values=["0.1", "0.4"]),
        "1 of 1 instances return something else than alone, with the same seed and actions,"
        " at step 1: observation[0] is 0.1 alone and 0.4 under the manager",
    ),
    Example(
        "text in Gymnasium's shared memory",
        _piped(),
        "1 of 1 instances return something else than alone, with the same seed and actions,"
        " at the first reset(): observation is 'go' alone and '00' under the manager",
    ),
    Example(
        "observations that are not arrays",
        _still(),
        "1 of 1 instances return something else than alone, with the same seed and actions,"
        " at the first reset(): observation is 14 alone and 0 under the manager, where no"
        " observation ever changes",
    ),
    Example(
        "alone it is not reproducible either: reset-not-seeded",
        _replayed(True, compared("same-seed")),
    ),
    Example(
        "alone it is reproducible by chance only",
        _replayed(True, compared("same-seed", False), longer_pair()),
    ),
    Example("all the same", _replayed(False)),
)
