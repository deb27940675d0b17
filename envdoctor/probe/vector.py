"""Driving Gymnasium's vector environments."""

from __future__ import annotations

import importlib.util
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from envdoctor.probe.actions import Actions
from envdoctor.probe.comparison import batches
from envdoctor.probe.managers import Host


def missing() -> str:
    """"" or why Gymnasium's vectorizers cannot be used here."""
    return "" if importlib.util.find_spec("gymnasium") else "gymnasium is not installed in this interpreter"


class VectorHost(Host):
    """A vector environment that resets its instances by itself."""

    def __init__(self, vector: Any, seed: int) -> None:
        self.vector = vector
        self.seed = seed
        self.actions = Actions(seed)
        self.single = Actions(seed)
        self.over: Set[int] = set()  # instances whose first episode has ended: how they go on differs between versions

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. With a seed, actions begin anew, too."""
        observations = self._reset(seed)
        self.over.clear()
        self._tell("reset", observations, lambda slot: {} if seed is None else {"seed": seed + slot})

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

    def _play(self, actions: Any) -> None:
        observations, ended, outcome = self._step(actions)

        def told(slot: int) -> Dict[str, Any]:
            if ended[slot]:
                self.over.add(slot)
            return dict({name: values[slot] for name, values in outcome.items()}, action=self._action(actions, slot))

        self._tell("step", observations, told)

    def _tell(self, call: str, observations: Any, others: Callable[[int], Dict[str, Any]]) -> None:
        """Record the call for each instance up to the end of its episode. The observation then may be the next one's already."""
        if self.recorder is None:
            return
        try:
            for slot in set(range(self.vector.num_envs)) - self.over:
                values = others(slot)
                if slot not in self.over:
                    values["observation"] = self._observation(observations, slot)
                self.recorder.add(call, slot, **values)
        except Exception:  # a batch that cannot be taken apart: what has a gap must not be compared
            self.recorder = None

    # What differs between one library's vector environments and another's.

    def _reset(self, seed: Optional[int]) -> Any:
        """Reset; the batched observations."""
        if seed is not None:
            self.actions = Actions(self.seed)
        observations, _ = self.vector.reset(seed=seed)
        self.actions.look_at(self.vector.action_space)
        return observations

    def _step(self, actions: Any) -> Tuple[Any, Any, Dict[str, Any]]:
        """Step; the batched observations, which episodes ended, and what else is recorded, by name."""
        observations, rewards, terminations, truncations, _ = self.vector.step(actions)
        return observations, terminations | truncations, {"reward": rewards, "terminated": terminations, "truncated": truncations}

    def _draw(self) -> Any:
        return self.actions.draw()

    def _mirrored(self) -> Any:
        space = self.vector.single_action_space
        self.single.look_at(space)
        return batches.batch(space, [self.single.draw()] * self.vector.num_envs)

    def _observation(self, observations: Any, slot: int) -> Any:
        return batches.item(self.vector.single_observation_space, observations, slot)

    def _action(self, actions: Any, slot: int) -> Any:
        return batches.item(self.vector.single_action_space, actions, slot)

    def close(self) -> None:
        """Close the vector environment."""
        self.vector.close()


class WorkersHost(VectorHost):
    """A vector environment whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, Any]]:
        """What each worker holds."""
        return list(self.vector.call("envdoctor_read"))

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self.vector.call("envdoctor_raise", name)
