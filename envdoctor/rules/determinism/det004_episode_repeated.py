"""reset() without a seed plays the same episode again.

What it does
    Where an instance begins without a seed as it began with one, resets another one eight times
    without a seed after a first reset with one, plays the same actions each time, and compares all
    that it returns exactly; then resets it with three other seeds. It is reported where all eight
    episodes are equal to the first, and those of all three seeds are not: then chance decides what
    an episode is, and reset() takes it back.

    An environment without chance is healthy, and so is one whose level its constructor decides. It
    is not reported where a random generator that it may draw from goes on: then few starts may be
    the same by chance.

Why it matters
    Trainers give a seed to the first reset() only, and count on reset() to go on from there. A
    policy that sees one episode learns that episode by heart, and any other shows that nothing was
    learned.

How to fix it
    Seed the generator where a seed is given, and nowhere else:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self.meals = self.np_random.integers(0, 48, 3)   # not default_rng(self.start_seed)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import SeedWhenGiven
from envdoctor.model.facts import Repeated
from envdoctor.model.finding import WARNING, Finding
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.examples import direct_view, fact, random_events, trace
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import public_name
from envdoctor.rules.evidence.random_streams import going_on, reset_to_one_state

EPISODES, SEEDS = 8, 3  # without a seed, and other seeds, that are needed
REUSED, VARIED = "reuse", "other-seeds"


def unjudged(view: View) -> str:
    """Return why an instance that begins again proves nothing, or nothing."""
    reused = _repeated(view, REUSED)
    if reused is None or reused.differs:
        return ""
    varied = _repeated(view, VARIED)
    if varied is None:
        return "it begins without a seed as with one, and other seeds were not played"
    if varied.differs or not varied.otherwise:
        return ""
    if varied.unknown:
        return f"not all can be compared: {varied.unknown[0]}"
    if varied.episodes < EPISODES or varied.seeds < SEEDS or varied.calls < 2:
        return "too few episodes were played with other seeds and without one"
    if varied.otherwise < SEEDS:
        return f"{varied.seeds - varied.otherwise} of {varied.seeds} other seeds play the same"
    sources = going_on(view.direct.trace(VARIED))
    return f"{public_name(sources[0])} goes on from episode to episode" if sources else ""


@rule(
    "DET004",
    "episode-repeated",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=(REUSED,),
    verb="reset",
    compares=Repeated.KEY,
    looks_at={REUSED: "reset"},
    unjudged=unjudged,
    also_reads=(VARIED,),
)
def episode_repeated(view: View) -> Iterator[Finding]:
    varied = _repeated(view, VARIED)
    if (
        varied is None
        or varied.differs
        or varied.unknown
        or varied.episodes < EPISODES
        or varied.calls < 2
        or not SEEDS <= varied.otherwise == varied.seeds
        or going_on(view.direct.trace(VARIED))
    ):
        return
    back = reset_to_one_state(view.direct.trace(VARIED))
    name, own = view.class_name, view.api.generator
    cause = f": reset() takes {' and '.join(map(public_name, back))} back each time" if back else ""
    seeded = f": super().reset(seed=seed), then draw from {own}" if own else ""
    yield episode_repeated.finding(
        f"reset() without a seed plays the same episode again ({varied.episodes} times,"
        f" {varied.calls} equal answers to the same actions), though each of {varied.seeds} other"
        f" seeds plays another{cause}",
        f"seed the generator of {name} only where a seed is given, and let it go on otherwise"
        f"{seeded}.",
        aim=SeedWhenGiven(),
        location=view.locate("reset"),
        evidence={"repeated": varied.as_json(), "generators": back, "scenario": VARIED},
    )


def _repeated(view: View, scenario: str) -> Repeated | None:
    run = view.direct.trace(scenario)
    return run.fact(Repeated) if run else None


def _example(*states: str, name: str = VARIED, differs: bool = False, **known: object) -> Trace:
    """Return what eight episodes and three seeds show; `states` are those of a generator around
    resets.
    """
    difference = {
        "call": "reset",
        "step": 0,
        "key": "observation",
        "what": "value",
        "place": None,
        "values": ["1", "2"],
    }
    value = {
        "calls": 6,
        "unknown": [],
        "difference": difference if differs else None,
        "episodes": 8,
        "seeds": 3,
        "otherwise": 3,
        **known,
    }
    return trace(fact("repeated", value), *random_events("self.generator", *states), name=name)


_ALIKE = _example(name=REUSED, episodes=2, seeds=0, otherwise=0, calls=1)
_AGAIN = (
    "reset() without a seed plays the same episode again (8 times, 6 equal answers to the same"
    " actions), though each of 3 other seeds plays another"
)

EXAMPLES = (
    Example(
        "a generator that each reset() makes anew",
        direct_view(_ALIKE, _example("ab", "cb", "cb")),
        f"{_AGAIN}: reset() takes self.generator back each time",
    ),
    Example("one that Python does not see", direct_view(_ALIKE, _example()), _AGAIN),
    Example("one start", direct_view(_ALIKE, _example(otherwise=0))),
    Example("two starts", direct_view(_ALIKE, _example(otherwise=2))),
    Example(
        "few starts, and a generator that goes on", direct_view(_ALIKE, _example("ab", "bc", "cd"))
    ),
    Example("a later step differs", direct_view(_ALIKE, _example(differs=True))),
    Example(
        "a part that cannot be compared",
        direct_view(_ALIKE, _example(unknown=["observation is Map"])),
    ),
    Example("other seeds were not played", direct_view(_ALIKE)),
    Example("each reset() goes on", direct_view(_example(name=REUSED, differs=True))),
)
