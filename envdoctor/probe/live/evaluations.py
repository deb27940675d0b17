"""Evaluations in a vectorizer that normalizes, and learns from what it returns meanwhile; and what
is played in one that neither learns nor has learned. No code of the user's runs for it.
"""

from __future__ import annotations

import functools
import os
import sys
import weakref
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Callable, Dict, Optional, Protocol, Set, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.live.counted import preceded, replace_method
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

ENOUGH = 20  # steps of an evaluation, before its line is journaled
MOST_FRAMES = 32
RESET, STEP = "reset", "step_wait"
UNLEARNED = 1  # the number of an event


class EvaluatedProcess(Protocol):
    """Instances of a process, of which something is journaled."""

    hook: Hook

    def tell(self, what: str, **keys: object) -> None:
        """Journal something."""


class Normalizer(weakref.ref):  # type: ignore[type-arg]
    """A vectorizer in which an evaluation was begun, with its steps since."""

    __slots__ = ("steps",)
    steps: int


_evaluated: Dict[int, Normalizer] = {}
_journaled: Set[Tuple[object, ...]] = set()
_resting: Dict[int, Normalizer] = {}  # those that learn nothing
_learning: Set[int] = set()  # processes in which one has learned


def follow_evaluations(watched: EvaluatedProcess, hooks: object, module: ModuleType) -> None:
    """Have the evaluations journaled that a framework's normalizers learn from."""
    functions, known = getattr(hooks, "EVALUATIONS", {}), getattr(hooks, "NORMALIZERS", {})
    for name, learns, scales, *observed in known.get(module.__name__, ()):
        begin = functools.partial(_begin, watched, functions, learns)
        step = functools.partial(_step, watched, functions, learns, scales)
        look = functools.partial(_look, watched, learns, *observed)
        replace_method(module, "%s.%s" % (name, RESET), preceded, begin)
        replace_method(module, "%s.%s" % (name, STEP), preceded, _both(step, look))


def _both(first: Callable[..., None], second: Callable[..., None]) -> Callable[..., None]:
    def call(*args: object, **named: object) -> None:
        first(*args, **named)
        second(*args, **named)

    return call


def _look(
    watched: EvaluatedProcess,
    learns: str,
    normalizes: str,
    statistics: str,
    vectorizer: object,
    *_args: object,
    **_named: object,
) -> None:
    """A normalizer is stepped: whether it learns, or has nothing to normalize with. Nothing of ours
    reaches the user.
    """
    try:
        if loaded.own(vectorizer, learns) is not False:
            if os.getpid() not in _learning:
                _learning.add(os.getpid())
                watched.tell("learns")
            return
        number = id(vectorizer)
        known = _resting.get(number)
        if known is None:
            known = _resting[number] = Normalizer(vectorizer, lambda _: _resting.pop(number, None))
            known.steps = 0
        known.steps += 1
        is_wanted = known.steps == ENOUGH and loaded.own(vectorizer, normalizes) is True
        place = own_place(sys._getframe(1), Ownership().is_users) if is_wanted else None
        if place is not None and _is_as_made(loaded.own(vectorizer, statistics)):
            keys = {"method": learns, "type": type(vectorizer).__name__, "number": UNLEARNED}
            watched.tell("evaluates", frame=frame_of(place), **keys)
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def _is_as_made(statistics: object) -> bool:
    """Return whether all means are zero and all variances one, as before the first observation."""
    parts = list(statistics.values()) if type(statistics) is dict else [statistics]
    pairs = [(loaded.own(each, "mean"), loaded.own(each, "var")) for each in parts]
    known = [pair for pair in pairs if all(hasattr(each, "dtype") for each in pair)]
    return bool(known) and all(not mean.any() and bool((var == 1).all()) for mean, var in known)


def _begin(
    watched: EvaluatedProcess,
    functions: Dict[str, Tuple[str, ...]],
    learns: str,
    vectorizer: object,
    *_args: object,
    **_named: object,
) -> None:
    """A normalizer is reset, by an evaluation or not. Nothing of ours reaches the user."""
    try:
        number = id(vectorizer)
        _evaluated.pop(number, None)
        if loaded.own(vectorizer, learns) is True and _is_evaluation(functions):
            known = Normalizer(vectorizer, lambda _: _evaluated.pop(number, None))
            known.steps = 0
            _evaluated[number] = known
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def _step(
    watched: EvaluatedProcess,
    functions: Dict[str, Tuple[str, ...]],
    learns: str,
    scales: str,
    vectorizer: object,
    *_args: object,
    **_named: object,
) -> None:
    """A normalizer is stepped. Nothing of ours reaches the user."""
    try:
        known = _evaluated.get(id(vectorizer))
        if known is None or loaded.own(vectorizer, learns) is not True:
            return
        known.steps += 1
        if known.steps != ENOUGH or not _is_evaluation(functions):
            return
        place = own_place(sys._getframe(1), Ownership().is_users)
        kind = type(vectorizer).__name__
        key = (os.getpid(), kind, place)
        if place is not None and key not in _journaled:
            _journaled.add(key)
            is_scaled = loaded.own(vectorizer, scales) is True
            keys = {"method": learns, "message": scales if is_scaled else "", "type": kind}
            watched.tell("evaluates", frame=frame_of(place), **keys)
    except Exception as error:
        watched.hook.complain(type(error).__name__)


def _is_evaluation(functions: Dict[str, Tuple[str, ...]]) -> bool:
    """Return whether one of the functions, by module, in which a framework evaluates is running."""
    frame: Optional[FrameType] = sys._getframe(1)
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        if frame.f_code.co_name in functions.get(loaded.module_of(frame), ()):
            return True
        frame = frame.f_back
    return False
