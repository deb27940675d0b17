"""Blocks of Python's own allocator."""

from __future__ import annotations

import sys

import pytest

from envdoctor.probe.system import blocks


@pytest.mark.parametrize(
    ("allocated", "kept", "in_use"), [(9000, 0, 9000), (9000, 3000, 6000), (0, 3000, 0)]
)
def test_interned_strings_that_python_never_frees_are_left_out(
    allocated: int, kept: int, in_use: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "_kept", lambda: kept)
    monkeypatch.setattr(sys, "getallocatedblocks", lambda: allocated)
    assert blocks.in_use() == in_use
