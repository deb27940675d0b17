"""What tests of the probe share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def small_heap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let searches see only what is made from here on: to look through the heap of a process that
    has collected thousands of tests takes seconds.
    """
    gc.collect()
    gc.freeze()
    with monkeypatch.context() as patched:
        patched.setattr(gc, "unfreeze", lambda: None)
        yield
    gc.unfreeze()
