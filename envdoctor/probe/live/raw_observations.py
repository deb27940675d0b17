"""Policies that learned from normalized observations, and that a line of the script gives those of
an environment as they are. No code of the user's runs for it.
"""

from __future__ import annotations

import functools
import sys
import weakref
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Callable, Dict, List, Optional, Protocol, Set, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.live.builtins_replaced import FILE
from envdoctor.probe.live.counted import preceded, replace_method
from envdoctor.probe.ownership import frame_of

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

ASSIGNED = "envdoctor.probe.live.missing_keys"
ENOUGH = 20  # observations that lines of the script give a policy, before it is looked at
HOSTED = "envs"  # where vectorizers without workers have their instances
PREDICTS, SAVES, NORMALIZES = "predicts", "saves", "normalizes"  # what methods do
UNKNOWN = ("", "")
Training = Tuple[str, str]  # the classes of what normalized, and of the environment


class PlayedPolicies(Protocol):
    """A process in which policies are played."""

    hook: Hook

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""

    def is_users(self, file: str) -> bool:
        """Return whether a file is the user's."""


class PlayedPolicy(weakref.ref):  # type: ignore[type-arg]
    """A policy, with the number of observations that lines of the script gave it."""

    __slots__ = ("number",)
    number: int


class Policies:
    """Policies of a framework in this process. `normalizer` is the attribute of a policy that has
    the vectorizer which normalizes for it, `normalizes` that of this one which says so, `steps`
    that of a policy with the steps that it learned from, `by_hand` the method that a script calls
    itself, and `plain` are classes that hand observations on as they are.
    """

    def __init__(
        self, normalizer: str, normalizes: str, steps: str, by_hand: str, *plain: str
    ) -> None:
        self.normalizer, self.normalizes, self.steps = normalizer, normalizes, steps
        self.by_hand, self.plain = by_hand, plain
        self.counted: Dict[int, PlayedPolicy] = {}
        self.saved: Dict[Tuple[str, object], Set[Training]] = {}
        self.is_normalized_by_hand = False

    def training(self, policy: object) -> Training:
        """The classes of what normalizes for a policy, and of its environments."""
        vectorizer = loaded.own(policy, self.normalizer)
        if loaded.own(vectorizer, self.normalizes) is not True:
            return UNKNOWN
        return type(vectorizer).__name__, _layers(vectorizer)[-1]

    def kind(self, policy: object) -> Tuple[str, object]:
        """Its class and steps: a policy that was saved, and is loaded, has the same."""
        return type(policy).__name__, loaded.own(policy, self.steps)


Method = Callable[[PlayedPolicies, Policies, object, object], None]
_known: Dict[Tuple[str, ...], Policies] = {}


def follow_policies(watched: PlayedPolicies, hooks: object, module: ModuleType) -> None:
    """Have the lines journaled that give policies observations which are not normalized."""
    calls: Dict[str, Method] = {PREDICTS: _predicts, SAVES: _saves, NORMALIZES: _normalizes}
    names = getattr(hooks, "POLICY_NAMES", ())
    for method, what in getattr(hooks, "POLICIES", {}).get(module.__name__, ()):
        policies = _known.setdefault(names, Policies(*names))
        replace_method(
            module, method, preceded, functools.partial(_call, watched, policies, calls[what])
        )


def _call(
    watched: PlayedPolicies,
    policies: Policies,
    call: Method,
    obj: object,
    argument: object = None,
    *_args: object,
    **_named: object,
) -> None:
    """A method is called of an object. Nothing of ours reaches the user."""
    try:
        call(watched, policies, obj, argument)
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def _normalizes(watched: PlayedPolicies, policies: Policies, *_: object) -> None:
    """Observations are normalized: by a line of the script, or by the vectorizer."""
    if not policies.is_normalized_by_hand:
        policies.is_normalized_by_hand = _script(watched) is not None


def _saves(_: PlayedPolicies, policies: Policies, policy: object, __: object) -> None:
    """A policy is saved."""
    policies.saved.setdefault(policies.kind(policy), set()).add(policies.training(policy))


def _predicts(
    watched: PlayedPolicies, policies: Policies, policy: object, observation: object
) -> None:
    """A policy is given an observation."""
    frame, key = _script(watched), id(policy)
    if frame is None or policies.is_normalized_by_hand:
        return
    known = policies.counted.get(key)
    if known is None:
        known = PlayedPolicy(policy, lambda _: policies.counted.pop(key, None))
        known.number, policies.counted[key] = 0, known
    known.number += 1
    if known.number == ENOUGH:
        _look(watched, policies, policy, observation, frame)


def _look(
    watched: PlayedPolicies,
    policies: Policies,
    policy: object,
    observation: object,
    frame: FrameType,
) -> None:
    """Journal the line where the observation is one of an environment of the training's class, in
    nothing that could normalize it.
    """
    own = policies.training(policy)
    saved = policies.saved.get(policies.kind(policy), set())
    trainings = saved if own == UNKNOWN else {own}
    if len(trainings) != 1 or UNKNOWN in trainings:
        return
    (normalizer, environment), *_ = trainings
    names = [name for name, value in frame.f_locals.items() if value is observation]
    owners = _owners(watched.hook, policies, frame, names) if names else []
    layers = [layer for owner in owners for layer in _layers(owner)]
    if environment in layers and {environment, *policies.plain}.issuperset(layers):
        code = frame.f_code
        place = (code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name))
        keys = {"type": normalizer, "method": environment, "by": type(policy).__name__}
        watched.tell("evaluates", frame=frame_of(place), **keys)


def _owners(hook: Hook, policies: Policies, frame: FrameType, names: List[str]) -> List[object]:
    """The objects whose reset() or step() is assigned to one of the names; None for what else is,
    other than what is normalized by hand: that was not done.
    """
    assigned = hook.load(ASSIGNED)
    return [
        assigned.value_of(owner, frame) if method in assigned.CALLS else None
        for method, owner, _ in assigned.assigned(frame.f_code, names)
        if method != policies.by_hand
    ]


def _layers(env: object) -> List[str]:
    """The classes of a vectorizer, or an environment, and of what it wraps, that last."""
    names: List[str] = []
    for _ in range(loaded.MOST_LAYERS):
        names.append(type(env).__name__)
        hosted = loaded.own(env, HOSTED)
        inner = hosted[0] if isinstance(hosted, list) and hosted else loaded.wrapped(env)
        if inner is None:
            break
        env = inner
    return names


def _script(watched: PlayedPolicies) -> Optional[FrameType]:
    """The frame that called the method which is about to run, where it is the user's."""
    frame: Optional[FrameType] = sys._getframe(3)
    while frame is not None and frame.f_code.co_filename == FILE:
        frame = frame.f_back
    return frame if frame is not None and watched.is_users(frame.f_code.co_filename) else None
