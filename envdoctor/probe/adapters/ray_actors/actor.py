"""One environment in each plain actor of Ray, as `ray.remote(Env).remote()` makes it."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence, Tuple

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.ray_actors import cluster
from envdoctor.probe.comparison import batches, endings

if TYPE_CHECKING:
    from types import ModuleType

    from gymnasium import Env
    from gymnasium.spaces import Space
    from ray.actor import ActorHandle


NAME = "ray-actor"
START_METHODS = ("spawn",)  # its workers are programs of their own
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (("2.40", {"closes_again": False, "autoreset": "same-step"}),)
SENDS = ("observation", "info", "action_space", "observation_space", "exception")
ON_REQUEST = True


def missing() -> str:
    """An empty text, or why Ray's actors cannot be used here."""
    return "" if importlib.util.find_spec("ray") else "ray is not installed in this interpreter"


def enter() -> None:
    """Import the framework, and start its cluster."""
    cluster.begin()


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One actor a factory."""
    ray = cluster.begin()
    kind = ray.remote(num_cpus=0)(ActorHolder)
    actors = [kind.remote(factory) for factory in factories]
    return ActorsHost(ray, actors, options.seed)


class ActorHolder:
    """Class of the actors: it holds the environment, and calls its methods."""

    def __init__(self, factory: Callable[[], Env]) -> None:
        self.environment = factory()

    def pid(self) -> int:
        """The process that it is in."""
        return os.getpid()

    def do(self, name: str, *arguments: object, **named: object) -> object:
        """Call a method of the environment."""
        return getattr(self.environment, name)(*arguments, **named)

    def spaces(self) -> Tuple[object, object]:
        """Its spaces of observations and of actions."""
        return self.environment.observation_space, self.environment.action_space


class ActorsHost(Host):
    """Several actors, asked at once. An instance whose episode ended is reset by its caller."""

    def __init__(self, ray: ModuleType, actors: List[ActorHandle], seed: int) -> None:
        self.ray = ray
        self.actors = actors
        self.seed = seed
        self.single = Actions(seed)
        self.several = self._begin()
        self.over: List[bool] = [False] * len(actors)  # whether a first episode has ended
        self.spaces: List[Sequence[Space]] = []
        cluster.listed(self._all("pid"))

    @property
    def instances(self) -> int:
        """Number of instances that it runs."""
        return len(self.actors)

    def _begin(self) -> List[Actions]:
        return [Actions(self.seed + slot) for slot in range(self.instances)]

    def _all(self, method: str, *arguments: object, **named: object) -> List[Any]:
        """Answers of all actors to the call of a method."""
        asked = [getattr(actor, method).remote(*arguments, **named) for actor in self.actors]
        return list(self.ray.get(asked))

    def reset(self, seed: Optional[int]) -> None:
        """Reset all. With a seed each gets its own, and actions begin anew, too."""
        seeds = [None if seed is None else seed + slot for slot in range(self.instances)]
        if seed is not None:
            self.several = self._begin()
        asked = [actor.do.remote("reset", seed=own) for actor, own in zip(self.actors, seeds)]
        answers = self.ray.get(asked)
        self.spaces = self._all("spaces")
        self.over = [False] * self.instances
        for slot, (observation, _) in enumerate(answers):
            self.several[slot].look_at(self.spaces[slot][1])
            named = {} if seed is None else {"seed": seeds[slot]}
            self._record("reset", slot, observation=self._observed(slot, observation), **named)

    def step(self) -> None:
        """One step of each."""
        self._play([actions.draw() for actions in self.several])

    def mirror(self) -> None:
        """One step with the same action for each."""
        self.single.look_at(self.spaces[0][1])
        self._play([self.single.draw()] * self.instances)

    def _play(self, actions: List[object]) -> None:
        asked = [actor.do.remote("step", action) for actor, action in zip(self.actors, actions)]
        answers = self.ray.get(asked)
        ended = [slot for slot, answer in enumerate(answers) if answer[2] or answer[3]]
        again = self.ray.get([self.actors[slot].do.remote("reset") for slot in ended])
        begun = {slot: observation for slot, (observation, _) in zip(ended, again)}
        for slot, answer in enumerate(answers):
            self._tell(slot, actions[slot], answer, begun)
            self.over[slot] = self.over[slot] or slot in begun

    def _tell(
        self,
        slot: int,
        action: object,
        answer: Tuple[object, float, bool, bool, object],
        begun: Dict[int, object],
    ) -> None:
        """Record a step of one up to the end of its first episode, in the types that batches have,
        and what is followed.
        """
        import numpy as np

        observation, reward, terminated, truncated, info = answer
        if not self.over[slot]:
            values = {"action": action, "reward": np.float64(reward)}
            values.update(terminated=np.bool_(terminated), truncated=np.bool_(truncated))
            if slot not in begun:
                values["observation"] = self._observed(slot, observation)
            self._record("step", slot, **values)
        if self.endings is None:
            return
        self.endings.stepped({slot} - set(self.endings.ends))
        if slot in begun:
            how = endings.how(terminated, truncated)
            self.endings.ended(slot, how, lambda: (self._observed(slot, observation), info))
            self.endings.began(slot, lambda: self._observed(slot, begun[slot]))

    def _observed(self, slot: int, observation: object) -> object:
        return batches.as_seen(self.spaces[slot][0], observation)

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker."""
        return self._all("do", "envdoctor_read")

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self._all("do", "envdoctor_raise", name)

    def close(self) -> None:
        """Close each environment, and end the actors."""
        if self.actors:
            self._all("do", "close")
        for actor in self.actors:
            self.ray.kill(actor)
        self.actors = []
