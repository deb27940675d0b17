"""The wording that the rules on growth share."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from envdoctor.model.finding import ENVIRONMENT, UNKNOWN, Finding, Location
from envdoctor.rules.growth import BYTES, CYCLE, EPISODE, STAYS, Leak, blocks_seen, leak_of
from envdoctor.rules.growth_causes import lines, suspects, told_elsewhere, traced_bytes
from envdoctor.rules.registry import Rule
from envdoctor.rules.view import View
from envdoctor.rules.words import listing
from envdoctor.stats import project

MILLION = 1_000_000
NATIVE = "held from native code"  # what the probe says where no holder can be found in Python

_EACH = {
    "create": ("new instance", "instances", "__init__"),
    "reset": ("reset()", "resets", "reset"),
    "step": ("step()", "steps", "step"),
    "render": ("render()", "renders", "render"),
    CYCLE: ("cycle of make, reset, steps and close", "cycles", "__init__"),
    "launch": ("launch of the manager", "launches", ""),
    EPISODE: ("episode of an instance that stays open", "episodes", "reset"),
    "reset" + STAYS: ("reset() of an instance that stays open", "resets", "reset"),
    "step" + STAYS: ("step() of an instance that stays open", "steps", "step"),
    "reset in the parent": ("reset of the manager", "resets", ""),
    "reset in a worker": ("reset in a worker", "resets", "reset"),
}


def size(number: float) -> str:
    """`24 bytes`, `1.6 KB`, `1.6 GB`: decimal, so that a million times one is as long as the other."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if number >= factor * 0.9995:
            return f"{number / factor:.1f} {unit}"
    return "1 byte" if round(number) == 1 else f"{number:.0f} bytes"


def amount(meter: str, number: float, noun: str, plural: str = "") -> str:
    """`1.6 KB of native memory`, `1 descriptor`, `3 descriptors`."""
    if meter in BYTES:
        return f"{size(number)} of {noun}"
    whole = max(1, round(number))
    return f"{whole} {noun}" if whole == 1 else f"{whole} {plural or noun + 's'}"


def sentence(leak: Leak, verb: str, noun: str, plural: str = "") -> str:
    """`every reset() keeps 1 descriptor`, or `every 5th reset() keeps 1 descriptor`, for each operation that has a part."""
    parts = []
    for name, share in leak.shares.items():
        whole, calls = (share, 1) if leak.meter in BYTES else often(share)
        every = f"every {_ordinal(calls)} " if calls > 1 else "every "
        parts.append(f"{every}{_EACH[name][0]} {verb} {amount(leak.meter, whole, noun, plural)}")
    return ", ".join(parts)


def often(share: float) -> tuple[float, int]:
    """How many in how many calls: 1 in 5 for 0.19, 2 in 5 for 0.4, 7 in 1 for 7.02."""
    if share >= 0.9:
        return round(share), 1
    calls = round(1 / share)
    if abs(share * calls - 1) < 0.15:
        return 1, calls
    found = Fraction(share).limit_denominator(10)
    return found.numerator, found.denominator


def _ordinal(number: int) -> str:
    if number == 2:
        return "other"
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def in_a_million(leak: Leak, rate: float | None = None) -> str:
    """`1.6 GB after a million resets`: bytes, at the pace of the operation that keeps most."""
    cost = project(leak.shares[leak.operation] if rate is None else rate, MILLION)
    return f"{size(cost)} after a million {_EACH[leak.operation][1]}"


def after(leak: Leak, number: int) -> str:
    """`1024 resets`, `about 5200 instances`: how many calls it takes to reach a number."""
    share = leak.shares[leak.operation]
    calls, plural = number / share, _EACH[leak.operation][1]
    return f"{calls:.0f} {plural}" if share.is_integer() else f"about {float(f'{calls:.2g}'):.0f} {plural}"


def horizon(leak: Leak) -> str:
    """How far it was followed: beyond, a larger cache would look the same."""
    return f"steady through {leak.cycles} cycles"


def place(view: View, leak: Leak, line: Mapping[str, Any] | None) -> Location | None:
    """The line that takes what is kept, else the method that does."""
    if line:
        return Location(str(line["file"]), int(line["line"]), str(line.get("function", "")))
    method = _EACH[leak.operation][2]
    return view.locate(method) if method else None


def at_line(line: Mapping[str, Any] | None) -> str:
    """` in _create_track(), car_racing.py:460`, or nothing."""
    return f" in {line['function']}(), {str(line['file']).rsplit('/', 1)[-1]}:{line['line']}" if line else ""


def started_at(line: Mapping[str, Any] | None) -> str:
    """`; it is started in reset(), sick.py:31`, or nothing."""
    return f"; it is started{at_line(line)}" if line else ""


def kept_in(chains: list[str]) -> str:
    """`; kept in sick.HISTORY`, or nothing."""
    return f"; kept in {chains[0]}" if chains and chains[0] != NATIVE else f"; {NATIVE}" if chains else ""


def let_go(view: View, leak: Leak, chains: list[str]) -> str:
    """What to do about who keeps it."""
    where = f"{view.class_name}.{last_chance(leak)}()"
    if chains and chains[0] != NATIVE:
        return f"bound {chains[0]}, or take out of it in {where} what was put in."
    return f"let go of it in {where}."


def last_chance(leak: Leak) -> str:
    """The method in which to let go: close(), unless nobody calls it for days."""
    return "reset" if leak.operation.endswith(STAYS) else "close"


def bytes_of_objects(view: View, leak: Leak) -> float:
    """Bytes that one call of the leak's operation keeps, where known: what malloc has, or what memray saw."""
    heap = leak_of(view, "heap")
    by_malloc = heap.rate * leak.shares[leak.operation] / leak.rate if heap else 0.0
    return max(by_malloc, traced_bytes(view, leak))


def native_function(records: list[dict[str, Any]]) -> str:
    """`, taken by create_world (world.cpp:7)`: the innermost frame of the heaviest record that has a file, where that is no
    Python of yours. `operator new` has none, and would say nothing.
    """
    if not records or not records[0]["frames"] or records[0].get("user") == 0:
        return ""
    inner = records[0]["frames"][: records[0].get("user")]
    frame = next((frame for frame in inner if frame.get("line")), inner[0])
    return f", taken by {frame['function']} ({str(frame['file']).rsplit('/', 1)[-1]}:{frame['line']})"


def per_cycles(meter: str, rate: float, noun: str, plural: str) -> str:
    """`27 Python objects in 100 cycles`, `1.6 KB of memory a cycle`."""
    if meter in BYTES:
        return f"{size(rate)} of {noun} a cycle"
    return f"{amount(meter, rate * 100, noun, plural)} in 100 cycles"


def types(view: View) -> str:
    """` (sick.Handle)`, or nothing: the classes that somebody wrote; where there are none, the type that grew most."""
    named = [str(one["type"]) for one in suspects(view)["types"]]
    own = [name for name in named if "." in name] or named[:1]
    return f" ({listing(own)})" if own else ""


def report(
    rule: Rule,
    view: View,
    leak: Leak,
    words: tuple[str, str],
    line: Mapping[str, Any] | None = None,
    severity: str = "",
    commands: tuple[str, ...] = (),
) -> Finding:
    """The finding of a leak, (message, remedy), with all that is known of it as evidence."""
    message, remedy = words
    while_open = leak.operation.endswith((STAYS, "in a worker")) or (leak.operation == "reset in the parent" and view.start_method is None)
    return rule.finding(
        message,
        f"{remedy} It grows while instances stay open, so reset() has to do it, too." if while_open and "reset()" not in remedy else remedy,
        commands=commands,
        location=place(view, leak, line),
        severity=severity or leak.severity,
        blame=ENVIRONMENT if while_open and view.control is not None else UNKNOWN,  # alone, an instance is closed after one episode
        evidence={
            "meter": leak.meter,
            "per_cycle": leak.rate,
            "cycles": leak.cycles,
            "per_operation": dict(leak.shares),
            "blocks": blocks_seen(view, leak.meter),
            "records": lines(view)[:5],
            **suspects(view),
            "told_by": told_elsewhere(view, leak),
        },
    )
