"""What is known of a manager, by the version that is installed, and whether the control bears
it out here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from envdoctor.frameworks import profile_of
from envdoctor.frameworks.hidden_instances import forgotten
from envdoctor.model.trace import Trace
from envdoctor.rules.engine.view import View


def expected(view: View) -> Mapping[str, Any]:
    """The row of the manager's table for the installed version, with `hidden`. Empty for a
    manager or a version that has none.
    """
    known = (view.survey.get("managers") or {}).get(view.manager) or {}
    versions = view.survey.get("frameworks") or {}
    installed = version_of(str(versions.get(profile_of(view.manager).package, "")))
    rows = [row for since, row in known.get("expected") or () if version_of(since) <= installed]
    return {
        **(rows[0] if rows else {}),
        **({"hidden": known["hidden"]} if "hidden" in known else {}),
    }


def version_of(text: str) -> tuple[int, ...]:
    """`(2, 9, 2)` of `2.9.2`; what is not a number ends it."""
    return tuple(int(number) for number in re.findall(r"\d+", re.split(r"[^\d.]", text)[0]))


def differences(view: View) -> list[dict[str, Any]]:
    """[{what, expected, seen}] where the control shows another behaviour than the table: an
    error of the doctor's.
    """
    played = view.control.trace("life") if view.control else None
    if played is None or not played.verbs("close", "ended"):
        return []
    seen = observed(played, expected(view).get("hidden", 0))
    table = dict(expected(view))
    if "pins" in table:
        each, once = table["pins"]
        table["pins"] = each * played.scenario.workers + once
    if "zombies" in table:
        table["zombies"] *= played.scenario.workers
    return [
        {"what": what, "expected": table[what], "seen": seen[what]}
        for what in seen
        if what in table and table[what] != seen[what]
    ]


def observed(played: Trace, hidden: int) -> dict[str, Any]:
    """What one control shows of what a table says."""
    launches, workers = len(played.verbs("make", "ended")), played.scenario.workers
    in_process = played.scenario.start_method is None
    in_parent = sum(1 for _ in played.of("instance", what="made", parent=True))
    closings = [(event["pid"], event["serial"]) for event in played.of("instance", what="closing")]
    pinned, zombies = played.facts("pinned"), played.facts("zombies")
    return {
        "hidden": in_parent // launches - (workers if in_process else 0),
        "closes_again": len(closings) > len(set(closings)),
        "closes_hidden": not forgotten(played, hidden),
        **({"pins": pinned[0]} if pinned else {}),
        **({"zombies": zombies[0]} if zombies else {}),
    }
