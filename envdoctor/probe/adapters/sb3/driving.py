"""Driving the vectorizers of Stable-Baselines3."""

from __future__ import annotations

import importlib
import importlib.util
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
)

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.model.subject import ID
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.gymnasium.driving import Outcomes, VectorHost
from envdoctor.probe.comparison import batches, endings
from envdoctor.probe.subject import load, registries
from envdoctor.probe.tracing.instrument import Factory

if TYPE_CHECKING:
    from numpy import ndarray
    from stable_baselines3.common.vec_env import VecEnv

HELPER = "make_vec_env"

Factories = List[Callable[[], object]]


def missing() -> str:
    """An empty text, or why Stable-Baselines3's vectorizers cannot be used here."""
    return (
        ""
        if importlib.util.find_spec("stable_baselines3")
        else "stable-baselines3 is not installed in this interpreter"
    )


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("stable_baselines3.common.env_util")


def vector(
    kind: Type[VecEnv], factories: Factories, options: LaunchOptions, **arguments: object
) -> object:
    """A vectorizer of a `kind`, built from its class or, with the option HELPER, in the
    way that most scripts build it.
    """
    if not options.get(HELPER):
        return kind(factories, **arguments)
    from stable_baselines3.common.env_util import make_vec_env

    return make_vec_env(
        DrawnFactory.of(factories[0]),
        n_envs=len(factories),
        vec_env_cls=kind,
        vec_env_kwargs=arguments,
    )


class DrawnFactory(Factory):
    """Asks for images first, as make_vec_env() does where it is given an id. We give it a
    factory, because an id cannot be traced.
    """

    @classmethod
    def of(cls, factory: Any) -> object:
        """The factory with images, where it is one of an id."""
        if factory.control or factory.subject.form != ID:
            return factory
        return cls(factory.subject, factory.journal, factory.control, factory.spaces)

    def build(self) -> object:
        """One instance as it is."""
        load.prepare_path(self.subject)
        kwargs = dict(self.subject.kwargs)
        try:
            return registries.make(self.subject.text, {"render_mode": "rgb_array", **kwargs})
        except TypeError:
            return registries.make(self.subject.text, kwargs)


class VecHost(VectorHost):
    """A VecEnv: one action a step for each instance, one space for all of them."""

    def __init__(self, vector: object, seed: int) -> None:
        super().__init__(vector, seed)
        self.several = self._begin()

    def _begin(self) -> List[Actions]:
        return [Actions(self.seed + slot) for slot in range(self.vector.num_envs)]

    def _reset(self, seed: Optional[int]) -> object:
        """A seed goes to the vectorizer first, which hands each instance its own."""
        if seed is not None:
            self.several = self._begin()
            self.vector.seed(seed)
        observations = self.vector.reset()
        for actions in self.several:
            actions.look_at(self.vector.action_space)
        return observations

    def _step(self, actions: object) -> Tuple[object, object, Outcomes]:
        """Rewards are 32 bits wide in one of the two vectorizers, and why an episode ended is
        said in its info only.
        """
        observations, _, dones, infos = self.vector.step(actions)
        self.infos = infos if self.endings is not None else None
        return observations, dones, Outcomes()

    def _begun(self, observations: object, _ended: object) -> object:
        """It resets in the step in which an episode ends."""
        return observations

    def _how(self, _outcome: Outcomes, infos: Sequence[Mapping[str, object]], slot: int) -> str:
        truncated = bool(infos[slot].get("TimeLimit.truncated", False))
        return endings.how(not truncated, truncated)

    def _final(
        self, _observations: object, infos: Sequence[Mapping[str, object]], slot: int
    ) -> Tuple[object, Mapping[str, object]]:
        """The final observation is in the info."""
        final = infos[slot].get("terminal_observation", endings.NOTHING)
        if final is not endings.NOTHING:
            final = batches.as_seen(self.vector.observation_space, final)
        return final, infos[slot]

    def _draw(self) -> object:
        return self._batch([actions.draw() for actions in self.several])

    def _mirrored(self) -> object:
        self.single.look_at(self.vector.action_space)
        return self._batch([self.single.draw()] * self.vector.num_envs)

    def _batch(self, drawn: List[object]) -> object:
        """An array with one row an instance, as an algorithm's policy hands it over; where
        actions are not arrays, a list.
        """
        import numpy as np

        return drawn if isinstance(drawn[0], (dict, tuple)) else np.stack(drawn)

    def _observation(
        self, observations: Union[ndarray, Dict[str, ndarray], Tuple[ndarray, ...]], slot: int
    ) -> object:
        space = self.vector.observation_space
        if isinstance(observations, dict):
            return batches.as_seen(space, {name: rows[slot] for name, rows in observations.items()})
        if isinstance(observations, tuple):
            return batches.as_seen(space, tuple(rows[slot] for rows in observations))
        return batches.as_seen(space, observations[slot])

    def _action(self, actions: Sequence[object], slot: int) -> object:
        return actions[slot]


class SB3Host(VecHost):
    """A VecEnv whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker."""
        return list(self.vector.env_method("envdoctor_read"))

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self.vector.env_method("envdoctor_raise", name)
