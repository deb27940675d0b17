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
    _, bounded = census._grown_caches(before, ())
    connection.close()
    names = {cache["what"].rpartition(".")[2] for cache in bounded}
    assert {"look_up (lru_cache)", "Connection (lru_cache)"} <= names


def test_cache_that_keeps_instances_says_so() -> None:
    class Arm:
        @functools.lru_cache(maxsize=None)  # noqa: B019  it keeps every instance
        def table(self, number: int) -> float:
            return number / 2

    before = dict(census._caches())
    Arm().table(1)
    (grown,), _ = census._grown_caches(before, (Arm,))
    described = grown.described()
    assert (described["element"], described["instance"]) == ("float", True)
    grown.cut()
    assert Arm.table.cache_info().currsize == 0


def test_cache_of_a_library_that_compiles_anew_is_not_emptied() -> None:
    @functools.lru_cache(maxsize=8)
    def compiled(number: int) -> int:
        return number

    compiled.__module__ = "compiler.inside"
    for compiles, entries in (("compiler", 1), ("another", 0)):
        before = dict(census._caches())
        compiled(entries)
        _, bounded = census._grown_caches(before, (), compiles)
        (cleared,) = (each["cleared"] for each in bounded if "compiled" in each["what"])
        assert (compiled.cache_info().currsize, cleared) == (entries, not entries)
