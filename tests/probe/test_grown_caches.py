"""Caches with a bound are named by what they keep the results of."""

from __future__ import annotations

import functools
import sqlite3

from envdoctor.probe.growth import census


def test_a_cache_is_named_by_its_function_or_by_the_class_of_what_is_called() -> None:
    @functools.lru_cache(maxsize=8)
    def look_up(number: int) -> int:
        return number

    connection = sqlite3.connect(":memory:")
    before = dict(census._caches())
    look_up(1)
    connection.execute("select 1")
    _, bounded = census._grown_caches(before)
    connection.close()
    names = {cache["what"].rpartition(".")[2] for cache in bounded}
    assert {"look_up (lru_cache)", "Connection (lru_cache)"} <= names
