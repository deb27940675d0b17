"""Part of an observation that is not in its space."""

from __future__ import annotations

import numpy as np
import pytest
from gymnasium.spaces import Box, Dict, Discrete, Tuple

from envdoctor.probe.subject.misfits import is_of_bounds, misfit

CAMERA = Box(0, 255, (2, 2), np.uint8)
SPACE = Dict({"camera": CAMERA, "arm": Dict({"joints": Box(-1.0, 1.0, (3,), np.float32)})})
FITS = {"camera": np.zeros((2, 2), np.uint8), "arm": {"joints": np.zeros(3, np.float32)}}


@pytest.mark.parametrize(
    ("space", "value", "said"),
    [
        (SPACE, FITS, ""),
        (CAMERA, FITS["camera"], ""),
        (CAMERA, np.zeros(3, np.uint8), " has shape (3,), its space (2, 2)"),
        (CAMERA, np.zeros((2, 2)), " has dtype float64, its space uint8"),
        (
            SPACE,
            {**FITS, "camera": np.zeros((2, 2))},
            "['camera'] has dtype float64, its space uint8",
        ),
        (
            SPACE,
            {**FITS, "arm": {"joints": np.zeros(4, np.float32)}},
            "['arm']['joints'] has shape (4,), its space (3,)",
        ),
        (
            SPACE,
            {**FITS, "arm": {"joints": np.full(3, 2, np.float32)}},
            "['arm']['joints'] is from 2.0 to 2.0, its space Box(-1.0, 1.0, (3,), float32)",
        ),
        (SPACE, {"camera": FITS["camera"]}, "['arm'] is missing"),
        (SPACE, {**FITS, "speed": 1.0}, "['speed'] is in no part of the space"),
        (Tuple((Discrete(3), CAMERA)), (7, FITS["camera"]), "[0] is a int, not in Discrete(3)"),
    ],
)
def test_the_part_and_what_is_wrong_with_it(space: object, value: object, said: str) -> None:
    assert misfit(space, value) == said


@pytest.mark.parametrize(
    ("value", "expected"),
    [(np.full(3, 2, np.float32), True), (np.zeros(4, np.float32), False), (np.zeros(3), False)],
)
def test_misfit_of_bounds_only_is_recognized(value: object, expected: bool) -> None:
    words = misfit(SPACE, {**FITS, "arm": {"joints": value}})
    assert words
    assert is_of_bounds(words) is expected
