"""Environments whose actions nothing can draw, and functions that give them."""

from dataclasses import dataclass
from typing import Optional

import gymnasium


@dataclass
class Say:
    message: str
    volume: Optional[int] = None


@dataclass
class Move:
    x: int


class Talk:
    """Says what it was told; the word `end` ends it."""

    def reset(self, seed=None):
        return "ready", {}

    def step(self, action):
        assert action.islower(), action
        return f"you said {action}", 0.0, action == "end", False, {}

    def close(self):
        pass


class Typed(Talk):
    """Takes objects with one field that says enough."""

    def step(self, action: Say):
        return super().step(action.message)


class Moves(Talk):
    """Takes objects with a number, which may be any."""

    def step(self, action: Move):
        return action.x + 1, 0.0, False, False, {}


class Words(gymnasium.Space):
    """Knows its words, and draws none."""

    def sample(self, mask=None, probability=None):
        raise NotImplementedError("say something")

    def contains(self, x):
        return x in ("go", "end")


class Undrawn(gymnasium.Env):
    """Its space says what is legal."""

    action_space = Words()
    observation_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}

    def step(self, action):
        return 1, 0.0, action == "end", False, {}


def answer(observation, agent, step):
    assert agent is None
    assert ("ready" in observation) == (step == 0)
    return "end" if step == 3 else "more"


def script():
    yield {"message": "one"}
    yield {"message": "end"}


def late(observation, agent, step):
    if step > 12:
        raise KeyError("nothing more to say")
    return "more"


def going(observation, agent, step):
    return "end" if step == 4 else "go"


def turns(observation, player, step):
    assert isinstance(observation, str)
    assert player == step % 2
    return "[4]"


def walk(observation, agent, step):
    """Within the mask that is in the observation; the last walker has no mask."""
    if agent == "cy":
        return [0.5, 0.5]
    return step % 2


def one_only(observation):
    return "go"
