"""Conversations of SkyRL's kind: init() begins one with its prompt, and each instance has one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Tuple

from envdoctor.probe.adapters.texts.words import NullGame, Words
from envdoctor.probe.frameworks.names import is_instance_of
from envdoctor.probe.frameworks.shapes import Shape, Transition, required
from envdoctor.probe.tracing.traced import TracedObject

if TYPE_CHECKING:
    from skyrl_gym import Env

ANSWER = ("observations", "reward", "done")  # what step() returns, by name

#: What a conversation begins with, as a trainer takes it from a dataset.
PROMPT = ({"role": "user", "content": "hello"},)


class Conversation(Shape):
    """Its trainer makes a new instance for each conversation, so none is begun twice."""

    NAME = "skyrl"
    ONCE = True

    def recognises(self, environment: object) -> bool:
        """By its class, or by an init() in place of reset()."""
        return is_instance_of(environment, "skyrl_gym", "Env") or (
            all(callable(getattr(environment, name, None)) for name in ("init", "step"))
            and not hasattr(environment, "reset")
        )

    def refuses(self, environment: Env) -> str:
        """Refused where init() insists on more than the prompt."""
        needed = required(environment.init)[1:]
        return (
            "init() insists on %s, and what to give it is not known" % " and ".join(needed)
            if needed
            else ""
        )

    def seeds(self, environment: object) -> bool:
        """A prompt is all that there is."""
        return False

    def actions(self, environment: object) -> object:
        """Texts of our own."""
        return Words()

    def reset(self, environment: Env, **arguments: object) -> Tuple[object, object]:
        """Begin it."""
        prompt: List[Dict[str, str]] = [dict(message) for message in PROMPT]
        observation, info = environment.init(prompt)
        return observation, info

    def transition(self, environment: Env, action: object) -> Transition:
        """One step. The environment answers with messages."""
        answer = environment.step(action)
        observations, reward, over = (answer[name] for name in ANSWER)
        return observations, reward, bool(over), False, {}

    def nature(self, environment: object) -> object:
        """Nothing is needed."""
        return ()

    def null(self, nature: object) -> object:
        """One without a task."""
        return NullConversation()

    def traced(self, environment: object, log: object) -> object:
        """With its init() as the reset() of others."""
        return TracedConversation(environment, log)


class TracedConversation(TracedObject):
    """Journals init() as it journals reset()."""

    def init(self, *args: object, **kwargs: object) -> object:
        """The environment's init, journalled."""
        before = self._envdoctor_log.random_states(self.env)
        try:
            result = self.env.init(*args, **kwargs)
        except BaseException as error:
            self._envdoctor_log.raised("reset-raised", error)
            raise
        self._envdoctor_log.reset(self.env, before)
        return result


class NullConversation(NullGame):
    """A conversation without an end."""

    def init(self, prompt: object) -> Tuple[object, object]:
        """The prompt."""
        return prompt, {}

    def step(self, action: str) -> Dict[str, object]:
        """A text."""
        observations = [{"role": "user", "content": "go on"}]
        return {"observations": observations, "reward": 0.0, "done": False, "metadata": {}}


SHAPE = Conversation()
