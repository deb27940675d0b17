"""Sentences on an action that is not in the action space of the instance whose step() it made
raise, and the cures.
"""

from __future__ import annotations

from envdoctor.model.training import Training
from envdoctor.model.training_errors import ACTION, AGENT, BOUNDS, DTYPE, LESS, MORE
from envdoctor.model.training_instances import Instances

BATCH = (
    "give it the action alone: `action[0]`. What a policy returns for a batch of observations is a"
    " batch of actions."
)
ONE_FOR_EACH = (
    "give step() of the vectorizer a list, or an array, with one action for each of its instances:"
    " `[action]` for one."
)
CAST = "cast it: `action.astype(env.action_space.dtype)`."
EACH_AGENT = (
    "give step() an action of each agent that it moves, which reset() or step() named before; or"
    " let it leave out those without one."
)
ELEMENT = "give step() an element of the action space: `env.action_space.sample()` shows one."


def given_action(training: Training, instance: Instances | None) -> tuple[str, str] | None:
    """Return what step() of an instance was given when it raised, said after that, and the cure;
    None where it fits.
    """
    error = instance.error if instance is not None else None
    if instance is None or error is None or error.detail is None or error.detail.kind != ACTION:
        return None
    action, space, how, *leading = error.detail.names
    if how == AGENT:
        return f": step() was given actions of {action}, and none of {space}", EACH_AGENT
    why = f": step() was given {action}, and its action space is {space}"
    return why, _cure(training, instance, space, how, int("".join(leading) or 0))


def _cure(training: Training, instance: Instances, space: str, how: str, leading: int) -> str:
    if how == MORE and leading > 1 and leading == _hosted(training, instance):
        return (
            f"give step() of the vectorizer these {leading} actions alone, not {leading} for each"
            " instance. Where they were drawn from its action_space: one sample of that may"
            " have the actions of all instances."
        )
    if how == MORE and leading == 1:
        return BATCH
    if how == LESS and instance.by:
        return ONE_FOR_EACH
    if how == BOUNDS:
        return (
            f"give step() an element of {space} only, or make the space as large as what step()"
            " takes."
        )
    return CAST if how == DTYPE else ELEMENT


def _hosted(training: Training, instance: Instances) -> int:
    """The number of instances of the vectorizer that an instance belongs to."""
    alike = (
        each
        for each in training.instances
        if instance.by
        and (each.by, each.group, each.type) == (instance.by, instance.group, instance.type)
    )
    return sum(each.number for each in alike if each.is_called)
