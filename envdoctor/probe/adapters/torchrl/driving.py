"""Driving the batched environments of TorchRL."""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Set, Tuple, Type

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.torchrl.tensordicts import ActionSpec, actions, returned, seen_in
from envdoctor.probe.comparison import endings
from envdoctor.probe.frameworks import null

if TYPE_CHECKING:
    from tensordict import TensorDictBase
    from torchrl.envs import BatchedEnvBase, EnvBase

Factories = List[Callable[[], object]]


def missing() -> str:
    """An empty text, or why TorchRL's batched environments cannot be used here."""
    return (
        ""
        if importlib.util.find_spec("torchrl")
        else "torchrl is not installed in this interpreter"
    )


@functools.lru_cache(maxsize=None)
def enter() -> None:
    """Import the framework, and PyTorch with it. Then build a first batch: what it shares stays in
    the process for good, also after that batch, and no later one adds to that.
    """
    envs = importlib.import_module("torchrl.envs")
    first = envs.SerialEnv(1, [Wrapping(functools.partial(null.environment, ""))])
    first.start()
    first.close()


def accepted(environment: object) -> EnvBase:
    """An EnvBase as it is, anything else in TorchRL's own wrapper. Raises what the wrapper
    raises.
    """
    if environment_api.api_of(environment) == environment_api.TORCHRL:
        return environment
    from torchrl.envs import GymWrapper

    return GymWrapper(environment)


class Wrapping:
    """A factory of what TorchRL accepts. All of one launch are equal, as the factories of a script
    are: TorchRL builds one shadow for each that is not.
    """

    def __init__(self, factory: Callable[[], object]) -> None:
        self.factory = factory

    def __call__(self) -> object:
        """One instance. Raises what the subject or the wrapper raises."""
        return accepted(self.factory())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Wrapping)

    def __hash__(self) -> int:
        return hash(Wrapping)


def started(
    kind: Type[BatchedEnvBase], factories: Factories, options: LaunchOptions, **arguments: object
) -> object:
    """A batch of a `kind`, started: by itself it starts at its first reset, which would be
    charged for it.
    """
    batch = kind(
        len(factories),
        [Wrapping(factory) for factory in factories],
        **arguments,
        **options.arguments,
    )
    if batch.is_closed:
        batch.start()
    return batch


def _final(answer: object) -> Tuple[object, Dict[str, object]]:
    """The last observation of an episode; the framework hands on no info."""
    return seen_in(answer), {}


class BatchedHost(Host):
    """A SerialEnv or ParallelEnv, stepped as collectors do: what ended is reset with the step."""

    def __init__(self, batch: BatchedEnvBase, seed: int) -> None:
        self.batch = batch
        self.seed = seed
        self.actions = ActionSpec(batch)
        self.root: TensorDictBase = None
        # Instances whose first episode has ended: what follows is of the next one.
        self.over: Set[int] = set()

    @property
    def instances(self) -> int:
        """Number of instances that it runs."""
        return int(self.batch.num_workers)

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. A seed goes to the batch first, which hands each its own.
        Actions then begin anew, too.
        """
        seeds: List[int] = []
        if seed is not None:
            self.actions.seed(self.seed)
            seeds = self._seeds_of_each(seed, self.batch.set_seed(seed))
        self.root = self.batch.reset()
        self.over.clear()
        self._tell("reset", self.root, lambda slot: {"seed": seeds[slot]} if seeds else {})

    def _seeds_of_each(self, seed: int, last: object) -> List[int]:
        """The seed of each instance: the batch hands on what one instance makes of its own. Empty
        where it ended in another than the framework's own way of making the next one, as an
        environment of its user's may.
        """
        chain = [seed]
        with contextlib.suppress(ImportError):
            from torchrl._utils import seed_generator

            for _ in range(self.batch.num_workers):
                chain.append(seed_generator(chain[-1]))
        return chain[:-1] if chain[-1] == last else []

    def step(self) -> None:
        """One batched step."""
        self._step(self.actions.onto(self.root))

    def mirror(self) -> None:
        """One batched step with the first instance's action for all."""
        asked = self.actions.onto(self.root)
        for _, leaf in actions(self.batch, asked):
            leaf[:] = leaf[:1].clone()
        self._step(asked)

    def _step(self, asked: object) -> None:
        noted = self._each_noted(asked)
        stepped, self.root = self.batch.step_and_maybe_reset(asked)
        if self.recorder is not None:
            self._tell("step", stepped.get("next"), lambda slot: {"asked": noted[slot]})
        if self.endings is not None:
            self._follow(self.endings, stepped.get("next"))

    def _each_noted(self, asked: TensorDictBase) -> List[object]:
        """The action of each instance, frozen before a call that may write into it."""
        if self.recorder is None:
            return []
        try:
            return [self._noted(actions(self.batch, asked[slot])) for slot in range(self.instances)]
        except Exception:  # a batch that cannot be taken apart: what has a gap must not be compared
            self.recorder = None
            return []

    def _follow(self, episode_ends: endings.Endings, following: TensorDictBase) -> None:
        """Note which episodes ended, and what the next ones begin with. Infos are not handed on
        by the framework.
        """
        for slot in sorted(set(range(self.instances)) - set(episode_ends.ends)):
            episode_ends.stepped((slot,))
            answer = following[slot]
            tensors = returned(answer)
            if tensors.observation is None:
                late = tensors.truncated
                truncated = bool(late.any()) if hasattr(late, "any") else False
                how = endings.how(not truncated, truncated)
                episode_ends.ended(slot, how, functools.partial(_final, answer))
                episode_ends.began(slot, functools.partial(seen_in, self.root[slot]))

    def _tell(
        self, call: str, answers: TensorDictBase, asked: Callable[[int], Dict[str, Any]]
    ) -> None:
        """Record the call for each instance up to the end of its episode."""
        if self.recorder is None:
            return
        try:
            for slot in set(range(self.batch.num_workers)) - self.over:
                answer = returned(answers[slot])
                if answer.observation is None:
                    self.over.add(slot)
                self.recorder.add(call, slot, **answer.values(), **asked(slot))
        except Exception:  # a batch that cannot be taken apart: what has a gap must not be compared
            self.recorder = None

    def close(self) -> None:
        """Close the batch. What it returned last may be a part of its shared memory."""
        self.root = None
        self.batch.close()


class TorchRLHost(BatchedHost):
    """A batch whose instances live in processes of their own."""

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker."""
        return list(self.batch.envdoctor_read())

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self.batch.envdoctor_raise(name)
