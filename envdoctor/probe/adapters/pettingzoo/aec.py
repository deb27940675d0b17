"""Agents that act one after the other: PettingZoo's AECEnv, and what looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Mapping, Tuple

from envdoctor.probe.adapters.pettingzoo import agents
from envdoctor.probe.adapters.pettingzoo.agents import AgentDraw, AgentInfos
from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition

if TYPE_CHECKING:
    from gymnasium.spaces import Space
    from pettingzoo import AECEnv

METHODS = ("action_space", "observation_space", "observe", "last")


class AgentByAgent(Shape):
    """step() returns nothing: what it did is asked for with last(), which asks observe(). An agent
    that is over takes the action None once, and is gone.
    """

    NAME = "pettingzoo-aec"
    SEEDS_SPACES = True  # its own test insists on one space an agent

    def recognises(self, environment: object) -> bool:
        """By its class, or by the methods that only it has."""
        return is_instance_of(environment, "pettingzoo", "AECEnv") or all(
            callable(getattr(environment, name, None)) for name in METHODS
        )

    def actions(self, environment: object) -> object:
        """One for the agent whose turn it is."""
        return agents.AgentActions(together=False)

    def reset(self, environment: AECEnv, **arguments: object) -> Tuple[object, object]:
        """Begin an episode."""
        environment.reset(**arguments)
        observation, _, _, _, infos = self._last(environment)
        return observation, infos

    def transition(self, environment: AECEnv, action: object) -> Transition:
        """One step of the agent whose turn it is, and what the next one sees."""
        agent = environment.agent_selection
        cut = bool(environment.truncations.get(agent, False))
        environment.step(action)
        if not environment.agents:
            return {}, {}, not cut, cut, AgentInfos({}, {})
        return self._last(environment)

    def _last(self, environment: AECEnv) -> Transition:
        agent = environment.agent_selection
        observation, reward, terminated, truncated, info = environment.last()
        mask = agents.mask_in(observation, info)
        asked = AgentDraw(environment.action_space(agent), mask, bool(terminated or truncated))
        # Other agents may go on.
        return {agent: observation}, {agent: reward}, False, False, AgentInfos(info, {agent: asked})

    def nature(self, environment: object) -> object:
        """The spaces of its agents."""
        return agents.spaces_of(environment)

    def null(self, nature: Mapping[object, Tuple[Space, Space]]) -> object:
        """As many agents with the same spaces."""
        return NullAgentByAgent(nature)


class NullAgentByAgent(agents.NullAgents):
    """Every episode is endless."""

    def reset(self, seed: object = None, options: object = None) -> None:
        """The first agent's turn."""
        self._seeded(seed)
        self.agents = list(self.possible_agents)
        self.agent_selection = self.agents[0]
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.infos: Dict[object, object] = {agent: {} for agent in self.agents}

    def observe(self, agent: object) -> object:
        """A sample of its space."""
        return self._sample(agent)

    def last(self, observe: bool = True) -> object:
        """Observation, reward, flags and info of the agent whose turn it is."""
        agent = self.agent_selection
        observation = self.observe(agent) if observe else None
        return observation, 0.0, False, False, self.infos[agent]

    def step(self, action: object) -> None:
        """The next agent's turn."""
        index = self.agents.index(self.agent_selection) + 1
        self.agent_selection = self.agents[index % len(self.agents)]


SHAPE = AgentByAgent()
