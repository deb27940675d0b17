"""The seed does not decide the first observation.

What it does
    Resets two instances of one process with the same seed, and one instance twice, and compares the
    first observations exactly. What cannot be compared makes no difference. Where the state of a
    random generator shows that reset() draws from one that the seed does not reach, it is named. So
    is a wrapper that does not hand the seed on, where what it wraps is right without it.

    Where seed 0 has no effect, seeds 1 to 4 are tried: `if seed:` is false for 0. Where the seed
    decides the first episode, and a later reset() draws from a generator that it leaves as it is,
    or Gymnasium's checker saw the next episode differ, two instances are reset once more without a
    seed: Gymnasium's generator goes on from the seed.

    What is drawn may have few values, and agree by chance. Where a generator is drawn from that the
    seed does not reach, and anything else differs, two instances play longer, with four seeds.

Why it matters
    A result cannot be repeated, a failure cannot be debugged, and a comparison of two agents
    compares two sets of levels.

How to fix it
    Pass the seed on, and draw from the generator that it seeds:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.position = self.np_random.uniform(-1.0, 1.0)      # not np.random.uniform
            return self._observe(), {}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.environment_aims import AcceptZero, PassSeed
from envdoctor.model.facts import Comparison, PlayedLayer
from envdoctor.model.finding import Finding, Location
from envdoctor.model.remedy import Aim
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import (
    compared,
    direct_view,
    fact,
    longer_pair,
    random_events,
    random_resets,
    trace,
)
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    AGAIN,
    MORE_SEEDS,
    WHOLE_AGAIN,
    at_first_reset,
    culprits,
    cure,
    cure_of_rests,
    drawing,
    fresh_ones_differ,
    in_process,
    nondeterministic,
    paired,
    public_name,
    seeding_method,
    stays,
    what_differs,
    whole_episode,
)
from envdoctor.rules.evidence.layers import (
    unknown_layers,
    with_layers,
    without_seed,
    wrapped_evidence,
)
from envdoctor.rules.evidence.leftover import fresh_ones_agree, with_leftover
from envdoctor.rules.evidence.random_streams import (
    AFTER_SEED,
    differs_after_seed,
    left_out_by_seed,
    made_anew,
)
from envdoctor.rules.evidence.stacks import is_installed

NEXT, NONZERO = "next-episode", "nonzero-seeds"
GO_ON = (
    "let {name}.reset() seed its generator only where a seed is given, and go on with it elsewhere:"
    " super().reset(seed=seed) does that."
)
SEEDS, BEGINNINGS = (1, 2, 3, 4), 3  # that are tried, and that have to differ


@rule(
    "DET001",
    "reset-not-seeded",
    explains=Cause.RESET_NOT_SEEDED,
    severity="warning",
    where=DIRECT_ONLY,
    verb="reset",
    compares="same-seed",
    looks_at={"life": "reset", "reuse": "reset"},
    follow_ups=(NONZERO, "layers", "leftover"),
    also_reads=("reuse", WHOLE_AGAIN, "check", NEXT, NONZERO, MORE_SEEDS, "layers", "leftover"),
)
def reset_not_seeded(view: View) -> Iterator[Finding]:
    result = [
        (comparison, between)
        for comparison, between in in_process(view)
        if at_first_reset(comparison)
    ]
    if not result:
        yield from _after_the_seed(view)
        return
    comparison, between = result[0]
    sources = culprits(view, "reset")
    if between != AGAIN and _only_zero(view):
        yield _of_zero(view, comparison, between, sources)
        return
    rests = stays(view, sources, between)
    aim: Aim | None
    text, aim = cure_of_rests(view) if rests else cure(view, sources)
    stops, method = without_seed(view), seeding_method(view)
    if stops:
        text, aim = _pass_on(*stops, method), _aim(stops[0], method)
    yield reset_not_seeded.finding(
        "reset() with the same seed gives different first observations:"
        f" {what_differs(comparison.first)}, {between}"
        f"{drawing('reset', sources)}{fresh_ones_agree(view) if rests else ''}"
        f"{_stopping(*stops, method) if stops else ''}{nondeterministic(view)}",
        text,
        aim=aim,
        location=(stops and _own_place(stops[0], method)) or view.locate("reset"),
        evidence={
            "comparison": comparison.as_json(),
            "between": between,
            "unseeded": sources,
            **whole_episode(view, comparison),
            **(wrapped_evidence(view) or unknown_layers(sources)),
        },
    )


def _stopping(wrapper: PlayedLayer, inner: PlayedLayer, method: str) -> str:
    """Say what the wrapper does, and that the rest is right without it."""
    first, second = (each.class_name.rpartition(".")[2] for each in (wrapper, inner))
    return (
        f"; {first}.{method}() does not hand the seed to {second}.{method}(), which gives the same"
        " one when it is played alone"
    )


def _pass_on(wrapper: PlayedLayer, inner: PlayedLayer, method: str) -> str:
    first, second = (each.class_name.rpartition(".")[2] for each in (wrapper, inner))
    arguments = "seed" if method == "seed" else "seed=seed, options=options"
    return (
        f"let {first}.{method}() call {second}.{method}() with the seed each time that it is given"
        f" one: self.{wrapper.holds or 'env'}.{method}({arguments})."
    )


def _own_place(wrapper: PlayedLayer, method: str) -> Location | None:
    """Return where a method is written; None where it inherits that of a library."""
    place = wrapper.place(method)
    return None if place is None or is_installed(place.file) else place


def _aim(wrapper: PlayedLayer, method: str) -> PassSeed:
    return PassSeed(wrapper.class_name.rpartition(".")[2], method, wrapper.holds)


def _only_zero(view: View) -> bool:
    """Return whether two instances agree with each of four other seeds than 0, which decide."""
    reported = paired(view, NONZERO)
    return (
        reported is not None
        and not (reported.differs or reported.unknown)
        and reported.seeds == SEEDS
        and reported.beginnings >= BEGINNINGS
    )


def _of_zero(view: View, comparison: Comparison, between: str, sources: list[str]) -> Finding:
    """The finding where each seed but 0 works."""
    return reset_not_seeded.finding(
        "reset() with seed 0 gives different first observations:"
        f" {what_differs(comparison.first)}, {between}"
        f"{drawing('reset', sources)}, though two instances agree with each of {len(SEEDS)} other"
        f" seeds{nondeterministic(view)}",
        f"test for `seed is not None` in {view.class_name}.reset() and in what it calls: 0 is false"
        " in `if seed:` and in `seed or ...`.",
        aim=AcceptZero(),
        location=view.locate("reset"),
        evidence={
            "comparison": comparison.as_json(),
            "between": between,
            "unseeded": sources,
            "other_seeds": [*SEEDS],
        },
    )


def _after_the_seed(view: View) -> Iterator[Finding]:
    """The finding where the seed decides no more than the episode that it is given to."""
    reported = paired(view, NEXT)
    sources = left_out_by_seed(view.trace("reuse"))
    anew = made_anew(view.trace(NEXT))
    generator = view.api.generator
    later = (
        reported is not None
        and reported.differs
        and reported.first.call == "reset"
        and reported.first.step
    )
    checked = view.trace("check")
    certain = sources or anew or (checked is not None and differs_after_seed(checked))
    if reported is None or not (later and certain and generator) or fresh_ones_differ(view):
        return
    text, aim = cure(view, sources) if sources else (GO_ON.format(name=view.class_name), None)
    why = drawing("reset", sources) if sources or not anew else _making(anew)
    yield reset_not_seeded.finding(
        "reset() without a seed, after one with the same seed, gives different first observations:"
        f" {what_differs(reported.first)}, in two instances{why}",
        text,
        aim=aim,
        location=view.locate("reset"),
        evidence={"comparison": reported.as_json(), "between": NEXT, "unseeded": sources or anew},
    )


def _making(sources: list[str]) -> str:
    """`; without a seed, reset() makes self.np_random anew`."""
    return f"; without a seed, reset() makes {' and '.join(map(public_name, sources))} anew"


_DIFFERS = compared("same-seed", key="observation", place=[2], values=["0.1", "0.2"])
_ALIKE = compared("same-seed", differs=False)
_DRAWS = random_resets("self.rng", "ab", "bb", "bc")
_ALL = (
    "reset() with the same seed gives different first observations: observation[2] is 0.1 once and"
    " then 0.2, in two instances"
)


def _others(differs: bool = False, **values: object) -> Trace:
    """Two instances that were given other seeds."""
    return compared("paired", differs, NONZERO, **{"seeds": [*SEEDS], "beginnings": 4, **values})


def _next(differs: bool = True) -> Trace:
    """Two instances that were reset once more without a seed."""
    return compared("paired", differs, NEXT, step=3, place=[0], seeds=[0], beginnings=2)


_MADE_ANEW = replace(
    _next(),
    events=(
        *_next().events,
        *random_events("self._np_random", "xa", "bc", pid=7),
        *random_events("self._np_random", "xa", "bd", pid=8),
    ),
)
_CHECKED = trace(
    fact("check", {"part": "check_reset_seed_determinism", "message": f"Using this {AFTER_SEED}."}),
    name="check",
)
_GOES_ON = direct_view(
    compared("reseeded", key="observation", place=[0], values=["0.1", "0.2"], name="reuse")
)
_HOLDER = {"class": "game.Holder", "seeded": True, "differs": True, "holds": "wrapped_env"}
_EPISODIC = {"class": "game.EpisodicLife", "seeded": True, "differs": True}

EXAMPLES = (
    Example(
        "it draws from the global generator",
        direct_view(
            compared("same-seed", key="observation", place=[2], values=["0.1", "0.2"]),
            random_resets("numpy.random", "ab", "bb", "bc"),
        ),
        "reset() with the same seed gives different first observations: observation[2] is"
        " 0.1 once and then 0.2, in two instances; reset() draws from numpy.random, which"
        " the seed does not reach",
    ),
    Example(
        "only the instance that was used gives another one, and the specification admits it",
        direct_view(
            compared(
                "reseeded",
                key="observation['map']",
                what="contents",
                values=["ab", "cd"],
                name="reuse",
            ),
            nondeterministic=True,
        ),
        "reset() with the same seed gives different first observations: observation['map']"
        " is not the same (too large to say where), in one instance seeded twice (its"
        " specification says nondeterministic=True)",
    ),
    Example(
        "it draws one of few, which agree by chance in the plain lives",
        direct_view(
            _ALIKE, longer_pair(place=[1]), random_resets("numpy.random", "ab", "bb", "bc")
        ),
        "reset() with the same seed gives different first observations: observation[1] is 1"
        " once and then 2, in two instances; reset() draws from numpy.random, which the"
        " seed does not reach",
    ),
    Example(
        "`if seed:`",
        direct_view(_DIFFERS, _DRAWS, _others()),
        "reset() with seed 0 gives different first observations: observation[2] is 0.1"
        " once and then 0.2, in two instances; reset() draws from self.rng, which the seed"
        " does not reach, though two instances agree with each of 4 other seeds",
    ),
    Example(
        "other seeds are not obeyed either", direct_view(_DIFFERS, _others(differs=True)), _ALL
    ),
    Example("few starts agree by chance", direct_view(_DIFFERS, _others(beginnings=2)), _ALL),
    Example("it began with seed 7", direct_view(_DIFFERS, _others(seeds=[8, 9, 10, 11])), _ALL),
    Example(
        "a module's generator decides what comes after the seeded episode",
        direct_view(_ALIKE, _next(), random_resets("drive.GENERATOR", "aa", "ab", "bb")),
        "reset() without a seed, after one with the same seed, gives different first"
        " observations: observation[0] is 1 once and then 2, in two instances; reset()"
        " draws from drive.GENERATOR, which the seed does not reach",
    ),
    Example(
        "an attribute has something of the episode before",
        with_leftover(
            direct_view(_ALIKE, *_GOES_ON.traces),
            **{"name": "self.observer.start", "class": "Observer", "resets": True},
        ),
        "reset() with the same seed gives different first observations: observation[0] is"
        " 0.1 once and then 0.2, in one instance seeded twice, although two fresh ones"
        " agree, and the same comes again once self.observer.start has what the constructor"
        " gave it",
    ),
    Example(
        "a wrapper goes on with the episode",
        with_layers(_GOES_ON, _EPISODIC, {"class": "game.Breakout"}),
        "reset() with the same seed gives different first observations: observation[0] is"
        " 0.1 once and then 0.2, in one instance seeded twice; EpisodicLife.reset() does"
        " not hand the seed to Breakout.reset(), which gives the same one when it is played"
        " alone",
    ),
    Example(
        "it holds another environment, which it does not seed",
        with_layers(direct_view(_DIFFERS), _HOLDER, {"class": "game.Breakout"}),
        "reset() with the same seed gives different first observations: observation[2] is"
        " 0.1 once and then 0.2, in two instances; Holder.reset() does not hand the seed to"
        " Breakout.reset(), which gives the same one when it is played alone",
    ),
    Example(
        "a wrapper does not hand it on, and what it wraps is not seeded either",
        with_layers(_GOES_ON, _EPISODIC, {"class": "game.Breakout", "differs": True}),
        "reset() with the same seed gives different first observations: observation[0] is"
        " 0.1 once and then 0.2, in one instance seeded twice",
    ),
    Example(
        "a reset() without a seed makes the generator anew",
        direct_view(_ALIKE, _MADE_ANEW),
        "reset() without a seed, after one with the same seed, gives different first"
        " observations: observation[0] is 1 once and then 2, in two instances; without a"
        " seed, reset() makes self.np_random anew",
    ),
    Example(
        "its generator is not known, and the checker reports the same",
        direct_view(_ALIKE, _next(), _CHECKED),
        "reset() without a seed, after one with the same seed, gives different first"
        " observations: observation[0] is 1 once and then 2, in two instances",
    ),
    Example(
        "that generator decides nothing of it",
        direct_view(
            _ALIKE, _next(differs=False), random_resets("drive.GENERATOR", "aa", "ab", "bb")
        ),
    ),
    Example(
        "no generator is known that the seed leaves as it is",
        direct_view(_ALIKE, _next(), random_resets("self._np_random", "xa", "ab", "ba")),
    ),
    Example(
        "only a later one differs: step-not-reproducible",
        direct_view(compared("same-seed", call="step", step=3)),
    ),
    Example("all the same", direct_view(compared("same-seed", differs=False))),
)
