"""The seed does not decide the first observation.

What it does
    Resets two instances of one process with the same seed, and one instance twice, and compares the
    first observations exactly. What cannot be compared makes no difference. Where the state of a
    random generator tells that reset() draws from one that the seed does not reach, it is named. So
    is a wrapper that does not hand the seed on, where what it wraps is right without it.

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

from envdoctor.model.facts import PlayedLayer
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.examples import compared, direct_view, random_resets
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    at_first_reset,
    culprits,
    cure,
    cure_of_rests,
    drawing,
    in_process,
    nondeterministic,
    stays,
    what_differs,
)
from envdoctor.rules.evidence.layers import with_layers, without_seed, wrapped_evidence


@rule(
    "DET001",
    "reset-not-seeded",
    severity="warning",
    where=DIRECT_ONLY,
    verb="reset",
    compares="same-seed",
    looks_at={"life": "reset", "reuse": "reset"},
    also_reads=("reuse", "layers"),
    follow_ups=("layers",),
)
def reset_not_seeded(view: View) -> Iterator[Finding]:
    found = [
        (comparison, between)
        for comparison, between in in_process(view)
        if at_first_reset(comparison)
    ]
    if not found:
        return
    comparison, between = found[0]
    sources = culprits(view, "reset")
    rests = stays(view, sources, between)
    text, aim = cure_of_rests(view) if rests else cure(view, sources)
    stops = without_seed(view)
    if stops:
        text, aim = _pass_on(*stops), None
    yield reset_not_seeded.finding(
        "reset() with the same seed gives different first observations:"
        f" {what_differs(comparison.first)}, {between}"
        f"{drawing('reset', sources)}{', although two fresh ones agree' if rests else ''}"
        f"{_stopping(*stops) if stops else ''}{nondeterministic(view)}",
        text,
        aim=aim,
        location=(stops and stops[0].place("reset")) or view.locate("reset"),
        evidence={
            "comparison": comparison.as_json(),
            "between": between,
            "unseeded": sources,
            **wrapped_evidence(view),
        },
    )


def _stopping(wrapper: PlayedLayer, inner: PlayedLayer) -> str:
    """What the wrapper does, and that the rest is right without it."""
    first, second = (each.class_name.rpartition(".")[2] for each in (wrapper, inner))
    return (
        f"; {first}.reset() does not hand the seed to {second}.reset(), which gives the same one"
        " when it is played alone"
    )


def _pass_on(wrapper: PlayedLayer, inner: PlayedLayer) -> str:
    first, second = (each.class_name.rpartition(".")[2] for each in (wrapper, inner))
    return (
        f"let {first}.reset() call {second}.reset() with the seed each time that it is given one:"
        " self.env.reset(seed=seed, options=options)."
    )


_GOES_ON = direct_view(
    compared("reseeded", key="observation", place=[0], values=["0.1", "0.2"], name="reuse")
)
_LIVES = {"class": "game.EpisodicLife", "seeded": True, "differs": True}

EXAMPLES = (
    Example(
        "it draws from the global generator",
        direct_view(
            compared("same-seed", key="observation", place=[2], values=["0.1", "0.2"]),
            random_resets("numpy.random", "ab", "bb", "bc"),
        ),
        (
            (
                "reset() with the same seed gives different first observations: observation[2] is"
                " 0.1 once and then 0.2, in two instances; reset() draws from numpy.random, which"
                " the seed does not reach"
            ),
        ),
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
        (
            (
                "reset() with the same seed gives different first observations: observation['map']"
                " is not the same (too large to say where), in one instance seeded twice (its"
                " specification says nondeterministic=True)"
            ),
        ),
    ),
    Example(
        "a wrapper goes on with the episode",
        with_layers(_GOES_ON, _LIVES, {"class": "game.Breakout"}),
        (
            (
                "reset() with the same seed gives different first observations: observation[0] is"
                " 0.1 once and then 0.2, in one instance seeded twice; EpisodicLife.reset() does"
                " not hand the seed to Breakout.reset(), which gives the same one when it is played"
                " alone"
            ),
        ),
    ),
    Example(
        "a wrapper does not hand it on, and what it wraps is not seeded either",
        with_layers(_GOES_ON, _LIVES, {"class": "game.Breakout", "differs": True}),
        (
            (
                "reset() with the same seed gives different first observations: observation[0] is"
                " 0.1 once and then 0.2, in one instance seeded twice"
            ),
        ),
    ),
    Example(
        "only a later one differs: DET002", direct_view(compared("same-seed", call="step", step=3))
    ),
    Example("all the same", direct_view(compared("same-seed", differs=False))),
)
