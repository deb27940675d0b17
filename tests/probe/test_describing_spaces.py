"""Rare properties of spaces."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from envdoctor.probe.subject.uncommon_spaces import rare_spaces

spaces = gymnasium.spaces
BOX = spaces.Box(0.0, 1.0, (2,))


class Mission(gymnasium.Space[Any]):
    pass


@pytest.mark.parametrize(
    ("space", "words"),
    [
        (None, []),
        (BOX, []),
        (spaces.Dict(a=BOX, b=spaces.MultiDiscrete([2, 3])), []),
        (spaces.Dict(a=spaces.Dict(b=BOX)), ["a Dict within a Dict"]),
        (spaces.Dict(a=BOX, b=spaces.Text(3), c=spaces.Text(4)), ["Text ('b')", "Text ('c')"]),
        (
            spaces.Tuple((BOX, spaces.Discrete(2, start=-1))),
            ["Tuple", "a Discrete that starts at -1"],
        ),
        (spaces.Discrete(2, start=np.int64(3)), ["a Discrete that starts at 3"]),
        (spaces.Dict(a=Mission()), ["Mission ('a')"]),
    ],
)
def test_words(space: Any, words: list[str]) -> None:
    assert rare_spaces(space, BOX) == words
