"""Looks at the containers of a process: those that only a running function has, and those that get
longer rarely and keep what should be given back.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable
from pathlib import Path
from typing import Any

from envdoctor.model import page
from envdoctor.probe.growth.containers import kept_by
from envdoctor.probe.live.boot import Hook
from envdoctor.probe.live.instances import WatchedInstances
from envdoctor.probe.live.looking import look

FIRST, LAST = 100, 199  # elements at the two looks


def looked(folder: Path, fill: Callable[[int], None], resets: int = 0) -> dict[str, dict[str, Any]]:
    """The containers that two looks show, by their chain; so many resets were between them."""
    hook = Hook(str(folder), "", {})
    instances, journal = WatchedInstances(hook), Path(hook.journal)
    journal.touch()
    numbers = instances.page.numbers
    numbers[page.USED] = 1
    for number in range(LAST + 1):
        if number in (FIRST, LAST):
            look(instances)
            for column in (page.RESET, page.STEP):
                numbers[page.FIRST * page.WIDTH + column + 1] = resets
        fill(number)
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    return {each["chain"]: each for each in events if each["what"] == "holder"}


def test_variables_that_the_collector_does_not_track_are_found(tmp_path: Path) -> None:
    cache: dict[int, bytes] = {}
    pixels, returns = bytearray(), array("d")

    def fill(number: int) -> None:
        cache[number] = b"%d" % number
        pixels.append(number)
        returns.append(number)

    holders = looked(tmp_path, fill)
    function = test_variables_that_the_collector_does_not_track_are_found.__name__
    for name, kind in (("cache", "dict"), ("pixels", "bytearray"), ("returns", "array.array")):
        held = holders[f"{function}() {name}"]
        assert (held["type"], held["side"], held["keeps"]) == (kind, "trainer", "")
        assert (held["grew"], held["length"]) == (LAST - FIRST, LAST)


def test_container_that_gets_longer_rarely_is_found_where_it_keeps_descriptors(
    tmp_path: Path,
) -> None:
    logs: list[dict[str, Any]] = []
    returns: list[list[float]] = []
    with (tmp_path / "log").open("w") as file:

        def fill(number: int) -> None:
            logs.append({"file": file})
            returns.append([float(number)])

        holders = looked(tmp_path, fill, resets=1000)
    keeps = {chain.rpartition(" ")[2]: held["keeps"] for chain, held in holders.items()}
    assert keeps == {"logs": "descriptors"}


class Proxy:
    """An object that says what is asked of it."""

    asked: list[str] = []

    def __getattr__(self, name: str) -> Any:
        self.asked.append(name)
        raise AttributeError(name)


def test_kept_resources_are_read_without_running_user_code(tmp_path: Path) -> None:
    proxy = Proxy()
    assert kept_by([proxy, {"rows": [1, 2.0]}]) == ""
    with (tmp_path / "log").open("w") as file:
        assert kept_by({"proxy": proxy, "log": file}) == "descriptors"
    assert proxy.asked == []


def test_container_that_is_short_at_the_first_look_is_found(tmp_path: Path) -> None:
    """On a busy machine that look comes early. What was empty then is filled for an episode."""
    curve: list[int] = []
    episode: list[int] = []

    def fill(number: int) -> None:
        if number >= FIRST - 20:
            curve.append(number)
        if number >= FIRST + 20:
            episode.append(number)

    holders = looked(tmp_path, fill)
    function = test_container_that_is_short_at_the_first_look_is_found.__name__
    assert holders[f"{function}() curve"]["length"] == LAST - FIRST + 20
    assert f"{function}() episode" not in holders
