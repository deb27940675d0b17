"""Driving the batched environments of TorchRL."""

from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import Any, Callable, Dict, List, Mapping, Optional

from envdoctor.probe import dialects
from envdoctor.probe.managers import Host
from envdoctor.probe.subject import null
from envdoctor.probe.tensordicts import ActionSpec, parts

Factories = List[Callable[[], Any]]


def missing() -> str:
    """"" or why TorchRL's batched environments cannot be used here."""
    return "" if importlib.util.find_spec("torchrl") else "torchrl is not installed in this interpreter"


@functools.lru_cache(maxsize=None)
def enter() -> None:
    """Import the framework, and PyTorch with it. Then build a first batch: what it shares stays in the process for good, whatever
    becomes of it, and no later one adds to that.
    """
    envs = importlib.import_module("torchrl.envs")
    first = envs.SerialEnv(1, [Wrapping(functools.partial(null.environment, ""))])
    first.start()
    first.close()


def accepted(environment: Any) -> Any:
    """An EnvBase as it is, anything else in TorchRL's own wrapper. Raises what the wrapper raises."""
    if dialects.dialect_of(environment) == dialects.TORCHRL:
        return environment
    from torchrl.envs import GymWrapper

    return GymWrapper(environment)


class Wrapping:
    """A factory of what TorchRL accepts. All of one launch are equal, as the factories of a script are: TorchRL builds one shadow for
    each that is not.
    """

    def __init__(self, factory: Callable[[], Any]) -> None:
        self.factory = factory

    def __call__(self) -> Any:
        """One instance. Raises whatever the subject or the wrapper raises."""
        return accepted(self.factory())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrapping)

    def __hash__(self) -> int:
        return hash(Wrapping)


def started(kind: Any, factories: Factories, options: Mapping[str, Any], **arguments: Any) -> Any:
    """A batch of a `kind`, started: by itself it starts at its first reset, which would be charged for it."""
    passed = {key: value for key, value in options.items() if key != "seed"}
    batch = kind(len(factories), [Wrapping(factory) for factory in factories], **arguments, **passed)
    if batch.is_closed:
        batch.start()
    return batch


class BatchedHost(Host):
    """A SerialEnv or ParallelEnv, stepped as collectors do: what ended is reset with the step."""

    def __init__(self, batch: Any, seed: int) -> None:
        self.batch = batch
        self.seed = seed
        self.actions = ActionSpec(batch)
        self.root: Any = None

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. A seed is told to the batch first, which hands each its own. Actions then begin anew, too."""
        if seed is not None:
            self.actions.seed(self.seed)
            self.batch.set_seed(seed)
        self.root = self.batch.reset()

    def step(self) -> None:
        """One batched step."""
        self._step(self.actions.onto(self.root))

    def mirror(self) -> None:
        """One batched step with the first instance's action for all."""
        asked = self.actions.onto(self.root)
        for path, leaf in parts(asked):
            if path[-1] == "action":
                leaf[:] = leaf[:1].clone()
        self._step(asked)

    def _step(self, asked: Any) -> None:
        _, self.root = self.batch.step_and_maybe_reset(asked)

    def close(self) -> None:
        """Close the batch. What it returned last may be a part of its shared memory."""
        self.root = None
        self.batch.close()


class WorkersHost(BatchedHost):
    """A batch whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, Any]]:
        """What each worker holds."""
        return list(self.batch.envdoctor_read())

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self.batch.envdoctor_raise(name)
