"""Driving AgileRL's vector environments: batches by agent, in which one that has left is NaN."""

from __future__ import annotations

import importlib
import importlib.util
from functools import partial
from typing import TYPE_CHECKING, Any, Dict, List, Mapping, Optional, Sequence, Tuple

from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.gymnasium.driving import GymnasiumHost, Outcomes
from envdoctor.probe.adapters.pettingzoo import agents
from envdoctor.probe.comparison import batches, endings
from envdoctor.probe.comparison.asking import Types, answers_to

if TYPE_CHECKING:
    from agilerl.vector import PettingZooVecEnv
    from numpy import ndarray

SINCE = "2.0"
LEFT = float("nan")  # in place of the action of an agent that has left


def missing() -> str:
    """An empty text, or why AgileRL cannot be used here."""
    for package in ("agilerl", "pettingzoo"):
        if importlib.util.find_spec(package) is None:
            return "%s is not installed in this interpreter" % package
    return ""


def enter() -> None:
    """Import the framework, and PyTorch with it."""
    importlib.import_module("agilerl.vector")


class AgileRLHost(GymnasiumHost):
    """An instance resets itself in the step in which the last of its agents is done."""

    def __init__(self, vector: PettingZooVecEnv, seed: int) -> None:
        super().__init__(vector, seed)
        self.agents = list(vector.possible_agents)
        self.observation_spaces = {
            agent: vector.single_observation_space(agent) for agent in self.agents
        }
        self.action_spaces = {agent: vector.single_action_space(agent) for agent in self.agents}
        self.several = self._begin()
        self.agent_infos: List[agents.AgentInfos] = []
        self.present = self._everyone()

    def _begin(self) -> List[Actions]:
        return [_drawing(self.seed + slot) for slot in range(self.instances)]

    def _everyone(self) -> List[List[object]]:
        """The agents of each instance when an episode begins."""
        return [list(self.agents) for _ in range(self.instances)]

    def _reset(self, seed: Optional[int]) -> object:
        if seed is not None:
            self.several = self._begin()
        observations, infos = self.vector.reset(seed=seed)
        self.present = self._everyone()
        self._look(observations, infos, self.present)
        return observations

    def _look(
        self, observations: Mapping[object, object], infos: object, alive: List[List[Any]]
    ) -> None:
        """Note the infos and masks that the next actions of each instance are drawn for."""
        self.agent_infos = []
        for slot, names in enumerate(alive):
            own_infos = endings.of_batch(infos, slot)
            asked = {}
            for agent in names:
                mask = agents.mask_in(self._part(observations, agent, slot), own_infos.get(agent))
                asked[agent] = agents.AgentDraw(self.action_spaces[agent], mask)
            self.agent_infos.append(agents.AgentInfos({}, asked))

    def _step(self, actions: Sequence[Mapping[object, object]]) -> Tuple[object, object, Outcomes]:
        """An instance ends by a truncation where one of its agents is truncated."""
        import numpy as np

        batch = {agent: [each.get(agent, LEFT) for each in actions] for agent in self.agents}
        observations, rewards, terminated, truncated, infos = self.vector.step(batch)
        cuts = self._columns(truncated) == 1
        left = np.isnan(self._columns(rewards))
        done = (self._columns(terminated) == 1) | cuts | left
        ended = done.all(axis=1)
        cut = ended & cuts.any(axis=1)
        self.present = self._without(left)
        begun, alive = self._everyone(), self._without(done)
        acting = [begun[slot] if over else alive[slot] for slot, over in enumerate(ended)]
        self._look(observations, infos, acting)
        self.infos = infos if self.endings is not None else None
        each = [
            {agent: np.float64(rewards[agent][slot]) for agent in names}
            for slot, names in enumerate(self.present)
        ]
        return observations, ended, Outcomes(each, ended & ~cut, cut)

    def _columns(self, values: Mapping[object, object]) -> Any:
        """Values by agent as a table: a row an instance, a column an agent."""
        import numpy as np

        return np.stack([np.asarray(values[agent], float) for agent in self.agents], axis=1)

    def _without(self, gone: ndarray) -> List[List[object]]:
        """The agents of each instance that are not marked in a table."""
        return [[agent for agent, out in zip(self.agents, row) if not out] for row in gone]

    def _begun(self, observations: object, ended: ndarray) -> object:
        """Observations of the next episode: the step has returned them already."""
        for slot in range(self.instances):
            if ended[slot]:
                self.present[slot] = list(self.agents)
        return observations

    def _final(
        self, _observations: object, _infos: object, _slot: int
    ) -> Tuple[object, Dict[str, object]]:
        """Neither is handed on."""
        return endings.NOTHING, {}

    def _draw(self) -> object:
        return [actions.draw(infos) for actions, infos in zip(self.several, self.agent_infos)]

    def _mirrored(self) -> object:
        draws = [draw for infos in self.agent_infos for draw in infos.asked.values()]
        if any(draw.mask is not None for draw in draws):
            raise ValueError("what is legal for one instance may not be for another")
        if any(len(infos.asked) < len(self.agents) for infos in self.agent_infos):
            raise ValueError("an agent of an instance has left")
        self.single.look_at(agents.AgentActions(together=True))
        return [self.single.draw(self.agent_infos[0])] * self.instances

    def _observation(self, observations: Mapping[object, object], slot: int) -> object:
        return {agent: self._part(observations, agent, slot) for agent in self.present[slot]}

    def _part(self, observations: Mapping[object, object], agent: object, slot: int) -> object:
        """Observation of one agent. A number comes as an array of one."""
        part = batches.item(self.observation_spaces[agent], observations[agent], slot)
        shape = getattr(self.observation_spaces[agent], "shape", None)
        return part if shape is None else part.reshape(shape)[()]

    def _action(self, actions: Sequence[object], slot: int) -> object:
        return actions[slot]


def _drawing(seed: int) -> Actions:
    actions = Actions(seed)
    actions.look_at(agents.AgentActions(together=True))
    return actions


def _rewarded(rewards: Mapping[object, object]) -> Dict[object, object]:
    import numpy as np

    return {agent: np.float64(reward) for agent, reward in rewards.items()}


#: What an instance alone answers to an episode, by agent and in the types of batches.
ask = partial(answers_to, types=Types(agents.spaces_of, agents.seen_by_agent, _rewarded))
