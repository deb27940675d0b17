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
    for entry in view.survey.overridden:
        own = own_name(entry)
        yield overrides_existing_id.finding(
            f"{entry.id} was {entry.was} and is {entry.now} once the module is imported",
            f"register it under a name of its own: {own}.",
            commands=cure(view, entry, own),
            location=Location(entry.file, entry.line) if entry.file else None,
            key=(entry.id,),
            evidence={"overridden": dict(entry.wire)},
            blame=ENVIRONMENT,
        )


def own_name(entry: OverriddenId) -> str:
    """`mylab/CartPole-v1`: the id in the namespace of the package that takes it."""
    package = entry.now.replace(":", ".").split(".", maxsplit=1)[0]
    return f"{package}/{entry.id.rsplit('/', 1)[-1]}"


def cure(view: View, entry: OverriddenId, own: str) -> tuple[str, ...]:
    """The line that registers it, with that name in it."""
    if entry.id in entry.text:
        return (entry.text.replace(entry.id, own),)
    return (f'{view.registry.register}("{own}", entry_point="{entry.now}")',)


_OVERRIDDEN = {
    "id": "CartPole-v1",
    "was": "gymnasium.envs.classic_control.cartpole:CartPoleEnv",
    "now": "mylab.carts:Cart",
}


def _surveyed(*overridden: Mapping[str, str]) -> View:
    return direct_view(
        trace(verb("survey"), name="survey", script="survey"),
        found=True,
        overridden=list(overridden),
    )


EXAMPLES = (
    Example(
        "a better CartPole under the old name",
        _surveyed(_OVERRIDDEN),
        "CartPole-v1 was gymnasium.envs.classic_control.cartpole:CartPoleEnv and is"
        " mylab.carts:Cart once the module is imported",
    ),
    Example("nothing was taken", _surveyed()),
)
