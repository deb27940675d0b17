"""Looks at the containers of a process: those that only a running function has, too."""

from __future__ import annotations

import json
from array import array
from pathlib import Path

from envdoctor.probe.live.births import Births
from envdoctor.probe.live.boot import Hook
from envdoctor.probe.live.looking import look

FIRST, LAST = 100, 199  # elements at the two looks


def test_variables_that_the_collector_does_not_track_are_found(tmp_path: Path) -> None:
    hook = Hook(str(tmp_path), "", {})
    births, journal = Births(hook), Path(hook.journal)
    journal.touch()
    cache: dict[int, bytes] = {}
    pixels, returns = bytearray(), array("d")
    for number in range(LAST + 1):
        if number in (FIRST, LAST):
            look(births)
        cache[number] = b"%d" % number
        pixels.append(number)
        returns.append(number)
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    holders = {
        one["chain"]: (one["type"], one["grew"], one["length"], one["side"])
        for one in events
        if one["what"] == "holder"
    }
    function = test_variables_that_the_collector_does_not_track_are_found.__name__
    for name, kind in (("cache", "dict"), ("pixels", "bytearray"), ("returns", "array.array")):
        expected = (kind, LAST - FIRST, LAST, "trainer")
        assert holders[f"{function}() {name}"] == expected
