"""Environments of tools, as TRL's `environment_factory` makes them: reset(), methods that a model
calls, and no step(). Nothing calls a close(): a public one is a tool, too.
"""

from __future__ import annotations

import inspect
import random
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Tuple, Union

from envdoctor.model.actions import TOOLS
from envdoctor.probe import given_actions
from envdoctor.probe.adapters.texts.words import STREAM, NullGame
from envdoctor.probe.frameworks.shapes import Shape, Transition, required
from envdoctor.probe.wrappers import bare

#: Methods of other kinds of environments, and what ends one: no tool that we call.
OTHERS = ("reset", "step", "close", "render", "seed")
NUMBERS, WORDS, LETTERS = 10, ("a", "one", "file.txt", "[1]", "1 + 1"), 3


class Tools(Shape):
    """A step is one call of a tool, with arguments of the types that it names. Its errors are the
    model's to read, as TRL hands them on.
    """

    NAME = "tools"
    CLOSES = False

    def recognises(self, environment: object) -> bool:
        """By its methods: a reset(), no step(), and at least one that is documented."""
        return (
            callable(getattr(environment, "reset", None))
            and not hasattr(environment, "step")
            and any(_documented(environment, name) for name in _public(environment))
        )

    def refuses(self, environment: Any) -> str:
        """Refused where reset() insists on something, or no tool says which arguments it takes."""
        needed = [name for name in required(environment.reset) if name != "seed"]
        if needed:
            names = " and ".join(needed)
            return "reset() insists on %s, and what to give it is not known" % names
        if not _drawn(environment):
            return "none of its tools says of which types its arguments are"
        return ""

    def seeds(self, environment: Any) -> bool:
        """Return whether reset() names a seed."""
        return "seed" in inspect.signature(environment.reset).parameters

    def actions(self, environment: object) -> object:
        """Calls of its tools."""
        return ToolCalls(_drawn(environment))

    def reset(self, environment: Any, **arguments: object) -> Tuple[object, object]:
        """Begin an episode; what it returns is a text for the model, or nothing."""
        return environment.reset(**arguments), {}

    def transition(self, environment: object, action: Any) -> Transition:
        """One call. What it raises is what it returned, as for a model."""
        name, arguments = action
        tool = getattr(environment, name)
        try:
            answer = tool(**arguments)
        except Exception as error:
            answer = {"error": str(error)}
        return answer, None, False, False, {}

    def nature(self, environment: object) -> object:
        """Nothing is needed."""
        return ()

    def null(self, nature: object) -> object:
        """One with a tool that does nothing."""
        return NullTools()


class ToolCall(NamedTuple):
    """A call of a tool."""

    name: str
    arguments: Dict[str, object]

    def __repr__(self) -> str:
        arguments = ("%s=%r" % argument for argument in self.arguments.items())
        return "%s(%s)" % (self.name, ", ".join(arguments))


class ToolCalls:
    """Draws calls from a stream of its own."""

    source = STREAM

    def __init__(self, tools: Mapping[str, Mapping[str, object]]) -> None:
        self._tools = {name: dict(kinds) for name, kinds in sorted(tools.items())}
        self._random = random.Random(0)  # noqa: S311

    def contains(self, action: object) -> bool:
        """Return whether it is a call of one of them."""
        return isinstance(action, tuple) and action[0] in self._tools

    def __repr__(self) -> str:
        return "a call of %s" % " or ".join(self._tools)

    def seed(self, seed: int) -> None:
        """Begin the stream anew."""
        self._random.seed(seed)

    def sample(self, *_mask: object) -> ToolCall:
        """One call."""
        name = self._random.choice(list(self._tools))
        call = ToolCall(name, {key: self._value(kind) for key, kind in self._tools[name].items()})
        given_actions.note(TOOLS, call)
        return call

    def _value(self, kind: Any) -> object:
        if kind is bool:
            return self._random.random() < 0.5
        if kind in (int, float):
            return kind(self._random.randrange(NUMBERS))
        if kind is str:
            return self._random.choice(WORDS)
        return [self._value(kind[0]) for _ in range(self._random.randrange(LETTERS))]


def _public(environment: object) -> List[str]:
    """The methods that its own classes define for others, as TRL lists them."""
    return sorted(
        name
        for name, value in inspect.getmembers(_class_of(environment), inspect.isfunction)
        if not name.startswith("_") and name not in OTHERS
    )


def _documented(environment: object, name: str) -> bool:
    return bool(getattr(getattr(_class_of(environment), name), "__doc__", None))


def _class_of(environment: object) -> object:
    return type(bare(environment))


def _drawn(environment: object) -> Dict[str, Dict[str, object]]:
    """The tools of which all arguments that they insist on can be drawn, with their types."""
    tools = {}
    for name in _public(environment):
        function = getattr(_class_of(environment), name)
        try:
            hints = _hints(function)
        except Exception:  # a name in it that does not exist here
            continue
        kinds = {key: _kind(hints.get(key)) for key in required(function)[1:]}
        if all(kinds.values()):
            tools[name] = kinds
    return tools


def _hints(function: object) -> Mapping[str, object]:
    from typing import get_type_hints

    return get_type_hints(function)


def _kind(hint: Any) -> object:
    """The type that is drawn for a hint: a plain one, or a tuple of the one that a list holds."""
    if hint in (str, int, float, bool):
        return hint
    origin, inside = getattr(hint, "__origin__", None), getattr(hint, "__args__", ())
    if origin is list and inside and inside[0] in (str, int, float, bool):
        return (inside[0],)
    if _is_union(hint, origin):
        return next((kind for kind in map(_kind, hint.__args__) if kind), None)
    return None


def _is_union(hint: object, origin: object) -> bool:
    newer = sys.version_info >= (3, 10) and type(hint).__name__ == "UnionType"
    return origin is Union or newer


class NullTools(NullGame):
    """Answers the same for ever."""

    def reset(self, **_row: object) -> str:
        """A text."""
        return "say something"

    def say(self, text: str) -> str:
        """Say something.

        Args:
            text: what is said.
        """
        return "go on"


SHAPE = Tools()
