"""Evaluations in a vectorizer that normalizes, and learns from what it returns meanwhile. No code
of the user's runs for it.
"""

from __future__ import annotations

import functools
import os
import sys
import weakref
from types import FrameType, ModuleType
from typing import TYPE_CHECKING, Dict, Optional, Protocol, Set, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.live.counted import preceded, replace_method
from envdoctor.probe.ownership import Ownership, frame_of, own_place

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

ENOUGH = 20  # steps of an evaluation, before its line is journaled
MOST_FRAMES = 32
RESET, STEP = "reset", "step_wait"


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


def follow_evaluations(watched: EvaluatedProcess, hooks: object, module: ModuleType) -> None:
    """Have the evaluations journaled that a framework's normalizers learn from."""
    functions = getattr(hooks, "EVALUATIONS", {})
    for name, learns, scales in getattr(hooks, "NORMALIZERS", {}).get(module.__name__, ()):
        begin = functools.partial(_begin, watched, functions, learns)
        step = functools.partial(_step, watched, functions, learns, scales)
        replace_method(module, "%s.%s" % (name, RESET), preceded, begin)
        replace_method(module, "%s.%s" % (name, STEP), preceded, step)


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
