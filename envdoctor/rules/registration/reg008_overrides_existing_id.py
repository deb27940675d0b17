"""Importing the module takes an id away from the package that had registered it.

What it does
    Compares, before and after the modules are imported, which entry point each registered id has.
    To register one's own id again is fine.

Why it matters
    From that import on, everybody in the process gets another environment under the old name:
    results carry the name of a benchmark that was not run, and it depends on the order of imports
    which one it is.

How to fix it
    Register under a name of its own; a namespace keeps the known name recognisable:

        gymnasium.register("mylab/CartPole-v1", entry_point="mylab.cartpole:CartPole")
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.model.facts import OverriddenId
from envdoctor.model.finding import ENVIRONMENT, WARNING, Finding, Location
from envdoctor.rules.engine.examples import direct_view, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View


@rule(
    "REG008",
    "overrides-existing-id",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=("survey",),
    verb="survey",
    blames_itself=True,
    looks_at={"survey": "survey"},
)
def overrides_existing_id(view: View) -> Iterator[Finding]:
    for taken in view.survey.overridden:
        own = own_name(taken)
        yield overrides_existing_id.finding(
            f"{taken.id} was {taken.was} and is {taken.now} once the module is imported",
            f"register it under a name of its own: {own}.",
            commands=cure(view, taken, own),
            location=Location(taken.file, taken.line) if taken.file else None,
            key=(taken.id,),
            evidence={"overridden": dict(taken.wire)},
            blame=ENVIRONMENT,
        )


def own_name(taken: OverriddenId) -> str:
    """`mylab/CartPole-v1`: the id in the namespace of the package that takes it."""
    package = taken.now.replace(":", ".").split(".", maxsplit=1)[0]
    return f"{package}/{taken.id.rsplit('/', 1)[-1]}"


def cure(view: View, taken: OverriddenId, own: str) -> tuple[str, ...]:
    """The line that registers it, with that name in it."""
    if taken.id in taken.text:
        return (taken.text.replace(taken.id, own),)
    return (f'{view.registry.register}("{own}", entry_point="{taken.now}")',)


_TAKEN = {
    "id": "CartPole-v1",
    "was": "gymnasium.envs.classic_control.cartpole:CartPoleEnv",
    "now": "mylab.carts:Cart",
}


def _surveyed(*taken: Mapping[str, str]) -> View:
    return direct_view(
        trace(verb("survey"), name="survey", script="survey"), found=True, overridden=list(taken)
    )


EXAMPLES = (
    Example(
        "a better CartPole under the old name",
        _surveyed(_TAKEN),
        (
            (
                "CartPole-v1 was gymnasium.envs.classic_control.cartpole:CartPoleEnv and is"
                " mylab.carts:Cart once the module is imported"
            ),
        ),
    ),
    Example("nothing was taken", _surveyed()),
)
