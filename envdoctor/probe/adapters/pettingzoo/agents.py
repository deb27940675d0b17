"""Shared part of both shapes of many agents: actions for each agent out of its own space."""

from __future__ import annotations

import contextlib
import copy
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    Mapping,
    NamedTuple,
    Tuple,
)

from envdoctor.probe.comparison import batches

if TYPE_CHECKING:
    from gymnasium.spaces import Space
    from pettingzoo import ParallelEnv

STREAMS = object()  # what actions are drawn from goes on with its streams over all resets


class AgentDraw(NamedTuple):
    """Space and mask of the next action of one agent; `over` where it is expected to take none."""

    space: object
    mask: object
    over: bool = False


class AgentInfos(Dict[object, object]):
    """The infos of agents, and who is asked next: {agent: Asked}."""

    def __init__(self, infos: object, asked: Mapping[object, AgentDraw]) -> None:
        super().__init__(infos if isinstance(infos, Mapping) else {})
        self.asked = asked


class AgentActions:
    """Draws an action for each agent that is asked, from a copy of its space. `together` where
    all are asked at once.
    """

    source = STREAMS

    def __init__(self, together: bool) -> None:
        self._together = together
        self._seed = 0
        self._copies: Dict[object, Tuple[object, object]] = {}

    def seed(self, seed: int) -> None:
        """Begin all streams anew."""
        self._seed = seed
        self._copies.clear()

    def onto(self, infos: object) -> object:
        """The actions that are asked for: {agent: action}, or the one action."""
        asked = getattr(infos, "asked", {})
        drawn = {agent: self._draw(agent, question) for agent, question in asked.items()}
        return drawn if self._together else next(iter(drawn.values()), None)

    def for_each(
        self, infos: object, observation: object, ask: Callable[[object, object, object], object]
    ) -> object:
        """The actions that are asked for, where `ask` gives one for (agent, space, observation)."""
        asked = getattr(infos, "asked", {})
        actions = {
            agent: None
            if question.over
            else ask(agent, question.space, _seen_by(agent, observation))
            for agent, question in asked.items()
        }
        return actions if self._together else next(iter(actions.values()), None)

    def _draw(self, agent: object, asked: AgentDraw) -> object:
        if asked.over:
            return None
        space = self._copy_of(agent, asked.space)
        for mask in masks_like(asked.mask):
            try:
                return space.sample(mask)
            except Exception:  # a mask of another kind than the space's
                continue
        return space.sample()

    def _copy_of(self, agent: object, space: Space) -> Space:
        """A space of our own; some environments hand out another object each time."""
        known = self._copies.get(agent)
        if known is None or (known[0] is not space and known[0] != space):
            own = copy.deepcopy(space)
            # Each agent has a stream of its own, in any order of agents.
            own.seed(self._seed + len(self._copies))
            known = self._copies[agent] = (space, own)
        return known[1]


def asked_of(
    environment: ParallelEnv, agents: Iterable[object], observations: object, infos: object
) -> Dict[object, AgentDraw]:
    """Draws for agents that act at once, with the masks that they were handed."""
    return {
        agent: AgentDraw(
            environment.action_space(agent), mask_in(part(observations, agent), part(infos, agent))
        )
        for agent in agents
    }


def _seen_by(agent: object, observation: object) -> object:
    """Observation of an agent: its part of a dict by agent, or the observation itself."""
    return observation.get(agent, observation) if isinstance(observation, Mapping) else observation


def part(values: object, agent: object) -> object:
    """Value of one agent; None where there is none."""
    return values.get(agent) if isinstance(values, Mapping) else None


def mask_in(observation: object, info: object) -> object:
    """The mask of legal actions, in the observation or in the info."""
    for place in (observation, info):
        mask = part(place, "action_mask")
        if mask is not None:
            return mask
    return None


def masks_like(mask: object) -> Iterator[object]:
    """A mask as it was handed out, and as Gymnasium's spaces insist on it: many are of bools."""
    if mask is None:
        return
    yield mask
    with contextlib.suppress(Exception):  # of a space with several parts
        import numpy as np

        yield np.asarray(mask, dtype=np.int8)


def spaces_of(environment: ParallelEnv) -> Dict[object, Tuple[object, object]]:
    """{agent: (observation space, action space)} of all agents that are known."""
    agents: Any = getattr(environment, "possible_agents", None)
    agents = agents or getattr(environment, "agents", ())
    return {
        agent: (environment.observation_space(agent), environment.action_space(agent))
        for agent in agents
    }


def seen_by_agent(
    spaces: Mapping[object, Tuple[Space, Space]], observations: Mapping[object, object]
) -> Dict[object, object]:
    """Observations by agent, each as it would come out of a batch."""
    return {
        agent: batches.as_seen(spaces[agent][0], value) for agent, value in observations.items()
    }


class NullAgents:
    """Shared part of both null environments."""

    metadata: Dict[str, object] = {"render_modes": [], "name": "null"}  # noqa: RUF012  their API
    render_mode = None

    def __init__(self, nature: Mapping[object, Tuple[Space, Space]]) -> None:
        self.possible_agents = list(nature)
        self.agents = list(nature)
        self._spaces = copy.deepcopy(dict(nature))

    @property
    def unwrapped(self) -> NullAgents:
        """Itself. AgileRL asks for it."""
        return self

    def observation_space(self, agent: object) -> object:
        """Space of the observations of an agent."""
        return self._spaces[agent][0]

    def action_space(self, agent: object) -> object:
        """Space of the actions of an agent."""
        return self._spaces[agent][1]

    def render(self) -> None:
        """Nothing to see."""

    def close(self) -> None:
        """Nothing to give back."""

    def _seeded(self, seed: object) -> None:
        for observation_space, _ in self._spaces.values():
            if seed is not None:
                observation_space.seed(seed)

    def _sample(self, agent: object) -> object:
        return self._spaces[agent][0].sample()
