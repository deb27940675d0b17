"""ray.rllib.env.env_runner_group.EnvRunnerGroup: runners in actors, one instance in each, as an
algorithm with `num_env_runners` has them. The cluster is the probe's own.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional, Sequence

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe import environment_api
from envdoctor.probe.adapters import Host
from envdoctor.probe.adapters.ray_actors import cluster
from envdoctor.probe.adapters.ray_actors.actor import ActorsHost
from envdoctor.probe.adapters.rllib import driving
from envdoctor.probe.comparison import batches, endings

if TYPE_CHECKING:
    from gymnasium.spaces import Space
    from ray.rllib.env.env_runner_group import EnvRunnerGroup

NAME = "rllib-remote"
START_METHODS = ("spawn",)  # its workers are programs of their own
APIS = (environment_api.GYMNASIUM,)
HIDDEN = 0
EXPECTED = (("2.40", {"closes_again": False, "autoreset": "next-step"}),)
SENDS = ("observation", "info", "exception")
ON_REQUEST = True
RESTARTS = "restart_failed_env_runners"
missing = driving.missing


def enter() -> None:
    """Import the framework, and start its cluster."""
    driving.enter()
    importlib.import_module("ray.rllib.env.env_runner_group")
    cluster.begin()


def launch(
    factories: List[Callable[[], object]], start_method: Optional[str], options: LaunchOptions
) -> Host:
    """One actor a factory, without a runner in this process."""
    from ray.rllib.algorithms.algorithm_config import AlgorithmConfig
    from ray.rllib.env.env_runner_group import EnvRunnerGroup
    from ray.tune.registry import register_env

    from envdoctor.probe.adapters.rllib.runner_actor import Factories, Runner

    register_env(driving.REGISTERED, Factories(factories))
    config = AlgorithmConfig().environment(env=driving.REGISTERED)
    config = config.env_runners(
        env_runner_cls=Runner, num_env_runners=len(factories), num_cpus_per_env_runner=0
    )
    restarts = bool(options.get(RESTARTS))
    config = config.fault_tolerance(
        restart_failed_env_runners=restarts, delay_between_env_runner_restarts_s=0
    )
    group = EnvRunnerGroup(config=config, local_env_runner=False)
    return GroupHost(group, len(factories), options.seed)


class Unanswered(Exception):
    """A group returned nothing for a runner: its error was only logged."""


class GroupHost(ActorsHost):
    """A group of runners, asked at once. The instance of an ended episode is reset by the step that
    follows, which is not counted.
    """

    def __init__(self, group: EnvRunnerGroup, number: int, seed: int) -> None:
        self.group = group
        self.seed = seed
        self.actors = list(range(1, number + 1))
        self.single, self.several = self._begin()[0], self._begin()
        self.over = [False] * number
        self.waiting = [False] * number  # whether the next step begins an episode
        self.spaces: List[Sequence[Space]] = []
        cluster.listed(self._all("process"))

    def _all(self, method: str, *arguments: object, **named: object) -> List[Any]:
        """Answers of all runners to the call of a method. Raises Unanswered if one is missing."""
        answers = self.group.foreach_env_runner(method, kwargs=named, local_env_runner=False)
        if len(answers) < self.instances:
            lost = self.instances - len(answers)
            raise Unanswered("%d of %d runners did not answer" % (lost, self.instances))
        return list(answers)

    def reset(self, seed: Optional[int]) -> None:
        """Reset all. With a seed each gets its own, and actions begin anew, too."""
        seeds = None if seed is None else [seed + slot for slot in range(self.instances)]
        if seed is not None:
            self.several = self._begin()
        answers = self._all("reset_instance", seeds=seeds)
        self.spaces = [spaces for _, *spaces in answers]
        self.over = [False] * self.instances
        self.waiting = [False] * self.instances
        for slot, (observations, _, actions) in enumerate(answers):
            self.several[slot].look_at(actions)
            named = {} if seeds is None else {"seed": seeds[slot]}
            self._record("reset", slot, observation=self._first(slot, observations), **named)

    def _play(self, actions: List[object]) -> None:
        for slot, returned in enumerate(self._all("step_instance", actions=actions)):
            for answer in returned:
                if self.waiting[slot]:
                    self.waiting[slot] = False
                    self._began(slot, answer[0])
                else:
                    self._stepped(slot, actions[slot], answer)

    def _began(self, slot: int, observations: object) -> None:
        if self.endings is not None:
            self.endings.began(slot, lambda: self._first(slot, observations))

    def _stepped(self, slot: int, action: object, answer: Any) -> None:
        """Record a step up to the end of the first episode, and what is followed."""
        observations, rewards, terminated, truncated, infos = answer
        ended = bool(terminated[0] or truncated[0])
        if not self.over[slot]:
            values = {"action": action, "reward": rewards[0]}
            values.update(terminated=terminated[0], truncated=truncated[0])
            if not ended:
                values["observation"] = self._first(slot, observations)
            self._record("step", slot, **values)
        self.over[slot] = self.over[slot] or ended
        self.waiting[slot] = ended
        if self.endings is None:
            return
        self.endings.stepped({slot} - set(self.endings.ends))
        if ended:
            how = endings.how(terminated[0], truncated[0])
            final = self._first(slot, observations), dict(infos[0])
            self.endings.ended(slot, how, lambda: final)

    def _first(self, slot: int, observations: object) -> object:
        """Of a batch of one, what it has."""
        return batches.item(self.spaces[slot][0], observations, 0)

    def read_workers(self) -> List[Dict[str, object]]:
        """Meters of each worker."""
        return self._all("read")

    def fail(self, name: str) -> None:
        """Raise in every worker."""
        self._all("fail", name=name)

    def close(self) -> None:
        """Stop the group: each runner closes its vector environment, and its actor ends."""
        self.group.stop()
