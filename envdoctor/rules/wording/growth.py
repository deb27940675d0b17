"""The wording that the rules on growth share."""

from __future__ import annotations

from fractions import Fraction

from envdoctor.analysis.growth.leaks import BYTES, Leak
from envdoctor.analysis.growth.sides import CALL, INSTANCE, LIFECYCLE, LONG, PARENT
from envdoctor.model.environment_aims import EndHeld
from envdoctor.model.facts import AllocationRecord, Compilations, as_json
from envdoctor.model.finding import ENVIRONMENT, UNKNOWN, Finding, Location
from envdoctor.model.meters import meter_of
from envdoctor.model.remedy import Aim
from envdoctor.model.units import ordinal, size
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.registry import Rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.acquisitions import site_of
from envdoctor.rules.evidence.growth import (
    blocks_seen,
    raising_calls,
    records,
    returned_by,
    side_of,
)
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.remedies.aims import aim_at
from envdoctor.rules.wording.leftovers import last_call, listing

CLOSE_FIGURES = (
    "call plt.close(figure) when it was drawn, or clear() one figure and draw on it again: pyplot"
    " keeps each figure that is not closed."
)
MILLION = 1_000_000
NATIVE = "held from native code"  # what the probe says where no holder can be found in Python

#: Operations: what one is called, what many are called, and the method that is behind it.
CALLS = {
    "create": ("new instance", "instances", "__init__"),
    "reset": ("reset()", "resets", "reset"),
    "step": ("step()", "steps", "step"),
    "render": ("render()", "renders", "render"),
    "cycle": ("cycle of make, reset, steps and close", "cycles", "__init__"),
    "call": ("call", "calls", ""),
    "launch": ("launch of the manager", "launches", ""),
    "episode": ("episode", "episodes", "reset"),
}
SIDES = {
    INSTANCE: " of an instance that stays open",
    PARENT: " in the parent",
    LONG: " that is played to its end",
}


def single_call(leak: Leak, operation: str = "") -> str:
    """Name one call of an operation, in its side: `reset() of an instance that stays open`."""
    name = CALLS[operation or leak.operation][0]
    if leak.side in (LIFECYCLE, INSTANCE, LONG):
        return name + SIDES.get(leak.side, "")
    name = "reset" if name == "reset()" else name
    return f"{name} of the manager" if leak.side == PARENT else f"{name} in a worker"


def many(leak: Leak) -> str:
    """Name many calls of the main operation."""
    return CALLS[leak.operation][1]


def amount(meter: str, number: float, noun: str, plural: str = "") -> str:
    """`1.6 KiB of native memory`, `1 descriptor`, `3 descriptors`."""
    if meter in BYTES:
        return f"{size(number)} of {noun}"
    total = max(1, round(number))
    return f"{total} {noun}" if total == 1 else f"{total} {plural or noun + 's'}"


def sentence(leak: Leak, verb: str, noun: str, plural: str = "") -> str:
    """`every reset() keeps 1 descriptor`, or `every 5th reset() keeps 1 descriptor`, for each
    operation that has a part. Of what is counted one by one, 1.2 in a call are two leaks: `every
    new instance leaves 1 descriptor, every 5th new instance leaves 1 descriptor more`.
    """
    parts = []
    for name, share in leak.shares.items():
        further = _further(share) if meter_of(leak.meter).thing else 0
        counted = (share - 1 / further) if further else share
        total, calls = (share, 1) if leak.meter in BYTES else often(counted)
        each = single_call(leak, name)
        parts.append(f"{every(calls)} {each} {verb} {amount(leak.meter, total, noun, plural)}")
        if further:
            more = amount(leak.meter, 1, noun, plural)
            parts.append(f"{every(further)} {each} {verb} {more} more")
    return ", ".join(parts)


def _further(share: float) -> int:
    """In which call one more is left than in each: 5 for 1.2, 0 for a whole number."""
    rest = share % 1
    number, calls = often(rest) if share > 1 and 0.1 < rest < 0.9 else (0, 0)
    return calls if number == 1 else 0


def often(share: float) -> tuple[float, int]:
    """Return a share as so many in so many calls: 1 in 5 for 0.19, 2 in 5 for 0.4, 7 in 1 for
    7.02.
    """
    if share >= 0.9:
        return round(share), 1
    calls = round(1 / share)
    if abs(share * calls - 1) < 0.15:
        return 1, calls
    fraction = Fraction(share).limit_denominator(10)
    return fraction.numerator, fraction.denominator


def every(calls: int) -> str:
    """`every`, `every other`, `every 3rd`."""
    return {1: "every", 2: "every other"}.get(calls) or f"every {ordinal(calls)}"


def per_million(leak: Leak) -> str:
    """`: 69.2 MiB per million steps` where the bytes are known, else nothing."""
    return f": {size(leak.bytes * MILLION)} per million {many(leak)}" if leak.bytes else ""


def reached_after(leak: Leak, number: int) -> str:
    """`1024 resets`, `about 5200 instances`: how many calls it takes to reach a number."""
    share = leak.shares[leak.operation]
    calls = number / share
    if share.is_integer():
        return f"{calls:.0f} {many(leak)}"
    return f"about {float(f'{calls:.2g}'):.0f} {many(leak)}"


def horizon(leak: Leak) -> str:
    """Say how far it was followed: beyond, a larger cache would look the same."""
    nouns = {"reset": "resets", "launch": "launches", "episode": "episodes", "call": "calls"}
    noun = nouns.get(leak.unit, "cycles")
    return f"steady through {leak.cycles} {noun}"


def place(view: View, leak: Leak, line: Location | None) -> Location | None:
    """The line that takes what is kept, else the method that does."""
    if line:
        return line
    method = "step" if leak.side == LONG else CALLS[leak.operation][2]
    return view.locate(method) if method else None


def at_line(line: Location | None) -> str:
    """` in _create_track(), car_racing.py:460`, or nothing."""
    if not line:
        return ""
    return f" in {line.function}(), {short(line.file)}:{line.line}"


def kept_in(leak: Leak, chains: list[str]) -> str:
    """`; kept in sick.HISTORY`, or nothing."""
    if leak.holder is not None:
        return f"; kept in {leak.holder.chain}"
    if not chains:
        return ""
    return f"; kept in {chains[0]}" if chains[0] != NATIVE else f"; {NATIVE}"


def compiled(anew: Compilations | None) -> str:
    """`; step() compiles anew at each call, arm.py:26, and each is kept`, or nothing."""
    if anew is None or anew.most is None:
        return ""
    place = f"{short(anew.most.file)}:{anew.most.line}"
    return f"; {anew.call}() compiles anew at each call, {place}, and each is kept"


def compile_once(anew: Compilations) -> str:
    """Return what to change there."""
    return (
        f"Let {anew.library} compile once: give it functions that are defined once, such as one of"
        f" the module under {anew.library}.jit, not lambdas or inner functions that {anew.call}()"
        " makes anew."
    )


def held(view: View, leak: Leak) -> str:
    """`; kept in sim.FILES`: a container that keeps things of this kind, or nothing."""
    if leak.holder is not None:
        return f"; kept in {leak.holder.chain}"
    keepers = dict.fromkeys(
        other.holder.chain
        for other in view.leaks
        if other.holder and other.side == leak.side and other.holder.handle == leak.meter
    )
    return f"; kept in {listing(list(keepers))}" if keepers else ""


def started_at(line: Location | None) -> str:
    """`; it is started in reset(), sick.py:31`, or nothing."""
    return made_at(line, "started")


def made_at(line: Location | None, how: str) -> str:
    """`; it is opened in Arm.reset(), arm.py:46`, where the line is known."""
    return f"; it is {how}{at_line(line)}" if line else ""


def cleanup(view: View, leak: Leak, method: str = "") -> str:
    """The function in which to let go: `Arm.close()`, or the one that is called again and again."""
    if leak.operation == CALL:
        return f"{view.class_name}()"
    return f"{view.class_name}.{method or last_chance(leak)}()"


def last_chance(leak: Leak) -> str:
    """The method in which to let go: close(), unless the instance stays open for days."""
    return "reset" if leak.side == INSTANCE else "close"


def give_back(view: View, leak: Leak, verb: str) -> str:
    """Say where to give a thing back: in close(), and in reset() where each reset takes another."""
    if leak.operation in ("reset", "step", "episode", "render"):
        name = CALLS[leak.operation][2] or "reset"
        again = f" before {view.class_name}.{name}() takes another"
        return f"{verb} it{again}, and in {last_call(view)}"
    if leak.operation == CALL:
        return f"{verb} it before {view.class_name}() returns"
    return f"{verb} it in {last_call(view)}"


def native_function(result: list[AllocationRecord]) -> str:
    """`, taken by create_world (world.cpp:7)`: the innermost frame of the heaviest record that has
    a file, where that is not your Python. `operator new` has none, and would say nothing. Where
    none has one: `, taken by sqlite3Malloc below sick.py:31`.
    """
    if not result or not result[0].frames or result[0].user == 0:
        return ""
    frames, user = result[0].frames, result[0].user
    inner = frames[:user]
    frame = next((frame for frame in inner if frame.line), None)
    if frame is not None:
        return f", taken by {frame.function} ({short(frame.file)}:{frame.line})"
    below = f" below {short(frames[user].file)}:{frames[user].line}" if user is not None else ""
    return f", taken by {inner[0].function}{below}"


def per_cycles(meter: str, rate: float, noun: str, plural: str, cycle: str = "cycle") -> str:
    """`27 Python objects in 100 cycles`, `1.6 KiB of memory a cycle`."""
    if meter in BYTES:
        return f"{size(rate)} of {noun} a {cycle}"
    return f"{amount(meter, rate * 100, noun, plural)} in 100 {cycle}s"


def types(view: View, leak: Leak) -> str:
    """` (sick.Handle)`, or nothing: what a container was given; else the classes of this program
    that grew; where there are none, the type that grew most.
    """
    if leak.holder is not None:
        return f" ({leak.holder.element})" if leak.holder.element else ""
    side = side_of(view.direct, leak.side if leak.side in (INSTANCE, LONG) else LIFECYCLE)
    named = [grown.type for grown in (side.causes.types if side else ())]
    own = [name for name in named if "." in name] or named[:1]
    return f" ({listing(own)})" if own else ""


def report(
    rule: Rule,
    view: View,
    leak: Leak,
    words: tuple[str, str],
    line: Location | None = None,
    severity: str = "",
    aim: Aim | None = None,
    explained_by: tuple[Cause, ...] = (),
) -> Finding:
    """The finding of a leak, (message, remedy), with all that is known of it as evidence."""
    message, remedy = words
    worker = leak.side.startswith("worker")
    while_open = leak.side == INSTANCE or worker
    while_open = while_open or (leak.side == PARENT and view.start_method is None)
    if while_open and "reset()" not in remedy:
        remedy = f"{remedy} It grows while instances stay open, so reset() has to do it, too."
    kept = leak.holder.chain if leak.holder else leak.operation
    side = side_of(view, leak.side)
    # What reset() took before it raised, it may have let go of behind that line.
    unfinished = side is not None and leak.operation in raising_calls(side)
    return rule.finding(
        f"{message}; each of them raises" if unfinished else message,
        remedy,
        aim=aim,
        location=place(view, leak, line),
        severity=severity or leak.severity,
        # Alone, an instance is closed after one episode.
        blame=ENVIRONMENT if while_open and view.control is not None else UNKNOWN,
        evidence=_evidence(view, leak, line),
        key=("worker" if worker else leak.side, kept),
        measures={
            f"{meter_of(leak.meter).grows} per {leak.operation}": leak.shares[leak.operation]
        },
        explained_by=explained_by,
    )


def report_acquired(
    rule: Rule,
    view: View,
    leak: Leak,
    what: str,
    words: tuple[str, str],
    returned: tuple[str, tuple[Cause, ...]],
    explained_by: tuple[Cause, ...] = (),
) -> Finding:
    """The finding that something grows that a line of code takes, `what` it is called there
    ("thread"): `words` are the message, to which what is known of the growth is added, and the
    remedy, which ends with that line. What close() leaves of `returned` (the sensor, and the rules
    on it) explains it, too.
    """
    site = site_of(view, what, leak)
    line = Location.at(site.frame) if site else None
    message, remedy = words
    how = "started" if what == "thread" else "opened" if what == "descriptor" else "made"
    return report(
        rule,
        view,
        leak,
        (f"{message}{held(view, leak)}; {horizon(leak)}", f"{remedy}{made_at(line, how)}."),
        line,
        rule.severity,
        aim=aim_at(what, [site] if site else []) or EndHeld(),
        explained_by=explained_by or returned_by(view, leak, *returned, (Cause.INSTANCE_KEPT,)),
    )


def _evidence(view: View, leak: Leak, line: Location | None) -> dict[str, object]:
    side = side_of(view.direct, leak.side if leak.side in (INSTANCE, LONG) else LIFECYCLE)
    values: dict[str, object] = {
        "meter": leak.meter,
        "side": leak.side,
        "per_cycle": leak.rate,
        "cycles": leak.cycles,
        "per_operation": dict(leak.shares),
        "blocks": blocks_seen(view, leak.side, leak.meter),
    }
    if leak.bytes is not None:
        values["bytes_per_call"] = round(leak.bytes, 1)
    if leak.holder is not None:
        values["held_in"] = leak.holder.chain
        values["lines"] = as_json(leak.holder.lines)
    if leak.things:
        values["holds"] = dict(leak.things)
    values["records"] = as_json(_records_of(view, leak, line))
    if side is not None and leak.holder is None:
        values["types"] = as_json(side.causes.types)
        values["holders"] = as_json(side.causes.chains)
    return values


def _records_of(view: View, leak: Leak, line: Location | None) -> list[AllocationRecord]:
    """Return memray's records of this leak: those at its line, where that is known."""
    result = records(view, leak.side)
    if not line:
        return [] if leak.holder else result[:5]
    here = (line.file, line.line)
    return [
        record
        for record in result
        if any((frame.file, frame.line) == here for frame in record.frames)
    ][:5]
