"""Faults that were put into a worker, as one table: what the user would see, and what stays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from envdoctor.model.faults import KILL, KINDS, SLOW_STEP
from envdoctor.model.meters import meter_of
from envdoctor.model.report import HANG, ITSELF, NOTHING, FaultReport
from envdoctor.reporters._lines import GAP, Grid, Line, line

HEADINGS = ("fault", "started by", "what you see", "left after close()")
METHODS = {"make": "the launch", "reset": "reset()", "step": "step()", "close": "close()"}

Cells = tuple[str, str, str]


def faults(reports: Iterable[FaultReport]) -> Iterator[Line | Grid]:
    """A table for each manager; start methods that end alike share a row."""
    managers: dict[tuple[str, str], list[FaultReport]] = {}
    for report in reports:
        managers.setdefault((report.manager, report.framework), []).append(report)
    for (manager, framework), texts in managers.items():
        yield line(
            "Faults put into one of two null environments under ",
            (manager, "bold"),
            f" ({framework})",
            hang=2,
        )
        shown = (
            HEADINGS
            if any(report.start_method for report in texts)
            else HEADINGS[:1] + HEADINGS[2:]
        )
        yield Grid(shown, tuple(_rows(texts)), wraps=frozenset((len(shown) - 2, len(shown) - 1)))
        yield GAP


def _rows(reports: list[FaultReport]) -> Iterator[tuple[tuple[str, str], ...]]:
    everywhere = {report.start_method or "" for report in reports}
    alike: dict[Cells, list[str]] = {}
    for report in sorted(
        reports, key=lambda report: (list(KINDS).index(report.fault), -report.worker)
    ):
        alike.setdefault((_fault(report), observed(report), stays(report)), []).append(
            report.start_method or ""
        )
    for (fault, what, after), methods in alike.items():
        how = "all" if everywhere == set(methods) else "/".join(methods)
        started = [] if everywhere == {""} else [(how, "")]
        yield (fault, ""), *started, (what, _style(what)), (after, "")


def _fault(report: FaultReport) -> str:
    return (
        f"{report.fault}, worker 0" if report.fault == KILL and report.worker == 0 else report.fault
    )


def _style(what: str) -> str:
    return "bold yellow" if what.startswith("hangs") else ""


def observed(report: FaultReport) -> str:
    """`EOFError in step(), then close() hangs`."""
    call = METHODS.get(report.call, report.call)
    if report.sees == HANG:
        return f"hangs in {call}"
    if report.sees == NOTHING:
        return f"waits {report.seconds:.0f} s for it" if report.fault == SLOW_STEP else "nothing"
    name = "its error" if report.sees == ITSELF else report.error.partition(":")[0]
    then = {"": "", HANG: ", then close() hangs"}.get(
        report.close, f", then {report.close.partition(':')[0]} in close()"
    )
    return f"{name} in {call}{then}"


def _kept(sensor: str) -> tuple[str, str]:
    """One and many of what stayed after all had been given back."""
    known = meter_of(sensor)
    return f"{known.singular or sensor} kept for good", f"{known.plural or sensor} kept for good"


def stays(report: FaultReport) -> str:
    """`1 worker, 1 zombie; 1 never closed`; a dash where all is gone."""
    if report.workers is None:
        return "unknown: it had to be ended"
    counted = (
        ("worker", "workers", report.workers),
        ("zombie", "zombies", report.zombies or 0),
        ("environment never closed", "environments never closed", report.unclosed),
        *((*_kept(sensor), number) for sensor, number in report.leaks.items()),
    )
    return (
        ", ".join(
            f"{number} {text if number == 1 else many}" for text, many, number in counted if number
        )
        or "-"
    )
