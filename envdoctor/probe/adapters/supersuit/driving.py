"""Driving SuperSuit's vector environments: an instance has one row for each of its agents."""

from __future__ import annotations

import importlib
import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.gymnasium.driving import Outcomes, VectorHost
from envdoctor.probe.adapters.pettingzoo import agents
from envdoctor.probe.adapters.supersuit import copies
from envdoctor.probe.comparison import batches
from envdoctor.probe.comparison.asking import Types, answers_to

if TYPE_CHECKING:
    from gymnasium.vector import VectorEnv
    from numpy import ndarray

SINCE = "3.9"
TERMINAL = "terminal_observation"  # in the infos of an ended episode


def missing() -> str:
    """An empty text, or why SuperSuit cannot be used here."""
    for package in ("supersuit", "pettingzoo"):
        if importlib.util.find_spec(package) is None:
            return "%s is not installed in this interpreter" % package
    return ""


def enter() -> None:
    """Import the framework."""
    importlib.import_module("supersuit")


def launched(
    factories: List[Callable[[], object]], options: LaunchOptions, processors: int
) -> "SuperSuitHost":
    """Copies of one environment, one a factory."""
    from supersuit import concat_vec_envs_v1, pettingzoo_env_to_vec_env_v1

    original = copies.original(factories)  # type: ignore[arg-type]
    rows = pettingzoo_env_to_vec_env_v1(original)
    vector = concat_vec_envs_v1(rows, len(factories), processors, base_class="gymnasium")
    return SuperSuitHost(vector, list(original.possible_agents), options.seed)


class SuperSuitHost(VectorHost):
    """All agents of all instances in rows. An episode ends when each agent is done, and begins
    anew in the same step.
    """

    def __init__(self, vector: VectorEnv, names: List[object], seed: int) -> None:
        super().__init__(vector, seed)
        self.agents = names
        self.space = vector.observation_space  # of one agent: all of them have the same
        self.several = self._begin()
        self.agent_infos: List[agents.AgentInfos] = []

    @property
    def instances(self) -> int:
        """Number of instances that it runs."""
        return int(self.vector.num_envs) // len(self.agents)

    def _begin(self) -> List[Actions]:
        return [_drawing(self.seed + slot) for slot in range(self.instances)]

    def _reset(self, seed: Optional[int]) -> object:
        if seed is not None:
            self.several = self._begin()
        observations, infos = self.vector.reset(seed=seed)
        self._look(observations, infos)
        return observations

    def _look(self, observations: object, infos: Sequence[Mapping[str, object]]) -> None:
        """Note what the next actions of each instance are drawn for. A reset in workers returns
        infos in another form, in which no mask is looked for.
        """
        self.agent_infos = [
            agents.AgentInfos(
                {}, {agent: self._asked(observations, infos, row) for agent, row in rows}
            )
            for rows in map(self._rows, range(self.instances))
        ]

    def _asked(
        self, observations: object, infos: Sequence[Mapping[str, object]], row: int
    ) -> agents.AgentDraw:
        observation = batches.item(self.space, observations, row)
        info = infos[row] if len(infos) == self.vector.num_envs else None
        return agents.AgentDraw(self.vector.action_space, agents.mask_in(observation, info))

    def _rows(self, slot: int) -> List[Tuple[object, int]]:
        """The agents of an instance, and their rows."""
        first = slot * len(self.agents)
        return list(zip(self.agents, range(first, first + len(self.agents))))

    def _step(self, actions: Sequence[Mapping[object, object]]) -> Tuple[object, object, Outcomes]:
        """An instance ends by a truncation where one of its agents is truncated."""
        drawn = [each[agent] for each in actions for agent in self.agents]
        batch = batches.batch(self.vector.action_space, drawn)
        observations, rewards, terminated, truncated, infos = self.vector.step(batch)
        shape = (self.instances, len(self.agents))
        terminated = terminated.astype(bool).reshape(shape)
        truncated = truncated.astype(bool).reshape(shape)
        ended = (terminated | truncated).all(axis=1)
        cut = ended & truncated.any(axis=1)
        self._look(observations, infos)
        self.infos = infos if self.endings is not None else None
        each = [_by_agent(self._rows(slot), rewards) for slot in range(self.instances)]
        return observations, ended, Outcomes(each, ended & ~cut, cut)

    def _begun(self, observations: object, _ended: object) -> object:
        return observations

    def _final(
        self, _observations: object, infos: Sequence[Mapping[str, object]], slot: int
    ) -> Tuple[object, Mapping[object, object]]:
        """They are in the infos, beside those of the reset that followed."""
        own = {agent: dict(infos[row]) for agent, row in self._rows(slot)}
        final = {agent: batches.as_seen(self.space, own[agent].pop(TERMINAL)) for agent in own}
        return final, own

    def _draw(self) -> object:
        return [actions.draw(infos) for actions, infos in zip(self.several, self.agent_infos)]

    def _mirrored(self) -> object:
        draws = [draw for infos in self.agent_infos for draw in infos.asked.values()]
        if any(draw.mask is not None for draw in draws):
            raise ValueError("what is legal for one instance may not be for another")
        self.single.look_at(agents.AgentActions(together=True))
        return [self.single.draw(self.agent_infos[0])] * self.instances

    def _observation(self, observations: object, slot: int) -> object:
        return {
            agent: batches.item(self.space, observations, row) for agent, row in self._rows(slot)
        }

    def _action(self, actions: Sequence[object], slot: int) -> object:
        return actions[slot]


def _drawing(seed: int) -> Actions:
    actions = Actions(seed)
    actions.look_at(agents.AgentActions(together=True))
    return actions


def _by_agent(rows: List[Tuple[object, int]], values: ndarray) -> Dict[object, object]:
    return {agent: values[row] for agent, row in rows}


def _rewarded(rewards: Mapping[object, object]) -> Dict[object, object]:
    import numpy as np

    return {agent: np.float32(reward) for agent, reward in rewards.items()}


#: What an instance alone answers to an episode, by agent and in the types of rows.
ask = partial(answers_to, types=Types(agents.spaces_of, agents.seen_by_agent, _rewarded))
