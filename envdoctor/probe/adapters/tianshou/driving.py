"""Driving Tianshou's vectorized environments, as its Collector does: an instance whose episode
ended is reset by its caller.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.gymnasium.driving import Outcomes, VectorHost
from envdoctor.probe.comparison import batches
from envdoctor.probe.tracing.traced import RAISING

#: What is known of all of them.
SINCE = "2.0"
SAME_STEP = {"closes_again": False, "autoreset": "same-step"}


def missing() -> str:
    """An empty text, or why Tianshou's vectorizers cannot be used here."""
    return (
        ""
        if importlib.util.find_spec("tianshou")
        else "tianshou is not installed in this interpreter"
    )


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("tianshou.env")


class TianshouHost(VectorHost):
    """A BaseVectorEnv: one action a step for each instance, and spaces of each of them."""

    def __init__(self, vector: object, seed: int) -> None:
        super().__init__(vector, seed)
        self.several = self._begin()
        self.spaces: List[object] = self._asked("observation_space")
        self.acting: List[object] = []
        self.next: Dict[int, object] = {}  # slot: the first observation of its next episode

    @property
    def instances(self) -> int:
        """Number of instances that it runs."""
        return len(self.vector)

    def _begin(self) -> List[Actions]:
        return [Actions(self.seed + slot) for slot in range(self.instances)]

    def _asked(self, name: str) -> List[object]:
        """An attribute of each instance. DummyVectorEnv tells those of the innermost environment,
        not those of a wrapper, so its instances are asked themselves.
        """
        return [getattr(worker.env, name) for worker in self.vector.workers]

    def _reset(self, seed: Optional[int]) -> object:
        """Reset; a list with the observation of each. It hands one seed to all instances, so each
        gets its own.
        """
        if seed is None:
            observations = list(self.vector.reset()[0])
        else:
            self.several = self._begin()
            observations = [
                self.vector.reset(env_id=slot, seed=seed + slot)[0][0]
                for slot in range(self.instances)
            ]
        self.acting = self._asked("action_space")
        for slot, actions in enumerate(self.several):
            actions.look_at(self.acting[slot])
        return observations

    def _step(self, actions: object) -> Tuple[object, object, Outcomes]:
        """Step, and reset those whose episode ended."""
        observations, rewards, terminated, truncated, infos = self.vector.step(actions)
        ended = terminated | truncated
        self.infos = infos if self.endings is not None else None
        slots = [slot for slot in range(self.instances) if ended[slot]]
        begun = self.vector.reset(env_id=slots)[0] if slots else ()
        self.next = dict(zip(slots, begun))
        return observations, ended, Outcomes(rewards, terminated, truncated)

    def _begun(self, _observations: object, _ended: object) -> object:
        return self.next

    def _final(
        self, observations: Sequence[object], infos: Sequence[Mapping[str, object]], slot: int
    ) -> Tuple[object, Dict[str, object]]:
        """The observation and the info of the last step are those of the end."""
        return self._observation(observations, slot), dict(infos[slot])

    def _draw(self) -> object:
        return self._batch([actions.draw() for actions in self.several])

    def _mirrored(self) -> object:
        self.single.look_at(self.acting[0])
        return self._batch([self.single.draw()] * self.instances)

    def _batch(self, drawn: List[object]) -> object:
        """An array with one row an instance, as a policy hands it over; where actions are not
        arrays, a list.
        """
        import numpy as np

        return drawn if isinstance(drawn[0], (dict, tuple)) else np.stack(drawn)

    def _observation(self, observations: Sequence[object], slot: int) -> object:
        return batches.as_seen(self.spaces[slot], observations[slot])

    def _action(self, actions: Sequence[object], slot: int) -> object:
        return actions[slot]


class TianshouWorkers(TianshouHost):
    """A BaseVectorEnv whose instances live in processes of their own."""

    def _asked(self, name: str) -> List[object]:
        return list(self.vector.get_env_attr(name))

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker. It carries no call there, only the name of an attribute."""
        return list(self.vector.get_env_attr("envdoctor_holdings"))

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self.vector.get_env_attr(RAISING + name)
