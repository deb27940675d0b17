"""Rewards and observations of a trajectory that are not finite numbers."""

from __future__ import annotations

import math
from typing import Dict, Iterable, List, Optional

from envdoctor.model.trajectory import Call, Frozen
from envdoctor.probe.comparison.frozen import as_array, parts

NAN, INFINITE = "nan", "inf"
STEP, RESET = "step", "reset"


def not_numbers(calls: List[Call]) -> Optional[Dict[str, object]]:
    """Count the steps of an instance that returned a reward which is not a finite number, and the
    calls that returned an observation with a NaN; each with the step of its episode that was the
    first, 0 for reset(). None where all are finite.
    """
    counts: Dict[str, object] = {"rewards": 0, "observations": 0}
    step = steps = rewards = observations = 0
    for call in calls:
        step = 0 if call.name == RESET else step + 1
        steps += call.name == STEP
        reward = kind_of(call.reward) if call.name == STEP else ""
        if reward:
            rewards += 1
            counts.setdefault("first_reward", step)
            counts.setdefault("reward", reward)
        if kind_of(call.observation) == NAN:
            observations += 1
            counts.setdefault("first_observation", step)
    if not rewards and not observations:
        return None
    return {**counts, "steps": steps, "rewards": rewards, "observations": observations}


def kind_of(frozen: Optional[Frozen]) -> str:
    """Return `nan` or `inf` where a value has such a number, NaN before infinity; else nothing.
    What is digested or opaque is not known.
    """
    kinds = set(_kinds(frozen)) if frozen is not None else set()
    return NAN if NAN in kinds else INFINITE if INFINITE in kinds else ""


def _kinds(frozen: Frozen) -> Iterable[str]:
    kind, what = frozen[0], frozen[1]
    if kind == "plain" and what == "float":
        yield _kind(frozen[2])
    elif kind in ("array", "scalar") and what[1] == "f":
        yield from {_kind(float(value)) for value in _extremes(as_array(frozen))}
    for part in parts(frozen).values():
        yield from _kinds(part)


def _extremes(array: object) -> List[float]:
    """The least and the greatest number, which are NaN where any is."""
    import numpy as np

    values = np.asarray(array)
    return [float(values.min()), float(values.max())] if values.size else []


def _kind(number: float) -> str:
    return NAN if math.isnan(number) else INFINITE if math.isinf(number) else ""
