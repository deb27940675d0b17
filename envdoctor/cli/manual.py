"""Rules as a user reads them: the list and the pages."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby

from envdoctor.rules.engine.registry import (
    DIRECT_ONLY,
    IN_PROCESS,
    VECTOR_ONLY,
    WHERE_CHECKED,
    WHERE_COUNTED,
    WHERE_PLAYED,
    WHERE_WATCHED,
    Rule,
)

PLACES = {
    DIRECT_ONLY: "without a manager",
    IN_PROCESS: "without a manager and under those that start no workers",
    VECTOR_ONLY: "under each manager",
    WHERE_CHECKED: "once, where the managers of its framework are asked for",
    WHERE_COUNTED: "without a manager, with `--service-count`",
    WHERE_WATCHED: "by `envdoctor watch`, on a whole training",
    WHERE_PLAYED: "without a manager, and under those that growth is followed under",
}
PROSE = " " * 4  # code is indented further
HANG = " " * 17  # the columns of code and severity


def list_rules(rules: Iterable[Rule], width: int) -> str:
    """`CLS006  error    close-leaves-descriptors: close() leaves file descriptors open.`"""
    lines = (f"{rule.code}  {rule.severity:7}  {rule.name}: {rule.summary}" for rule in rules)
    return "".join(_fold(line, width, "", HANG) for line in lines)


def list_as_json(rules: Iterable[Rule]) -> str:
    """The list for programs."""
    entries = [
        {
            "code": rule.code,
            "name": rule.name,
            "severity": rule.severity,
            "summary": rule.summary,
            "where": rule.where,
            "scenarios": list(rule.needs),
            "sensors": list(rule.sensors),
            "meters": list(rule.meters),
        }
        for rule in rules
    ]
    return json.dumps(entries, indent=2) + "\n"


def page(rule: Rule, width: int) -> str:
    """The manual page. Its lines stand as their author broke them, unless they are wider than
    the terminal.
    """
    place = f"judged {PLACES.get(rule.where, 'without a manager and under each one')}"
    needs = [f"plays {' or '.join(rule.needs)}"] if rule.needs else []
    reads = (
        [f"reads {', '.join(rule.sensors + rule.meters)}"] if rule.sensors or rule.meters else []
    )
    head = f"{rule.code} {rule.name} ({rule.severity})\n" + _fold(
        "; ".join([place, *needs, *reads]) + ".", width, "", ""
    )
    return f"{head}\n" + "".join(_reflow(rule.manual.strip().splitlines(), width))


def _reflow(lines: list[str], width: int) -> Iterator[str]:
    """Prose wider than the terminal is filled anew by paragraph; headings, code and lists keep
    their lines.
    """
    for prose, group in groupby(
        lines,
        key=lambda line: line.startswith(PROSE) and line[len(PROSE) : len(PROSE) + 1] not in " -*",
    ):
        block = list(group)
        if prose and any(len(line) > width for line in block):
            yield _fold(" ".join(line.strip() for line in block), width, PROSE, PROSE)
        else:
            yield "".join(line + "\n" for line in block)


def _fold(line: str, width: int, first: str, rest: str) -> str:
    folded = textwrap.wrap(
        line,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(folded) + "\n"
