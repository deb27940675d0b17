"""Actions that the user gives in place of drawn ones: one value at each step, or what a function
of the user's says.

A function is called with (observation, agent, step); a generator function is called without
arguments at the beginning of each episode, once for each agent, and begins again where it ends.
What fails here is the user's affair, and never an error of the environment: it is reported as the
reason why the environment cannot be played.
"""

from __future__ import annotations

import copy
import inspect
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional

from envdoctor.model.actions import ACTIONS_FACT, FUNCTION, VALUE, ActionSource, PlayedActions
from envdoctor.model.subject import Subject
from envdoctor.probe.subject import load

HOW = "give one with --action"
MOST_TEXT = 200  # characters of an action that are reported


class Unplayable(Exception):
    """An action that was given cannot be played."""


class _State:
    """The source of the actions of this process, and the first one that was played."""

    source: Optional[ActionSource] = None
    function: Any = None
    failure: str = ""
    actions: Optional[PlayedActions] = None


_reported: List[object] = []


def prepare(subject: Subject, control: bool) -> None:
    """Play from now on what the subject's user gives; where nothing is given, actions are drawn.
    The control sees values that no environment of the user's has shown, so no function is asked
    for it.
    """
    source = subject.action
    _State.source = None if source is None or (control and source.is_function) else source
    _State.function = None
    if _State.source is not None and _State.source.is_function:
        _State.function = _load(subject, _State.source)


def _load(subject: Subject, source: ActionSource) -> object:
    """Load the user's function; None, and a failure, where there is none."""
    try:
        function = load.named(subject, source.module, source.path, source.name, source.directory)
    except load.Unresolved as unresolved:
        failed(shortly(unresolved.cause or unresolved))
        return None
    if inspect.iscoroutinefunction(function):
        failed("it is a coroutine; expected a function")
        return None
    if not callable(function) or inspect.isclass(function):
        failed("it is not a function")
        return None
    if not inspect.isgeneratorfunction(function) and not _takes(function):
        failed("it has to take (observation, agent, step)")
        return None
    return function


def _takes(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind(None, None, 0)
    except TypeError:
        return False
    except ValueError:  # it does not say what it takes
        return True
    return True


def shortly(error: BaseException) -> str:
    """An error in one line."""
    try:
        return "%s: %s" % (type(error).__name__, " ".join(str(error).split())[:300])
    except Exception:  # its __str__ fails, too
        return type(error).__name__


def failed(why: str) -> Unplayable:
    """Remember why nothing can be played, the first time; the error to raise."""
    option = _State.source.option if _State.source is not None else ""
    reason = "%s: %s" % (option, why) if option else why
    _State.failure = _State.failure or reason
    return Unplayable(reason)


def undrawn(error: BaseException) -> Unplayable:
    """Remember that the space draws none, and that no other is known to be in it; the error to
    raise.
    """
    return failed("action_space.sample() raises %s; %s" % (shortly(error).rstrip(": "), HOW))


def are_given() -> bool:
    """Return whether actions are given, and not drawn."""
    return _State.source is not None


def option() -> str:
    """The option that gives them, as the user wrote it; empty where they are drawn."""
    return _State.source.option if _State.source is not None else ""


def note(kind: str, action: object) -> None:
    """Remember the first action of a kind that was played, for the report."""
    if _State.actions is None:
        text = _State.source.text if _State.source is not None else ""
        cls = type(action)
        own = "" if cls.__module__ in ("builtins", "numpy") else cls.__qualname__
        _State.actions = PlayedActions(kind, text, own, _shown(action))


def _shown(action: object) -> str:
    try:
        return " ".join(repr(action).split())[:MOST_TEXT]
    except Exception:  # its __repr__ fails
        return ""


def tell(write: Callable[[str, object], object]) -> None:
    """Hand out what was played and why something could not be, each once: as a key and a value."""
    if _State.actions is not None and PlayedActions not in _reported:
        _reported.append(PlayedActions)
        write(ACTIONS_FACT, _State.actions.as_dict())
    if _State.failure and _State.failure not in _reported:
        _reported.append(_State.failure)
        write("refused", _State.failure)


def reason_of_first_failure(why: str) -> str:
    """The reason, where the very first step() fails at an action that nothing says is legal."""
    first = _State.actions
    if first is None:
        return "it has no action_space, and step() does not take the action 0: %s" % why
    if _State.source is not None:
        return "%s: step() does not take it: %s" % (option(), why)
    return "step() does not take %s: %s; %s" % (first.example, why, HOW)


def failure() -> str:
    """Return why nothing can be played, or nothing."""
    return _State.failure


class GivenActions:
    """The actions of one run of an instance, beginning anew with each episode."""

    def __init__(self) -> None:
        self.observation: object = None  # the last one, where a function wants to see it
        self._step = -1
        self._generators: Dict[object, Iterator[object]] = {}

    def begin(self) -> None:
        """A new episode."""
        self._step = -1
        self._generators.clear()

    def see(self, observation: object) -> None:
        """Keep what was observed last, where a function is asked."""
        self.observation = observation if _State.function is not None else None

    def next(self, space: object, info: object) -> object:
        """The next action: of each agent or row, where the space says so. Raises Unplayable."""
        self._step += 1
        for_each = getattr(space, "for_each", None)
        if for_each is not None:
            return for_each(info, self.observation, self._asked)
        return self._asked(None, space, self.observation)

    def _asked(self, agent: object, space: object, observation: object) -> object:
        source = _State.source
        if _State.failure or source is None:
            raise Unplayable(_State.failure)
        # What step() does to its action is not to be seen by the next one.
        value = (
            self.ask_function(agent, observation)
            if source.is_function
            else copy.deepcopy(source.value)
        )
        action = _fitted(value, space)
        note(FUNCTION if source.is_function else VALUE, action)
        return action

    def ask_function(self, agent: object, observation: object) -> object:
        """Return the action that the user's function gives. Raises Unplayable."""
        function = _State.function
        try:
            if not inspect.isgeneratorfunction(function):
                return function(observation, agent, self._step)
            for _ in range(2):
                if agent not in self._generators:
                    self._generators[agent] = function()
                for action in self._generators[agent]:
                    return action
                del self._generators[agent]
        except (Exception, SystemExit) as error:
            raise failed("it raised %s" % shortly(error)) from error
        raise failed("it gives no action")


def _fitted(value: object, space: object) -> object:
    """The action that a space has for a value. Raises Unplayable where it has none."""
    own = getattr(space, "fit", None)
    try:
        action = own(value) if callable(own) else fitted(value, space)
    except Exception as error:
        raise failed(shortly(error)) from error
    if not _contains(space, action):
        raise failed("%s is not in its action space: %s" % (_shown(action), _shown(space)))
    return action


def _contains(space: object, action: object) -> bool:
    contains = getattr(getattr(space, "whole", space), "contains", None)
    try:
        return bool(contains(action)) if callable(contains) else True
    except Exception:  # a space that cannot tell
        return True


def fitted(value: object, space: object) -> object:
    """A plain value in the types of a space: arrays where it has a dtype, part by part where it has
    parts. What does not fit is left as it is, for the space to refuse: no value is changed.
    """
    parts = getattr(space, "spaces", None)
    if isinstance(parts, Mapping) and isinstance(value, Mapping):
        return {name: fitted(element, parts.get(name)) for name, element in value.items()}
    if isinstance(parts, (list, tuple)) and isinstance(value, (list, tuple)):
        if len(parts) != len(value):
            return copy.deepcopy(value)
        return tuple(fitted(element, part) for element, part in zip(value, parts))
    dtype: Any = getattr(space, "dtype", None)
    if getattr(dtype, "kind", "") not in tuple("biuf") or isinstance(value, (str, Mapping)):
        return copy.deepcopy(value)
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "biuf":
        return value
    if array.dtype.kind == "f" and dtype.kind != "f":
        return array if array.shape else value
    cast = array.astype(dtype)
    if dtype.kind != "f" and not (cast == array).all():
        return array  # a list would be cast by the space itself, and be in it
    return cast if cast.shape else cast[()]
