"""Agents that act at once: PettingZoo's ParallelEnv, and what looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Mapping, Tuple

from envdoctor.probe.adapters.pettingzoo import agents
from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition

if TYPE_CHECKING:
    from gymnasium.spaces import Space
    from pettingzoo import ParallelEnv

HOSTED = "play it under --managers agilerl-async"


class Parallel(Shape):
    """Dicts by agent go in and out; the episode is over when no agent is left."""

    NAME = "pettingzoo-parallel"
    SEEDS_SPACES = True  # its own test insists on one space an agent

    def recognises(self, environment: object) -> bool:
        """By its class, or by spaces that are asked for by agent."""
        return is_instance_of(environment, "pettingzoo", "ParallelEnv") or (
            callable(getattr(environment, "action_space", None))
            and callable(getattr(environment, "observation_space", None))
            and any(hasattr(environment, name) for name in ("possible_agents", "agents"))
        )

    def refuses(self, environment: object) -> str:
        """Refused where it runs several environments: it has batches by agent."""
        if not all(hasattr(environment, name) for name in ("num_envs", "single_action_space")):
            return ""
        return "%s is a vectorizer: name the environment itself, and %s" % (
            type(environment).__name__,
            HOSTED,
        )

    def actions(self, environment: object) -> object:
        """One for each agent that is left."""
        return agents.AgentActions(together=True)

    def reset(self, environment: ParallelEnv, **arguments: object) -> Tuple[object, object]:
        """Begin an episode. Releases before 1.22 return no infos."""
        observations, infos = super().reset(environment, **arguments)
        asked = agents.asked_of(environment, environment.agents, observations, infos)
        return observations, agents.AgentInfos(infos, asked)

    def transition(self, environment: ParallelEnv, action: object) -> Transition:
        """One step of all agents."""
        answer = environment.step(action)
        observations, rewards, terminated = answer[:3]
        truncated, infos = answer[-2] if len(answer) == 5 else {}, answer[-1]
        asked = agents.asked_of(environment, environment.agents, observations, infos)
        over = not environment.agents or _all_over(terminated, truncated)
        cut = over and bool(truncated) and any(truncated.values())
        return observations, rewards, over and not cut, cut, agents.AgentInfos(infos, asked)

    def nature(self, environment: object) -> object:
        """The spaces of its agents."""
        return agents.spaces_of(environment)

    def null(self, nature: Mapping[object, Tuple[Space, Space]]) -> object:
        """As many agents with the same spaces."""
        return NullParallel(nature)


def _all_over(terminated: Mapping[object, bool], truncated: Mapping[object, bool]) -> bool:
    """Return whether each agent is done, in an environment that keeps them all the same."""
    return bool(terminated) and all(
        ended or truncated.get(agent, False) for agent, ended in terminated.items()
    )


class NullParallel(agents.NullAgents):
    """Every episode is endless."""

    def reset(self, seed: object = None, options: object = None) -> Tuple[object, object]:
        """Observations of their spaces."""
        self._seeded(seed)
        self.agents = list(self.possible_agents)
        return self._all(), {agent: {} for agent in self.agents}

    def step(self, actions: object) -> object:
        """Observations of their spaces, without an end."""
        rewards = dict.fromkeys(self.agents, 0.0)
        terminated, truncated = dict.fromkeys(self.agents, False), dict.fromkeys(self.agents, False)
        return self._all(), rewards, terminated, truncated, {agent: {} for agent in self.agents}

    def _all(self) -> Dict[object, object]:
        return {agent: self._sample(agent) for agent in self.agents}


SHAPE = Parallel()
