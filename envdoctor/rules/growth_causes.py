"""What explains growth: lines, types, holders, caches; and which other rule tells it better. What explains it is sought without
a manager, whatever the place.
"""

from __future__ import annotations

import math
from typing import Any

from envdoctor.rules.growth import BYTES, Leak, leak_of
from envdoctor.rules.view import View
from envdoctor.stats import ROOM, WHILE_OPEN

#: Where a rule on what close() leaves sees the same growth: the sensor it reads, and its codes.
LEFTOVERS = {
    "descriptors": ("descriptors", ("CLS006", "CLS009")),
    "threads": ("threads", ("CLS007",)),
    "processes": ("processes", ("CLS008",)),
    "files": ("files", ("CLS010",)),
    "segments": ("shared-memory", ("CLS011",)),
}

#: What costs other things by itself: (cause, what it costs, how many at most, the codes that tell the cause). A thread has a
#: stack and a few objects; a file object has buffers and a name; shared memory and pipes of processes are open files.
COSTS = (
    ("threads", "objects", math.inf, ("LEK006", "CLS007")),
    ("processes", "objects", math.inf, ("LEK007", "CLS008")),
    ("processes", "descriptors", 4, ("LEK007", "CLS008")),
    ("segments", "objects", 12, ("LEK009", "CLS011")),
    ("segments", "descriptors", 2, ("LEK009", "CLS011")),
    ("descriptors", "objects", 12, ("LEK005", "CLS006", "CLS009")),
)


def told_elsewhere(view: View, leak: Leak) -> list[str]:
    """The codes of rules that tell the same growth better: where one of them speaks, this one is silent."""
    codes: list[str] = []
    if leak.meter in LEFTOVERS:
        sensor, told = LEFTOVERS[leak.meter]
        codes += told if len(view.left(sensor, "collected")) >= leak.rate > 0 else ()
    what = "objects" if leak.meter in ("tracked", "heap", "data") else leak.meter
    for cause, cost, most, told in COSTS:
        dearer = leak_of(view, cause) if cost == what else None
        codes += told if dearer and leak.rate <= dearer.rate * most * (ROOM if leak.meter in BYTES else 1) else ()
    if leak.meter not in LEFTOVERS and keeps_instances(view):
        codes.append("CLS012")
    return codes


def keeps_instances(view: View) -> bool:
    """Whether instances of the environment's own class are among what grew."""
    own = view.survey.get("env_class")
    return any(str(one["type"]) == own for one in suspects(view)["types"])


def lines(view: View, python: bool | None = None) -> list[dict[str, Any]]:
    """What memray saw kept, most bytes first; only by Python's own allocator, or only by others, where asked."""
    found = [
        record
        for trace in view.direct.all("leak-memray")
        for fact in trace.facts("allocations")
        for record in fact.get("records") or ()
        if python is None or str(record.get("allocator", "")).startswith("PYMALLOC") == python
    ]
    return sorted(found, key=lambda record: -record["bytes"])


def traced_bytes(view: View, leak: Leak) -> float:
    """What memray saw kept by one call of the leak's operation, or by one cycle of a leak that no operation is known for."""
    for trace in view.direct.all("leak-memray"):
        for fact in trace.facts("allocations"):
            operation = fact.get("operation", "create")
            kept = sum(int(record["bytes"]) for record in fact.get("records") or ()) / (fact.get("cycles") or 1)
            if operation == leak.operation != "create":
                return kept
            if operation == "create":  # whole cycles
                return kept * leak.shares[leak.operation] / leak.rate
    return 0.0


def line_of(records: list[dict[str, Any]], *, by: str = "bytes") -> dict[str, Any] | None:
    """The user's frame of the heaviest record that has one."""
    own = [record for record in records if record.get("user") is not None]
    if not own:
        return None
    heaviest = max(own, key=lambda record: record[by])
    return dict(heaviest["frames"][heaviest["user"]])


def suspects(view: View) -> dict[str, list[dict[str, Any]]]:
    """The types that grew, who holds one of each, and the caches that grew; each may be empty."""
    found: dict[str, list[dict[str, Any]]] = {"types": [], "holders": [], "caches": []}
    for trace in (*view.direct.all("leak-suspects"), *view.direct.all(WHILE_OPEN)):
        for fact in trace.facts("suspects"):
            for name, listed in found.items():
                listed.extend(fact.get(name) or ())
    return found


def holders(view: View) -> list[str]:
    """Who keeps what grew: containers that got longer, caches without a bound, then the chains to one object of each type."""
    known = suspects(view)
    longer = [str(holder["chain"]) for holder in known["holders"] if holder.get("grew")]
    caches = [str(cache["what"]) for cache in known["caches"] if cache.get("maxsize") is None]
    chains = [str(holder["chain"]) for holder in known["holders"] if not holder.get("grew")]
    return list(dict.fromkeys([*longer, *caches, *chains]))


def by_python(view: View) -> bool:
    """Whether what grows is Python's: most of what memray saw kept, or, without memray, a container that got longer."""
    kept = {python: sum(int(record["bytes"]) for record in lines(view, python=python)) for python in (True, False)}
    if any(kept.values()):
        return kept[True] > kept[False]
    return any(holder.get("grew") for holder in suspects(view)["holders"])


def bounded_caches(view: View) -> list[str]:
    """The caches with a bound that grew: `sick.look_up (lru_cache), 64 of 128`."""
    return [f"{cache['what']}, {cache['size']} of {cache['maxsize']}" for cache in suspects(view)["caches"] if cache.get("maxsize")]


def garbage(view: View) -> dict[str, float]:
    """What waited for the garbage collector at the end of the blocks, per cycle and meter."""
    cycles, waiting = 0, dict[str, int]()
    for trace in view.all("leak"):
        for event in trace.verbs("block", "ended"):
            block = event["block"]
            settled, raw = block["after"], (block.get("uncollected") or {}).get("after") or {}
            cycles += block["creates"] if raw else 0
            for meter in raw.keys() & settled.keys():
                waiting[meter] = waiting.get(meter, 0) + raw[meter] - settled[meter]
    return {meter: number / cycles for meter, number in sorted(waiting.items())} if cycles else {}
