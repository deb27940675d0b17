"""The doctor has none of the illnesses that it looks for. The long form is `python -m
tests.support.health_of_the_doctor`.
"""

from __future__ import annotations

import sys

import pytest

from envdoctor.analysis.growth.verdicts import FILLING, FLAT, Block, verdicts
from tests.support.health_of_the_doctor import ENOUGH, METERS, blocks, lengths

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="reads the exact meters of Linux"
)


@pytest.mark.everything
def test_nothing_of_an_examination_stays() -> None:
    measured = blocks(ENOUGH, most=119)
    assert set(METERS) <= set(measured[0].deltas), "a meter is missing here"
    grown = {
        name: growth.kind
        for name, growth in verdicts(measured).items()
        if growth.kind not in (FLAT, FILLING)  # a dictionary that found its size
    }
    assert grown == {}, measured


def test_one_object_in_each_examination_would_show() -> None:
    grown = verdicts([Block(length, {"objects": length, "heap": 0}) for length in lengths(ENOUGH)])
    assert grown["objects"].kind != FLAT
    assert grown["heap"].kind == FLAT
