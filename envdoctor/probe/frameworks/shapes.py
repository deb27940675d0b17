"""Environment APIs that are not one instance with reset() and step() of Gymnasium's kind: vector
environments, many agents, TimeSteps, texts. One file a shape.

A shape is recognised by what an object is, never by its name or a setting. It says how an episode
is begun and stepped, what actions are drawn from, and how a null environment of its kind is made.
What no shape recognises, and cannot be played as a single environment either, is refused with its
reason.
"""

from __future__ import annotations

import importlib
import inspect
import weakref
from functools import lru_cache
from typing import Any, Callable, Dict, List, Optional, Tuple

from envdoctor.probe.frameworks import names
from envdoctor.probe.wrappers import bare

#: The shapes of our own, in the order in which they are asked.
OWN_SHAPES = (
    "gymnasium.vector",
    "pettingzoo.aec",
    "pettingzoo.parallel",
    "dm_env.single",
    "texts.textarena",
    "texts.gem",
    "texts.conversations",
    "openenv.environment",
    "texts.tools",
)

Transition = Tuple[object, object, bool, bool, object]

#: What reset() may insist on: the doctor knows what to say.
OFFERED = ("seed", "options")


class Shape:
    """One environment API. `NAME` is what its profile calls it. `WITHIN` is true where its
    environments may be single ones by their class, too, `GUESSES` where no environment says which
    actions are legal. `CLOSES` is false where nothing calls a close(), `ONCE` is true where an
    instance has one episode, and its next one a new instance. `SEEDS_SPACES` is true where its
    users seed its action spaces.
    """

    NAME = ""
    WITHIN = False
    GUESSES = False
    CLOSES = True
    ONCE = False
    SEEDS_SPACES = False

    def recognises(self, environment: object) -> bool:
        """Return whether an object follows this API. Calls nothing of it."""
        raise NotImplementedError

    def refuses(self, environment: object) -> str:
        """Reason that this one cannot be played, or an empty text."""
        return ""

    def seeds(self, environment: object) -> bool:
        """Return whether the seed that its reset() takes, if it takes one, has a meaning."""
        return True

    def host(self) -> Any:
        """Class that drives it alone, where it has more than one episode at a time; else None."""
        return None

    def actions(self, environment: object) -> object:
        """Source of its actions: an object as `Actions` takes it."""
        return getattr(environment, "action_space", None)

    def reset(self, environment: Any, **arguments: object) -> Tuple[object, object]:
        """Begin an episode; (observation, what the next actions are drawn for)."""
        answer = environment.reset(**arguments)
        if isinstance(answer, tuple) and len(answer) == 2:
            return answer
        return answer, {}

    def transition(self, environment: object, action: object) -> Transition:
        """One step; (observation, reward, terminated, truncated, what the next actions are
        drawn for).
        """
        raise NotImplementedError

    def factory_in(self, target: object) -> object:
        """Factory of environments of this shape, where an object that serves them was named; else
        None.
        """
        return None

    def nature(self, environment: object) -> object:
        """Values that a null environment of this shape is made with. They pickle."""
        raise NotImplementedError

    def null(self, nature: Any) -> object:
        """An environment of this shape that does nothing."""
        raise NotImplementedError

    def traced(self, environment: object, log: object) -> object:
        """The environment with its calls journalled, where they have other names than reset() and
        step(); else None.
        """
        return None


@lru_cache(maxsize=None)
def known() -> Tuple[Shape, ...]:
    """Every shape, in the order in which they are asked."""
    modules = [importlib.import_module("envdoctor.probe.adapters.%s" % name) for name in OWN_SHAPES]
    return tuple(module.SHAPE for module in modules)


class _LastSingle:
    """The class of the last object that was seen to be a single environment: that is asked at each
    step, and CartPole's takes as long. One class, and only as long as it lives.
    """

    kind: Callable[[], Optional[type]] = staticmethod(lambda: None)


def of(environment: object) -> Optional[Shape]:
    """The shape of an object, traced or not; None for a single environment, and for what is not
    known.
    """
    inner = bare(environment)
    kind = type(inner)
    if _LastSingle.kind() is kind:
        return None
    single = any(names.is_instance_of(inner, *base) for base in names.SINGLE)
    try:
        for shape in known():
            if (shape.WITHIN or not single) and shape.recognises(inner):
                return shape
        if single and inner.__class__ is kind:  # a proxy may have the class of what it stands for
            _LastSingle.kind = weakref.ref(kind)
    except Exception:  # an attribute that fails at being asked for
        return None
    return None


def factory_in(target: object) -> object:
    """Factory of the environments that an object serves; None where it serves none."""
    factories = (shape.factory_in(target) for shape in known())
    return next((factory for factory in factories if factory is not None), None)


def named(name: str) -> Shape:
    """The shape of that name."""
    return next(shape for shape in known() if name == shape.NAME)


def single_refused(environment: object) -> str:
    """Reason that an object without a known API cannot be played as a single environment, or an
    empty text. Only signatures are read.
    """
    try:
        return _why_refused(environment)
    except Exception:  # an attribute that fails at being asked for
        return ""


def _why_refused(environment: Any) -> str:
    for method in ("reset", "step"):
        function = getattr(environment, method)
        if inspect.isasyncgenfunction(function):
            return "its %s() is an asynchronous generator, and only coroutines are played" % method
    if isinstance(getattr(environment, "num_envs", None), int):
        return "it is a batch of environments (it has num_envs) of a class that is not known"
    needed = [name for name in required(environment.reset) if name not in OFFERED]
    if needed:
        return "reset() insists on %s, and what to give it is not known" % " and ".join(needed)
    needed = required(environment.step)
    if len(needed) > 1:
        return "step() insists on %s, and only one action is known" % " and ".join(needed)
    if not _takes_one(environment.step):
        return "step() takes no action"
    return ""


def required(function: Callable[..., object]) -> List[str]:
    """Parameters without a default; none where they are not known."""
    return [
        parameter.name
        for parameter in _parameters(function).values()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def _takes_one(function: Callable[..., object]) -> bool:
    """Return whether a function can be called with one positional argument, as far as it says."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True


def _parameters(function: Callable[..., object]) -> Dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}
