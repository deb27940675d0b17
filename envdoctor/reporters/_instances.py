"""The instances on the screen: scenarios with identical fates share a row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.analysis.instances import COLLECTED, NEVER, Instance, instances
from envdoctor.model.facts import FollowedHandle, Handles
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace
from envdoctor.reporters._lines import GAP, Grid, Line, line
from envdoctor.reporters._showing import clean
from envdoctor.reporters._verdict import number

HEADINGS = ("instances of", "", "resets", "closed by", "gone")
MAX_ROWS = 12
MAX_CLOSED, MAX_NAME, MAX_TYPE = 23, 24, 14  # columns: two tables that fit into 80
MAX_HANDLES = 8
RELAUNCH = "relaunch"  # the scenario, and its verb
OF_RELAUNCHES = ("relaunch of", "pid", "serial", "id", "made by", "resets", "closed by")
NONE = "none"
BY = {"make": "launch", RELAUNCH: "relaunch", "close": "close()", "": NONE}
MOST_RELAUNCHED = 16

#: Which verb closed an instance, in words; what a manager calls in its own launch is its look at
#: the spaces.
CLOSERS = {
    "close": "close()",
    "make": "the launch",
    "relaunch": "the relaunch",
    "reset": "reset()",
    "step": "step()",
    "drop": "the drop",
    "": "later",
}

Cell = tuple[str, str]
Fate = tuple[str, str, str]  # whose, closed by whom, gone when
Lived = tuple[Trace, Instance]


def identities(report: Report) -> Iterator[Line | Grid]:
    """The instances of each subject, and the attributes that were followed across resets."""
    for spec in dict.fromkeys(spec for spec, _ in report.traces):
        traces = [
            trace for name, trace in report.traces if name == spec and not trace.scenario.control
        ]
        lived = [(trace, instance) for trace in traces for instance in instances(trace)]
        if lived:
            if len(report.subjects) > 1:
                yield line((spec, "bold"))
            yield from _table(lived)
            yield from _addresses(lived)
            yield from relaunches(traces)
            yield from _handles(
                [
                    handle
                    for trace in traces
                    for handle in (trace.fact(Handles) or Handles()).handles
                ]
            )
            yield GAP


def _table(lived: Iterable[Lived]) -> Iterator[Line | Grid]:
    fates: dict[Fate, list[Lived]] = {}
    for trace, instance in lived:
        fates.setdefault(
            (_whose(trace, instance), _closed(instance), instance.finalized), []
        ).append((trace, instance))
    shown = list(fates.items())[:MAX_ROWS]
    yield Grid(HEADINGS, tuple(_row(fate, alike) for fate, alike in shown), frozenset((1, 2)))
    if len(fates) > len(shown):
        yield line(f"  and {number(len(fates) - len(shown), 'other fate')}, with --format json")


def _whose(trace: Trace, instance: Instance) -> str:
    if trace.scenario.manager == DIRECT:
        return DIRECT
    side = ", worker" if instance.worker else ", parent" if trace.scenario.start_method else ""
    return trace.scenario.manager + side


def _closed(instance: Instance) -> str:
    if not instance.closings:
        return "none"
    errors = [
        closing.error.split(":", maxsplit=1)[0] for closing in instance.closings if closing.error
    ]
    by = CLOSERS.get(instance.closings[0].during, "in " + instance.closings[0].during)
    times = f" x{len(instance.closings)}" if len(instance.closings) > 1 else ""
    return _cut(by + times + (f": {errors[0]}" if errors else ""), MAX_CLOSED)


def _row(fate: Fate, alike: list[Lived]) -> tuple[Cell, ...]:
    whose, closed, gone = fate
    resets = [instance.resets for _, instance in alike]
    span = str(min(resets)) if min(resets) == max(resets) else f"{min(resets)}-{max(resets)}"
    more = "+" if any(instance.more_resets for _, instance in alike) else ""
    odd = "yellow" if gone in (COLLECTED, NEVER) else ""
    return (
        (whose, ""),
        (str(len(alike)), ""),
        (span + more, ""),
        (closed, "yellow" if ":" in closed else ""),
        (gone, odd),
    )


def _addresses(lived: list[Lived]) -> Iterator[Line]:
    """Yield the errors of a mere `id()`."""
    reused = sum(instance.address_of is not None for _, instance in lived)
    swapped = [instance for _, instance in lived if len(instance.objects) > 1]
    if reused:
        yield line(
            f"  {reused} of {number(len(lived), 'instance')} got the address (id) of an earlier one"
            " that was gone: another object.",
            hang=2,
        )
    if swapped:
        yield line(
            "  ",
            _swaps(
                next(
                    (
                        instance
                        for instance in swapped
                        if any(thing.made_at for thing in instance.objects)
                    ),
                    swapped[0],
                )
            ),
            hang=2,
        )


def _swaps(instance: Instance) -> str:
    """Return how often the innermost object was another one; where it was built, and whether the
    old ones were closed, where that was watched.
    """
    inner = instance.objects
    same = sum(innermost.address_of is not None for innermost in inner)
    at = f", {same} of them at the address of an earlier one" if same else ""
    made = next((innermost.made_at for innermost in inner if innermost.made_at), None)
    if made is None:
        return (
            f"The innermost object was another one {number(len(inner) - 1, 'time')} within one"
            f" life{at}."
        )
    closed = sum(bool(innermost.closed_during) for innermost in inner[:-1])
    return (
        f"The innermost object was another one {number(len(inner) - 1, 'time')} within one life,"
        f" built in {made.function}, {made.file}:{made.line}{at}; {closed} of {len(inner) - 1}"
        f" replaced {'was' if closed == 1 else 'were'} closed."
    )


def _handles(handles: list[FollowedHandle]) -> Iterator[Line | Grid]:
    """The attributes that hold something to be released."""
    rows = tuple(_handle(handle) for handle in handles[:MAX_HANDLES])
    if rows:
        yield Grid(("attribute", "type", "over resets", "replaced ones"), rows)
    if len(handles) > len(rows):
        yield line(
            f"  and {number(len(handles) - len(rows), 'other attribute')}, with --format json"
        )


def _handle(handle: FollowedHandle) -> tuple[Cell, ...]:
    after = (
        f"not released: {len(handle.left)}"
        if handle.left
        else f"kept: {handle.kept}"
        if handle.kept
        else "released"
        if handle.rebuilt
        else ""
    )
    span = (
        f"the same through {handle.resets}"
        if not handle.rebuilt
        else f"rebuilt by {handle.rebuilt} of {handle.resets}"
    )
    return (
        (_cut(handle.name, MAX_NAME), ""),
        (_cut(handle.type, MAX_TYPE), ""),
        (span, ""),
        (after, "yellow" if handle.left else ""),
    )


def _cut(text: object, columns: int) -> str:
    """Shorten a long name as it is shown; escapes count with their shown length."""
    words = clean(str(text), unicode=True)
    return words if len(words) <= columns else words[: columns - 3] + "..."


def relaunches(traces: Iterable[Trace]) -> Iterator[Grid]:
    """The table, where anything was launched again."""
    rows = [row for trace in traces if trace.scenario.traits.relaunches for row in _rows(trace)]
    if rows:
        yield Grid(OF_RELAUNCHES, tuple(rows[:MOST_RELAUNCHED]), frozenset((1, 2, 5)))


def _rows(trace: Trace) -> Iterator[tuple[tuple[str, str], ...]]:
    manager = trace.scenario.manager
    for instance in instances(trace):
        closed = _closer(instance)
        yield (
            (manager, ""),
            (str(instance.pid), ""),
            (str(instance.serial), ""),
            (f"{instance.id:#x}", ""),
            (_by(instance.made_during), ""),
            (str(instance.resets), ""),
            (closed, "yellow" if closed == NONE else ""),
        )


def _closer(instance: Instance) -> str:
    """Return the call that closed it first. A manager closes the old ones before it builds new
    ones, in one call.
    """
    return _by(instance.closings[0].during) if instance.closings else NONE


def _by(verb: str) -> str:
    return BY.get(verb, clean(verb, unicode=True))
