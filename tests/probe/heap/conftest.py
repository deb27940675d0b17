"""Tests that search all objects of their process."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True)
def nothing_is_left_out() -> None:
    """What was collected is there, too."""
    gc.unfreeze()
