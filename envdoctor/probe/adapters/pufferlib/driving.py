"""Driving PufferLib's vectorizers: environments are put into its emulation, as its scripts do."""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Sequence, Tuple, Union

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.gymnasium.driving import Outcomes, VectorHost
from envdoctor.probe.comparison import batches
from envdoctor.probe.system import workers

if TYPE_CHECKING:
    from pufferlib.vector import Multiprocessing, Serial

SINCE = "3.0"
SEED = 42  # that its reset() takes where none is given


def missing() -> str:
    """An empty text, or why PufferLib's vectorizers cannot be used here."""
    return (
        ""
        if importlib.util.find_spec("pufferlib")
        else "pufferlib-core is not installed in this interpreter"
    )


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("pufferlib.vector")
    importlib.import_module("pufferlib.emulation")


class PufferCreator:
    """Builds an instance in the emulation, as the framework asks for one."""

    def __init__(self, factory: Callable[[], object]) -> None:
        self.factory = factory

    def __call__(self, buf: object = None, seed: int = 0) -> object:
        """One instance that writes into the framework's buffers."""
        from pufferlib.emulation import GymnasiumPufferEnv

        return GymnasiumPufferEnv(env_creator=self.factory, buf=buf, seed=seed)


def made(kind: str, factories: List[Callable[[], object]], **arguments: object) -> object:
    """A vectorizer of a kind."""
    from pufferlib import vector

    number = len(factories)
    return vector.make(
        [PufferCreator(factory) for factory in factories],
        env_args=[[]] * number,
        env_kwargs=[{}] * number,
        backend=getattr(vector, kind),
        num_envs=number,
        **arguments,
    )


class PufferHost(VectorHost):
    """One agent an instance. All of them write into one buffer, which the next step overwrites."""

    def __init__(self, vector: Union[Serial, Multiprocessing], seed: int) -> None:
        super().__init__(vector, seed)
        driver = vector.driver_env
        self.space = driver.env.observation_space
        self.several: List[Actions] = []
        # What the emulation packs into other spaces cannot be compared with a single instance.
        self.packed = driver.is_obs_emulated or driver.is_atn_emulated

    def reset(self, seed: Optional[int]) -> None:
        """Reset all instances. Without a seed it takes one of its own."""
        if self.packed:
            self.recorder = None
        super().reset(SEED if seed is None else seed)

    def _reset(self, seed: Optional[int]) -> object:
        import numpy as np

        observations, _ = self.vector.reset(seed=seed)
        self.several = [Actions(self.seed + slot) for slot in range(self.instances)]
        for actions in self.several:
            actions.look_at(self.vector.single_action_space)
        return np.array(observations)

    def _step(self, actions: object) -> Tuple[object, object, Outcomes]:
        """Rewards are 32 bits wide, and infos do not say whose they are."""
        import numpy as np

        observations, _, terminated, truncated, _ = self.vector.step(actions)
        terminated, truncated = np.array(terminated, bool), np.array(truncated, bool)
        outcomes = Outcomes(terminated=terminated, truncated=truncated)
        return np.array(observations), terminated | truncated, outcomes

    def _begun(self, _observations: object, _ended: object) -> object:
        """The next step resets."""

    def _final(
        self, observations: Sequence[object], _infos: object, slot: int
    ) -> Tuple[object, Dict[str, object]]:
        return self._observation(observations, slot), {}

    def _draw(self) -> object:
        return self._batch([actions.draw() for actions in self.several])

    def _mirrored(self) -> object:
        self.single.look_at(self.vector.single_action_space)
        return self._batch([self.single.draw()] * self.instances)

    def _batch(self, drawn: List[object]) -> object:
        import numpy as np

        return np.stack(drawn)

    def _observation(self, observations: Sequence[object], slot: int) -> object:
        return batches.as_seen(self.space, observations[slot])

    def _action(self, actions: Sequence[object], slot: int) -> object:
        return actions[slot]


class PufferWorkers(PufferHost):
    """Instances in processes of their own, which are terminated and not waited for."""

    def unwaited(self) -> Optional[int]:
        """Workers that were asked to end and have done so. Once counted they are waited for, as the
        start of any other process would.
        """
        workers.wait_until_still()
        number = workers.zombies()
        multiprocessing.active_children()
        return number


def of_workers(factories: List[Callable[[], object]], options: LaunchOptions) -> PufferWorkers:
    """One worker an instance, also where there are fewer cores."""
    vector = made("Multiprocessing", factories, num_workers=len(factories), overwork=True)
    return PufferWorkers(vector, options.seed)
