"""The state of a training for people: in the last rows of `watch`, and in `top`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

from rich.console import Group
from rich.table import Table
from rich.text import Text

from envdoctor.model.units import duration, size
from envdoctor.reporters._showing import clean
from envdoctor.rules.evidence.training import of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from envdoctor.watch.standing import Row, Trainer, TrainingStanding

BARS = "▁▂▃▄▅▆▇█"
COLUMNS = ("pid", "environment", "resets", "steps", "steps/s", "RSS", "grows", "now")
YIELDING = ("environment", "grows")  # where there is little room
NUMBERS = ("pid", "resets", "steps", "steps/s", "RSS")
MOST, LONGEST = 3, 2  # remarks, and rows of each, where there is little room


def view(
    shown: TrainingStanding, columns: int, rows: int = 0, share: float | None = None
) -> RenderableType:
    """All of it, or as much as `rows` have room for (0: all). `share` of a core is what watching
    takes.
    """
    head = [_title(shown, columns, share), *map(_line, _counts(shown))]
    remarks = _remarks(shown.remarks, columns, MOST if rows else len(shown.remarks))
    room = rows - len(head) - len(remarks) - 1 if rows else len(shown.rows)
    chosen = _chosen(shown.rows, room)
    hidden = _more(len(shown.rows) - len(chosen), "process", "processes")
    return Group(*head, *([_table(chosen)] if chosen else ()), *hidden, *remarks)


def _title(shown: TrainingStanding, columns: int, share: float | None) -> Text:
    """The command, which gives way where there is little room, and how long it has run."""
    workers = f"{shown.running} of {of(shown.workers, 'worker')} running" if shown.workers else ""
    cost = f"watching: {100 * share:.1f} % of a core" if share is not None else ""
    words = "".join(f"  {word}" for word in (duration(shown.seconds), workers, cost) if word)
    title = _line(shown.title, style="bold")
    title.truncate(max(0, columns - len(words)), overflow="ellipsis")
    return title + Text(words)


def _remarks(remarks: Sequence[str], columns: int, most: int) -> list[Text]:
    """Two rows each at most, where there is little room."""
    shown = []
    for remark in remarks[:most]:
        rows = wrap(clean(f"! {remark}", unicode=True), columns, subsequent_indent="  ")
        shown += [_line(row, style="bold") for row in (rows if most > MOST else rows[:LONGEST])]
    return [*shown, *_more(len(remarks) - most, "remark")]


def _counts(shown: TrainingStanding) -> Iterator[str]:
    counts = f"{of(shown.resets, 'reset')}, {of(shown.steps, 'step')}, {shown.pace:,.0f} steps/s"
    dropped = f", {shown.dropped:,} freed without a close()" if shown.dropped else ""
    if shown.attached:
        yield "seen from outside: calls and instances are not counted"
    else:
        yield f"{of(shown.made, 'instance')} made, {shown.open:,} open{dropped}; {counts}"
    if shown.trainer is not None:
        yield _trainer(shown.trainer)


def _trainer(trainer: Trainer) -> str:
    held = [
        of(number, noun)
        for number, noun in ((trainer.descriptors, "descriptor"), (trainer.threads, "thread"))
        if number is not None
    ]
    return f"trainer {trainer.pid}  {size(trainer.rss)} {_curve(trainer.curve)}  {', '.join(held)}"


def _curve(numbers: Sequence[int]) -> str:
    """Numbers as bars, from the least one to the greatest."""
    least, most = min(numbers), max(numbers)
    span = max(most - least, most // 50, 1)  # what moves by less than 2 % is flat
    return "".join(BARS[(number - least) * (len(BARS) - 1) // span] for number in numbers)


def _chosen(rows: Sequence[Row], room: int) -> Sequence[Row]:
    """As many as there is room for, those first that grow or are in a long call."""
    if len(rows) <= room:
        return rows
    first = sorted(rows, key=lambda row: not (row.grows or " " in row.now))[: max(0, room - 1)]
    return [row for row in rows if row in first]


def _more(number: int, noun: str, plural: str = "") -> list[Text]:
    return [_line(f"and {of(number, f'more {noun}', plural and f'more {plural}')}")] * (number > 0)


def _table(rows: Sequence[Row]) -> Table:
    cells = [_cells(row) for row in rows]
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    counted = any(row.class_name for row in rows)
    filled = {"grows": any(row.grows for row in rows)}
    filled |= dict.fromkeys(("environment", "resets", "steps", "steps/s"), counted)
    shown = [at for at, name in enumerate(COLUMNS) if filled.get(name, True)]
    for at in shown:
        name = COLUMNS[at]
        justify: Literal["left", "right"] = "right" if name in NUMBERS else "left"
        table.add_column(name, justify=justify, no_wrap=name not in YIELDING)
    for row in cells:
        table.add_row(*(_line(row[at]) for at in shown))
    return table


def _cells(row: Row) -> tuple[str, ...]:
    return (
        str(row.pid),
        row.class_name,
        f"{row.resets:,}",
        f"{row.steps:,}",
        f"{row.pace:,.0f}",
        size(row.rss) if row.rss else "",
        row.grows,
        f"{row.role}: {row.now}" if row.now else row.role,
    )


def _line(text: str, style: str = "") -> Text:
    """A text on one row: names in it are the user's."""
    return Text(clean(text, unicode=True), style=style, no_wrap=True, overflow="ellipsis")
