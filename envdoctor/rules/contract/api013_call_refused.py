"""The environment refuses a call that every trainer makes.

What it does
    Seeds, resets and samples the environment as trainers and vectorizers do. Where it refuses (its
    seed() takes no argument, its reset() has no default for `seed` or `options`, its action space
    raises when it is sampled), the call is made in the way that the environment accepts, and the
    rest is examined all the same.

Why it matters
    Vectorizers call `reset(seed=..., options=...)`, `reset()` and `action_space.sample()`. What
    refuses one of them runs alone and fails under the first vectorizer.

How to fix it
    Accept the usual arguments, with defaults:

        def reset(self, *, seed=None, options=None):
            super().reset(seed=seed)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import GiveDefaults
from envdoctor.model.facts import RefusedCall
from envdoctor.model.finding import WARNING, Finding
from envdoctor.rules.engine.examples import direct_view, fact, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View

OF_RESET = "Give the arguments of {name}.reset() defaults: `seed=None, options=None`."
#: The remedy for each call, by the method that it is about.
REMEDIES = {
    "seed": "Let {name}.seed() take the seed: `def seed(self, seed=None)`.",
    "reset": OF_RESET,
    "__init__": "Declare an action space whose sample() returns an action.",
}


@rule(
    "API013",
    "call-refused",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=("life",),
    verb="reset",
    looks_at={"life": "reset step"},
    also_reads=(EVERYTHING,),
    in_leak_check=True,
)
def call_refused(view: View) -> Iterator[Finding]:
    for refusal in _refusals(view):
        method = refusal.method
        yield call_refused.finding(
            f"{refusal.call} is refused: {refusal.error}; {refusal.instead} was used instead",
            REMEDIES.get(method, OF_RESET).format(name=view.class_name),
            aim=GiveDefaults(method) if method == "reset" else None,
            location=view.locate(method),
            evidence={"refusal": dict(refusal.wire)},
            key=(refusal.call.partition("(")[0],),
        )


def _refusals(view: View) -> Iterator[RefusedCall]:
    """The first refusal of each method and error: procgen refuses `seed(0)`, `seed(1)`..."""
    reported = set()
    for run in view.traces:
        for refusal in run.facts(RefusedCall):
            kind = (refusal.method or refusal.call, refusal.error)
            if kind not in reported:
                reported.add(kind)
                yield refusal


def _refused(call: str, instead: str, error: str, method: str) -> View:
    values = {"call": call, "instead": instead, "error": error, "method": method}
    return direct_view(trace(fact("refusal", values), verb("reset")))


EXAMPLES = (
    Example(
        "seed() takes no argument",
        _refused("seed(0)", "seed()", "TypeError: too many positional arguments", "seed"),
        "seed(0) is refused: TypeError: too many positional arguments; seed() was used instead",
    ),
    Example("everything is accepted", direct_view(trace(verb("reset")))),
)
