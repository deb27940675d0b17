"""Fixtures of the tests of the project."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.project import house
from tests.support import syntax


@pytest.fixture(scope="package", autouse=True)
def _forget_syntax() -> Iterator[None]:
    yield
    syntax.forget()
    house.sources.cache_clear()
