"""The layer of a wrapped environment that is at fault, where its layers were played one by one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from envdoctor.model.facts import PlayedLayer, PlayedLayers
from envdoctor.rules.engine.examples import fact, trace
from envdoctor.rules.engine.view import View


def wrapped_evidence(view: View) -> dict[str, object]:
    """The reason to play the layers: the wrappers around the environment, if any."""
    names = [wrapper.name for wrapper in view.survey.wrappers]
    return {"wrappers": names} if names else {}


def unknown_layers(sources: Sequence[str]) -> dict[str, object]:
    """The reason to look whether it holds an environment that it does not seed: no generator is
    known to be at fault.
    """
    return {} if sources else {"held": True}


def _layers(view: View) -> tuple[PlayedLayer, ...]:
    facts = (run.fact(PlayedLayers) for run in view.direct.optional("layers"))
    return next(filter(None, facts), PlayedLayers()).layers


def without_seed(view: View) -> tuple[PlayedLayer, PlayedLayer] | None:
    """The wrapper whose reset() is given the seed and does not hand it on, and what it wraps: with
    that alone, and with all that is below, the first observations are alike, with the wrapper they
    are not.
    """
    layers = _layers(view)
    for at in range(len(layers) - 2, -1, -1):
        layer, below = layers[at], layers[at + 1]
        if below.failed or below.differs or layer.failed:
            return None
        if layer.differs:
            return (layer, below) if layer.seeded and not below.seeded else None
    return None


def holder_of_returned(view: View, what: str) -> PlayedLayer | None:
    """The wrapper that holds what was returned, and changes it later: what is below it changes
    nothing of the kind where it is played alone, and does not hold it.
    """
    layers = _layers(view)
    for at in range(len(layers) - 2, -1, -1):
        layer, below = layers[at], layers[at + 1]
        if below.failed or what in below.changed or layer.failed:
            return None
        if what in layer.changed:
            return layer if layer.changed[what] else None
    return None


def with_layers(view: View, *layers: dict[str, object]) -> View:
    """A view whose layers were played one by one, for examples."""
    run = trace(fact("played-layers", {"layers": layers}), name="layers")
    return replace(view, optional_traces=(run,))
