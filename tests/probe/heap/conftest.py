"""Tests that search all objects of their process."""

from __future__ import annotations

import gc

import pytest


@pytest.fixture(autouse=True)
def nothing_is_left_out() -> None:
    """Unfreeze the objects that existed when the tests were collected, so that looks include them."""
    gc.unfreeze()
