"""Games of words with the calls of a single environment: gem's, and what looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Tuple

from envdoctor.probe.adapters.texts.words import NullGame, Words
from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition

if TYPE_CHECKING:
    from gem import Env


class Game(Shape):
    """It has no spaces: texts go in and out."""

    NAME = "gem"

    def recognises(self, environment: object) -> bool:
        """By its class, or by its way to offer actions."""
        return is_instance_of(environment, "gem", "Env") or (
            callable(getattr(environment, "sample_random_action", None))
            and not hasattr(environment, "action_space")
        )

    def actions(self, environment: object) -> object:
        """Texts of our own: its own samples are drawn from generators that all code shares."""
        return Words()

    def transition(self, environment: Env, action: object) -> Transition:
        """One step."""
        observation, reward, terminated, truncated, info = environment.step(action)
        return observation, reward, bool(terminated), bool(truncated), info

    def nature(self, environment: object) -> object:
        """Nothing is needed."""
        return ()

    def null(self, nature: object) -> object:
        """One without a task."""
        return NullSinglePlayer()


class NullSinglePlayer(NullGame):
    """Every game is endless."""

    def reset(self, seed: object = None) -> Tuple[str, object]:
        """A text."""
        return "say something", {}

    def step(self, action: str) -> object:
        """A text."""
        return "go on", 0.0, False, False, {}

    def sample_random_action(self) -> str:
        """Text that it would choose itself."""
        return "nothing"


SHAPE = Game()
