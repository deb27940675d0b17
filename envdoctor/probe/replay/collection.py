"""The loop that collects transitions: the subject, driven as a trainer drives it, step after
step.
"""

from __future__ import annotations

from typing import Any, Callable

from envdoctor.probe import environment_api
from envdoctor.probe.actions import Actions
from envdoctor.probe.growth.cycles import seed_everything
from envdoctor.probe.replay.storages import Transition

# Steps of an episode; one that goes on is cut there, so that readings lie between episodes.
LONGEST = 200


class Walk:
    """Steps of one instance. `take` makes of an observation what the loop holds on to between
    two steps.
    """

    def __init__(self, environment: object, seed: int) -> None:
        seed_everything(seed)
        self.environment = environment
        self.seed = seed
        self.actions = Actions(seed)
        self.number = 0
        self.episode = -1
        self.length = 0
        self.longest = 1  # steps of an episode so far
        self.ended = True
        self.info: object = None
        self.observation: object = None

    def begin(self, take: Callable[[object], object]) -> None:
        """A new episode."""
        observation, self.info = environment_api.reset(
            self.environment, self.seed if self.episode < 0 else None, self.environment
        )
        self.observation = take(observation)
        self.actions.see(observation)
        self.actions.look_at(environment_api.action_space(self.environment))
        self.episode, self.length, self.ended = self.episode + 1, 0, False

    def next(self, take: Callable[[object], object], last: bool = False) -> Transition:
        """One transition; a new episode first where the last one ended. The `last` one of a
        stretch ends its episode.
        """
        if self.ended:
            self.begin(take)
        action = self.actions.draw(self.info)
        observation, reward, terminated, truncated, self.info = environment_api.transition(
            self.environment, action
        )
        self.length += 1
        self.longest = max(self.longest, self.length)
        truncated = truncated or last or self.length >= LONGEST
        kept = take(observation)
        self.actions.see(observation)
        transition = Transition(
            self.number,
            self.episode,
            self.observation,
            action,
            _number(reward),
            kept,
            terminated,
            truncated,
        )
        self.number, self.observation, self.ended = self.number + 1, kept, terminated or truncated
        return transition

    def forget(self) -> None:
        """Hold no observation any more: after the end of an episode, nothing of it."""
        self.observation = self.info = None
        self.ended = True


def _number(reward: Any) -> float:
    try:
        return float(reward)
    except (TypeError, ValueError):  # none, or one for each of several goals
        return 0.0
