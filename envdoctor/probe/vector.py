"""Driving Gymnasium's vector environments."""

from __future__ import annotations

import importlib.util
from typing import Any, Dict, List, Optional

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

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. With a seed, actions begin anew, too."""
        if seed is not None:
            self.actions = Actions(self.seed)
        self.vector.reset(seed=seed)
        self.actions.look_at(self.vector.action_space)

    def step(self) -> None:
        """One batched step."""
        self.vector.step(self.actions.draw())

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
