"""The environment seeds, or draws from, a random generator that all share.

What it does
    Compares the states of Python's, numpy's and torch's global generators before the import and
    after each call of the first two lives, which are played with the same seed. A state that is the
    same after a call in both lives, though it was not before, was seeded; any other change is a
    draw. Nothing of envdoctor's draws from them.

Why it matters
    An environment that seeds them decides every random number of the program: exploration noise and
    replay samples repeat at each reset, and learning stalls without a visible reason. One that
    draws from them cannot be reproduced by reset(seed=...), gives each forked worker the same
    numbers, and shifts everybody else's.

How to fix it
    Use the generator that each instance has of its own:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
            self._goal = self.np_random.uniform(-1, 1, size=3)     # not: np.random.uniform(...)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import OwnRandom
from envdoctor.model.finding import NOTE, WARNING, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, life_trace, reading, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import culprits
from envdoctor.rules.evidence.side_effects import IMPORTED, Effect, effects, seeded, sentence, where

NAMES = {"random": "Python's", "numpy.random": "numpy's", "torch": "torch's"}
# Where actions are drawn from the action space: one of its own may use what it likes.
DRAWN_BY_US = ("reset", "stepped")


@rule(
    "SFX004",
    "global-random-state",
    severity=WARNING,
    where=DIRECT_ONLY,
    sensors=("random",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
    gives_way=(Cause.RESET_NOT_SEEDED, Cause.STEP_NOT_SEEDED),
)
def global_random_state(view: View) -> Iterator[Finding]:
    used = [effect for effect in effects(view, "random") if _certain(view, effect)]
    for key in dict.fromkeys(effect.key for effect in used):
        own = [effect for effect in used if effect.key == key]
        first, name = own[0], NAMES.get(key, key)
        seeding = [effect for effect in own if seeded(view, effect)]
        yield global_random_state.finding(
            f"{_done(own, seeding)} {name} global random generator{sentence(first)}",
            _remedy(view, seeding),
            aim=OwnRandom(key),
            location=where(view, first),
            evidence={
                "generator": key,
                "changed_by": [_names([effect]) for effect in own],
                "seeded_by": _names(seeding),
                "own_code": first.own,
            },
            explained_by=tuple(_named_by(view, key)) if not seeding else (),
            severity=(
                NOTE
                if all(effect.library for effect in own) or _by_convention(view, key, own, seeding)
                else WARNING
            ),
        )


def _by_convention(view: View, key: str, own: list[Effect], seeding: list[Effect]) -> bool:
    """The guide of its framework has seed() seed numpy's global generator, and its wrapper does
    so: not the author's choice, as long as nothing is drawn.
    """
    return view.api.seeds_global_random and key == "numpy.random" and own == seeding


def _named_by(view: View, key: str) -> tuple[Cause, ...]:
    """The defects that name this generator as the first reason for what differs under one seed: the
    same fact, and the same cure. Their cure is for the first one only.
    """
    calls = {Cause.RESET_NOT_SEEDED: "reset", Cause.STEP_NOT_SEEDED: "step"}
    return tuple(cause for cause, call in calls.items() if culprits(view, call)[:1] == [key])


def _certain(view: View, effect: Effect) -> bool:
    """A generator that was not there before has no earlier state; a space of the subject's own
    may be what drew for us.
    """
    own_space = view.survey.own_action_space and effect.point in DRAWN_BY_US
    return effect.old is not None and effect.new is not None and not own_space


def _done(own: list[Effect], seeding: list[Effect]) -> str:
    """`reset() seeds and step() draws from`."""
    drawing = [effect for effect in own if effect not in seeding]
    seeds = f"{_names(seeding)} {'seeds' if len(seeding) == 1 else 'seed'}" if seeding else ""
    draws = f"{_names(drawing)} {_change(drawing)}" if drawing else ""
    return " and ".join(part for part in (seeds, draws) if part)


def _change(drawing: list[Effect]) -> str:
    if all(effect.point == IMPORTED for effect in drawing):
        return "seeds or draws from"
    return "draws from" if len(drawing) == 1 else "draw from"


def _names(changed: list[Effect]) -> str:
    return ", ".join(dict.fromkeys(effect.by for effect in changed))


def _remedy(view: View, seeding: list[Effect]) -> str:
    if seeding:
        return (
            f"let {view.class_name} seed and use a generator of its own{_generator(view)}: the"
            " global one decides for the whole program."
        )
    return (
        f"let {view.class_name} draw from a generator of its own{_generator(view)}, which the seed"
        " reaches, instead of the one that all share."
    )


def _generator(view: View) -> str:
    """The generator that the framework gives to each environment."""
    return f", {view.api.generator}" if view.api.generator else ""


def _at(state: str) -> dict[str, dict[str, str]]:
    return {"random": {"numpy.random": f"state {state}"}}


def _view(*states: str, **survey: str) -> View:
    """Two lives, four states each: before, made, reset, stepped."""
    points = ("before", "made", "reset", "stepped")
    readings = [
        reading(points[index % 4], _at(state), index // 4) for index, state in enumerate(states)
    ]
    return direct_view(trace(verb("make"), *readings), **survey)


EXAMPLES = (
    Example(
        "the same numbers after each reset",
        _view("1", "1", "7", "8", "8", "8", "7", "8"),
        "reset() seeds and step() draws from numpy's global random generator",
    ),
    Example(
        "seeded as DI-engine's guide has it: a note",
        _view("1", "1", "7", "7", "9", "9", "7", "7", api="ding"),
        "reset() seeds numpy's global random generator",
    ),
    Example(
        "noise that all share",
        _view("1", "1", "1", "2", "2", "2", "2", "3"),
        "step() draws from numpy's global random generator",
    ),
    Example(
        "a life that was not played again",
        direct_view(life_trace(before=_at("1"), made=_at("1"), reset=_at("2"), held=_at("2"))),
        "reset() draws from numpy's global random generator",
    ),
    Example("a generator of its own", _view(*"11111111")),
    Example(
        "numpy is imported by the constructor",
        direct_view(life_trace(before={"random": {}}, made=_at("1"), held=_at("1"))),
    ),
)
