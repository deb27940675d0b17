"""Faults that were put into workers: what the user would see, and what stays."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.report import HANG, ITSELF, FaultReport
from envdoctor.reporters._faults import HEADINGS, observed, stays
from envdoctor.reporters.html.markup import Element, Node, tag
from envdoctor.reporters.html.parts import sideways, table


def faults(reports: Sequence[FaultReport]) -> Node:
    """A table for each manager; start methods that end alike share a row."""
    managers: dict[tuple[str, str], list[FaultReport]] = {}
    for report in reports:
        managers.setdefault((report.manager, report.framework), []).append(report)
    return [
        _table(manager, framework, reports) for (manager, framework), reports in managers.items()
    ] or None


def _table(manager: str, framework: str, reports: Sequence[FaultReport]) -> Element:
    alike: dict[tuple[str, str, str, str], list[str]] = {}
    for report in reports:
        style = (
            "error"
            if HANG in (report.sees, report.close)
            else "clear"
            if report.sees == ITSELF
            else "warning"
        )
        alike.setdefault(
            (f"{report.fault}, worker {report.worker}", observed(report), stays(report), style), []
        ).append(report.start_method or "")
    rows = [
        (fault, ", ".join(methods), tag("span", what, class_=f"word {style}"), after)
        for (fault, what, after, style), methods in alike.items()
    ]
    return sideways(
        table(HEADINGS, rows, f"{manager} ({framework}), two null environments"),
        f"Faults under {manager}",
    )
