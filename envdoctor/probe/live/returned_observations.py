"""An observation that a vectorizer could not take, since it has another shape than the observation
space of its instances. No code of the user's runs for it.
"""

from __future__ import annotations

from types import FrameType
from typing import TYPE_CHECKING, Dict, Iterable, List, Set, Tuple

from envdoctor.probe import loaded
from envdoctor.probe.live.given_actions import LONGEST, SHAPE_OF, shape_of, space_of

if TYPE_CHECKING:
    from envdoctor.probe.live.boot import Hook

OBSERVATION = "observation"
INSTANCES = "envdoctor.probe.live.instances"
SPACE = "observation_space"
#: What vectorizers call observations, one or several, where they put them together.
NAMES = ("obs", "observation", "observations", "items")
ERRORS = (ValueError, TypeError, AssertionError, RuntimeError)
UTILITIES = "util"  # how the names of modules beside them begin
LATER = ("numpy", "functools")  # whose frames may come after that
MOST = 16  # observations of a list


def misfit_of_observation(
    hook: Hook, error: BaseException, entries: List[Tuple[FrameType, int]]
) -> Dict[str, object]:
    """The shape of an observation that a vectorizer had when it raised, the class of the instances
    of the process, and their space; empty where all fit, or where that is not known.
    """
    known = hook.load(INSTANCES)._known if isinstance(error, ERRORS) else []
    modules = {module for watched in known for module in watched.vectorizers}
    shapes: List[Tuple[int, ...]] = []
    for frame, _ in reversed(entries):
        if shapes or not _is_of_vectorizer(loaded.module_of(frame), modules):
            break
        shapes = _shapes(frame)
    spaces = {
        (type(instance).__name__, repr(space)[:LONGEST]): loaded.attributes(space).get(SHAPE_OF)
        for watched in known
        for instance in [row() for row in watched.rows()]
        for space in [space_of(instance, SPACE)]
    }
    if len(spaces) != 1:
        return {}
    (names, wanted), *_ = spaces.items()
    misfit = next((shape for shape in shapes if shape != wanted), None)
    if not isinstance(wanted, tuple) or misfit is None:
        return {}
    return {"kind": OBSERVATION, "names": [str(misfit), *names]}


def _is_of_vectorizer(module: str, modules: Set[str]) -> bool:
    """Return whether a module is one of vectorizers, or of what is beside it for them; others wrap
    vectorizers, and have observations of all instances.
    """
    packages = tuple("%s.%s" % (each.rpartition(".")[0], UTILITIES) for each in modules)
    outer = module.partition(".")[0]
    return module in modules or (bool(packages) and module.startswith(packages)) or outer in LATER


def _shapes(frame: FrameType) -> List[Tuple[int, ...]]:
    """The shapes of the observations that a frame has."""
    values = (frame.f_locals.get(name) for name in NAMES)
    parts = (part for value in values if value is not None for part in _parts(value))
    return [shape for shape in map(shape_of, parts) if shape]


def _parts(value: object) -> Iterable[object]:
    return value[:MOST] if isinstance(value, (list, tuple)) else (value,)
