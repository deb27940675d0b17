"""Replay storages: what each was forecast to hold, what it held, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Sequence

from envdoctor.model.report import StorageReport
from envdoctor.reporters._lines import Grid
from envdoctor.reporters._storages import storages as storage_rows
from envdoctor.reporters.html.markup import Node, tag
from envdoctor.reporters.html.parts import sideways, table


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
