"""Driving the vectorizers of Stable-Baselines3."""

from __future__ import annotations

import importlib.util
from typing import Any, Callable, Dict, List, Mapping, Optional

from envdoctor.model.subject import ID
from envdoctor.probe import load, registries
from envdoctor.probe.actions import Actions
from envdoctor.probe.instrument import Factory
from envdoctor.probe.managers import Host

Factories = List[Callable[[], Any]]


def missing() -> str:
    """"" or why Stable-Baselines3's vectorizers cannot be used here."""
    return "" if importlib.util.find_spec("stable_baselines3") else "stable-baselines3 is not installed in this interpreter"


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("stable_baselines3.common.env_util")


def vector(kind: Any, factories: Factories, options: Mapping[str, Any], **arguments: Any) -> Any:
    """A vectorizer of a `kind`, built from its class or, with the option make_vec_env, in the way that most scripts build it."""
    if not options.get("make_vec_env"):
        return kind(factories, **arguments)
    from stable_baselines3.common.env_util import make_vec_env

    return make_vec_env(DrawnFactory.of(factories[0]), n_envs=len(factories), vec_env_cls=kind, vec_env_kwargs=arguments)


class DrawnFactory(Factory):
    """Asks for images first, as make_vec_env() does where it is given an id. We give it a factory, because an id cannot be traced."""

    @classmethod
    def of(cls, factory: Any) -> Any:
        """The factory with images, where it is one of an id."""
        if factory.control or factory.subject.form != ID:
            return factory
        return cls(factory.subject, factory.journal, factory.control, factory.spaces)

    def build(self) -> Any:
        """One instance as it is."""
        load.prepare_path(self.subject)
        kwargs = dict(self.subject.kwargs)
        try:
            return registries.make(self.subject.text, {"render_mode": "rgb_array", **kwargs})
        except TypeError:
            return registries.make(self.subject.text, kwargs)


class VecHost(Host):
    """A VecEnv: one action a step for each instance; it resets them by itself."""

    def __init__(self, vector: Any, seed: int) -> None:
        self.vector = vector
        self.seed = seed
        self.actions: List[Actions] = []

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. A seed is told to the vectorizer first, which hands each instance its own; actions begin anew."""
        if seed is not None:
            self.actions = [Actions(self.seed + index) for index in range(self.vector.num_envs)]
            self.vector.seed(seed)
        self.vector.reset()
        for actions in self.actions:
            actions.look_at(self.vector.action_space)

    def step(self) -> None:
        """One batched step."""
        self.vector.step(self._draw())

    def _draw(self) -> Any:
        """An array with one row an instance, as an algorithm's policy hands it over; where actions are no arrays, a list."""
        import numpy as np

        drawn = [actions.draw() for actions in self.actions]
        return drawn if isinstance(drawn[0], (dict, tuple)) else np.stack(drawn)

    def close(self) -> None:
        """Close the vectorizer."""
        self.vector.close()


class WorkersHost(VecHost):
    """A VecEnv whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, Any]]:
        """What each worker holds."""
        return list(self.vector.env_method("envdoctor_read"))
