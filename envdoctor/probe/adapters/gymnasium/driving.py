"""Driving Gymnasium's vector environments."""

from __future__ import annotations

import importlib.util
import sys
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Set,
    Tuple,
)

from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters import Host
from envdoctor.probe.comparison import batches, endings
from envdoctor.probe.wrappers import metadata

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv
    from numpy import ndarray

SAME_STEP = "SameStep"
FINAL_OBSERVATIONS = ("final_obs", "final_observation")


def missing() -> str:
    """An empty text, or why Gymnasium's vectorizers cannot be used here."""
    return (
        ""
        if importlib.util.find_spec("gymnasium")
        else "gymnasium is not installed in this interpreter"
    )


def autoreset_mode(vector: object) -> str:
    """The mode in which rows that are over go on, where a vector environment says it. Those of
    Gymnasium before 1.0 do not: an episode begins in the step in which another one ends.
    """
    mode = str(getattr(metadata(vector, "autoreset_mode"), "value", ""))
    return mode or (SAME_STEP if _is_before_1_0(vector) else "")


def _is_before_1_0(vector: object) -> bool:
    package = type(vector).__module__.partition(".")[0]
    version = str(getattr(sys.modules.get(package), "__version__", ""))
    return package == "gymnasium" and version.startswith("0.")


def final_values(infos: Mapping[str, Any], slot: int) -> Tuple[object, Dict[str, object]]:
    """The final observation and info of an instance that has begun anew. Before 1.0 they have
    other names, and an info is whole: `infos["final_info"][slot]`.
    """
    observations = next((infos[name] for name in FINAL_OBSERVATIONS if name in infos), None)
    observation = None if observations is None else observations[slot]
    info = infos.get("final_info")
    values = info[slot] if info is not None and not isinstance(info, dict) else None
    return (
        endings.NOTHING if observation is None else observation,
        values or endings.of_batch(info, slot),
    )


class Outcomes(NamedTuple):
    """Values of a batched step beside the observations, one for each instance. None is what is
    not recorded.
    """

    reward: object = None
    terminated: Any = None
    truncated: Any = None

    def of(self, slot: int) -> Dict[str, object]:
        """Those of one instance, by the names of a `Call`."""
        columns = self._asdict().items()
        return {name: values[slot] for name, values in columns if values is not None}


class VectorHost(Host):
    """A vector environment that resets its instances by itself."""

    def __init__(self, vector: VectorEnv, seed: int) -> None:
        self.vector = vector
        self.seed = seed
        self.actions = Actions(seed)
        self.single = Actions(seed)
        # Instances whose first episode has ended: how they go on differs between versions.
        self.over: Set[int] = set()
        self.infos: object = None  # of the last step, while whole episodes are followed

    @property
    def instances(self) -> int:
        """Number of instances that it runs."""
        return int(self.vector.num_envs)

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. With a seed, actions begin anew, too."""
        observations = self._reset(seed)
        self.over.clear()
        self._tell(
            "reset", observations, lambda slot: {} if seed is None else {"seed": seed + slot}
        )

    def step(self) -> None:
        """One batched step."""
        self._play(self._draw())

    def mirror(self) -> None:
        """One batched step with one action for all instances, where such a batch can be made."""
        try:
            actions = self._mirrored()
        except Exception:  # a space that the library does not know
            return
        self._play(actions)

    def _play(self, actions: object) -> None:
        self._advance(actions, self._each_noted(actions))

    def _advance(self, actions: object, noted: List[object]) -> None:
        """One batched step with actions that were noted before."""
        observations, ended, outcome = self._step(actions)

        def values_of(slot: int) -> Dict[str, object]:
            if ended[slot]:
                self.over.add(slot)
            return dict(outcome.of(slot), asked=noted[slot])

        self._tell("step", observations, values_of)
        if self.endings is not None:
            infos, self.infos = self.infos, None
            self._follow(self.endings, observations, ended, outcome, infos)

    def _each_noted(self, actions: object) -> List[object]:
        """The action of each instance, frozen before a call that may write into it."""
        if self.recorder is None:
            return []
        try:
            return [self._noted(self._action(actions, slot)) for slot in range(self.instances)]
        except Exception:  # a batch that cannot be taken apart: what has a gap must not be compared
            self.recorder = None
            return []

    def _follow(
        self,
        episode_ends: endings.Endings,
        observations: object,
        ended: ndarray,
        outcome: Outcomes,
        infos: object,
    ) -> None:
        """Note which episodes ended in a step, what was handed on of them, and what began."""
        for slot in sorted(episode_ends.waiting):
            episode_ends.began(slot, partial(self._observation, observations, slot))
        episode_ends.stepped(set(range(self.instances)) - set(episode_ends.ends))
        again = self._begun(observations, ended)
        for slot in range(self.instances):
            if ended[slot]:
                episode_ends.ended(
                    slot,
                    self._how(outcome, infos, slot),
                    partial(self._final, observations, infos, slot),
                )
                if again is not None:
                    episode_ends.began(slot, partial(self._observation, again, slot))

    def _begun(self, observations: object, ended: ndarray) -> object:
        """The observations of episodes that began in the step in which others ended; None where
        they begin with the next step.
        """
        mode = autoreset_mode(self.vector)
        if mode == "Disabled" and ended.any():
            return self.vector.reset(options={"reset_mask": ended})[0]
        return observations if mode == SAME_STEP else None

    def _how(self, outcome: Outcomes, _infos: Any, slot: int) -> str:
        return endings.how(outcome.terminated[slot], outcome.truncated[slot])

    def _final(
        self, observations: Any, infos: Any, slot: int
    ) -> Tuple[object, Mapping[Any, object]]:
        """The final observation, and the info of the last step."""
        mode = autoreset_mode(self.vector)
        if mode != SAME_STEP:
            return self._observation(observations, slot), endings.of_batch(infos, slot)
        final, info = final_values(infos, slot)
        if final is not endings.NOTHING:
            final = batches.as_seen(self.vector.single_observation_space, final)
        return final, info

    def _tell(
        self, call: str, observations: object, others: Callable[[int], Dict[str, Any]]
    ) -> None:
        """Record the call for each instance up to the end of its episode. The observation then
        may be the next one's already.
        """
        if self.recorder is None:
            return
        try:
            for slot in set(range(self.instances)) - self.over:
                values = others(slot)
                if slot not in self.over:
                    values["observation"] = self._observation(observations, slot)
                self.recorder.add(call, slot, **values)
        except Exception:  # a batch that cannot be taken apart: what has a gap must not be compared
            self.recorder = None

    # What differs between one library's vector environments and another's.

    def _reset(self, seed: Optional[int]) -> object:
        """Reset; the batched observations."""
        if seed is not None:
            self.actions = Actions(self.seed)
        observations, _ = self.vector.reset(seed=seed)
        self.actions.look_at(self.vector.action_space)
        return observations

    def _step(self, actions: Any) -> Tuple[object, Any, Outcomes]:
        """Step; the batched observations, which episodes ended, and what else is recorded, by
        name.
        """
        observations, rewards, terminations, truncations, infos = self.vector.step(actions)
        self.infos = infos if self.endings is not None else None
        return (
            observations,
            terminations | truncations,
            Outcomes(rewards, terminations, truncations),
        )

    def _draw(self) -> object:
        return self.actions.draw()

    def _mirrored(self) -> object:
        space = self.vector.single_action_space
        self.single.look_at(space)
        return batches.batch(space, [self.single.draw()] * self.vector.num_envs)

    def _observation(self, observations: Any, slot: int) -> object:
        return batches.item(self.vector.single_observation_space, observations, slot)

    def _action(self, actions: Any, slot: int) -> object:
        return batches.item(self.vector.single_action_space, actions, slot)

    def close(self) -> None:
        """Close the vector environment."""
        self.vector.close()


class GymnasiumHost(VectorHost):
    """A vector environment whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker."""
        return list(self.vector.call("envdoctor_read"))

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self.vector.call("envdoctor_raise", name)
