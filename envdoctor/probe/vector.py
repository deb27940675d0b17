"""Driving Gymnasium's vector environments."""

from __future__ import annotations

import importlib.util
from typing import Any, Callable, Dict, List, Optional, Set

from envdoctor.probe import batches
from envdoctor.probe.actions import Actions
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
        if seed is not None:
            self.actions = Actions(self.seed)
        observations, _ = self.vector.reset(seed=seed)
        self.actions.look_at(self.vector.action_space)
        self.over.clear()
        self._tell("reset", observations, lambda slot: {} if seed is None else {"seed": seed + slot})

    def step(self) -> None:
        """One batched step."""
        self._step(self.actions.draw())

    def mirror(self) -> None:
        """One batched step with one action for all instances, where such a batch can be made."""
        space = self.vector.single_action_space
        self.single.look_at(space)
        try:
            actions = batches.batch(space, [self.single.draw()] * self.vector.num_envs)
        except Exception:  # a space that Gymnasium does not know
            return
        self._step(actions)

    def _step(self, actions: Any) -> None:
        observations, rewards, terminations, truncations, _ = self.vector.step(actions)

        def told(slot: int) -> Dict[str, Any]:
            action = batches.item(self.vector.single_action_space, actions, slot)
            if terminations[slot] or truncations[slot]:
                self.over.add(slot)
            return {"action": action, "reward": rewards[slot], "terminated": terminations[slot], "truncated": truncations[slot]}

        self._tell("step", observations, told)

    def _tell(self, call: str, observations: Any, others: Callable[[int], Dict[str, Any]]) -> None:
        """Record the call for each instance up to the end of its episode. The observation then may be the next one's already."""
        if self.recorder is None:
            return
        try:
            for slot in set(range(self.vector.num_envs)) - self.over:
                values = others(slot)
                if slot not in self.over:
                    values["observation"] = batches.item(self.vector.single_observation_space, observations, slot)
                self.recorder.add(call, slot, **values)
        except Exception:  # a batch that cannot be taken apart: what has a gap must not be compared
            self.recorder = None

    def close(self) -> None:
        """Close the vector environment."""
        self.vector.close()


class WorkersHost(VectorHost):
    """A vector environment whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, Any]]:
        """What each worker holds."""
        return list(self.vector.call("envdoctor_read"))
