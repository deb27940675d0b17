"""Tables in the section of an environment: faults, replay storages and the cost of workers."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.report import HANG, ITSELF, FaultReport, StorageReport, WorkerCost
from envdoctor.model.units import size
from envdoctor.reporters._costs import suggestion
from envdoctor.reporters._faults import HEADINGS, observed, stays
from envdoctor.reporters._lines import Grid
from envdoctor.reporters._storages import storages as storage_rows
from envdoctor.reporters.html.columns import duration
from envdoctor.reporters.html.markup import Element, Node, percent, tag
from envdoctor.reporters.html.parts import legend, sideways, table


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


def storages(reports: Sequence[StorageReport]) -> Node:
    """The table that the terminal has, and its sentences."""
    parts: list[Node] = []
    for each in storage_rows(reports, unicode=True):
        if isinstance(each, Grid):
            rows = [[text for text, _ in row] for row in each.rows]
            parts.append(sideways(table(each.headings, rows, "Replay storages"), "Replay storages"))
        else:
            parts.append(tag("p", "".join(text for text, _ in each.pieces).strip()))
    return parts or None


def memory(costs: Sequence[WorkerCost]) -> Node:
    """A row for each place: its own memory, its share of what is shared, how long the workers
    took to start, how many fit.
    """
    if not costs:
        return None
    most = max(max(cost.uss, cost.pss) for cost in costs) or 1
    slowest = max(cost.seconds for cost in costs) or 1.0
    head = (
        "manager",
        "start method",
        "memory of a worker",
        "until all had their instance",
        "fit into memory",
    )
    rows = [_row(cost, most, slowest) for cost in costs]
    key = (
        ("uss", "its own (USS)"),
        ("shared", "its share of what is shared (PSS - USS)"),
        ("time", "time to start"),
    )
    cores = f" There are {costs[0].cores} cores." if costs[0].cores else ""
    lightest = min(costs, key=lambda worker_cost: (worker_cost.uss, worker_cost.seconds))
    cores += f" {lightest.manager}, {lightest.start_method}{suggestion(lightest)}."
    note = tag(
        "p",
        f"Each of the largest of {costs[0].workers} workers, after its steps.{cores}",
        class_="quiet",
    )
    return (
        sideways(table(head, rows, class_="records bars"), "What workers cost"),
        legend(key),
        note,
    )


def _row(cost: WorkerCost, most: int, slowest: float) -> tuple[Node, ...]:
    shared = max(0, cost.pss - cost.uss)
    weighs = _bar(
        [(cost.uss / most, "uss"), (shared / most, "shared")], f"{size(cost.uss)} + {size(shared)}"
    )
    takes = _bar([(cost.seconds / slowest, "time")], duration(cost.seconds))
    fit = f"{cost.fit:,}" if cost.fit is not None else "not known"
    return cost.manager, cost.start_method, weighs, takes, fit


def _bar(parts: Sequence[tuple[float, str]], words: str) -> Node:
    """Parts one after the other, with their words beside them."""
    boxes, left = [], 0.0
    for share, style in parts:
        boxes.append(
            tag("rect", x=percent(left), width=percent(max(share, 0.002)), height=14, class_=style)
        )
        left += share
    return tag("svg", boxes, width="100%", height=14, aria_hidden="true"), tag("span", words)
