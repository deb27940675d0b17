"""The report for a person: findings worst first, each with its evidence, cause and remedy."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from io import StringIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from envdoctor.model.report import Report
from envdoctor.reporters._lines import Grid, Line
from envdoctor.reporters._screen import screen
from envdoctor.reporters._showing import clean, shorten

WIDE = 80  # columns from which on what wraps in a table keeps long words whole
MIN_COLUMNS = 20  # for the text beside a hanging indent, however narrow the terminal
# A word with the blanks after it. A number and its unit are one.
WORD = re.compile(r"(?:\S*\d (?=(?:s|min|h|bytes?|[KMG]iB|GB|MB)\b))?\S+\s*|^\s+")


def render(
    report: Report,
    *,
    width: int = 80,
    colour: bool = False,
    unicode: bool = True,
    verbosity: int = 0,
    directory: str = "",
    interactive: bool = False,
    **_options: object,
) -> str:
    """The screen, `width` columns wide; without `unicode` it is ASCII. Paths below `directory` are
    relative to it.

    Verbosity: 1 adds what passed and how each scenario went, 2 where the time went, -1 leaves the
    findings only, -2 nothing. `interactive`: it ends with what a person needs last.
    """
    # All settings are here, so that the text does not depend on where it is rendered (NO_COLOR,
    # TERM, notebooks).
    console = Console(
        file=StringIO(),
        width=width,
        height=100,
        force_terminal=colour,
        color_system="standard" if colour else None,
        no_color=not colour,
        force_jupyter=False,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as capture:
        for line in _without_double_gaps(
            screen(report, verbosity, unicode, interactive, directory)
        ):
            if isinstance(line, Grid):
                console.print(_table(line, unicode, width))
                continue
            # A Text is never read as markup, so an environment named [red] stays one.
            text = Text.assemble(
                *(
                    (clean(shorten(words, directory), unicode), style)
                    for words, style in line.pieces
                )
            )
            if line.cut:
                text.truncate(width, overflow="ellipsis" if unicode else "crop")
            for row in [text] if line.verbatim or line.cut else _wrap(text, width, line.hang):
                console.print(row, soft_wrap=True)
    return capture.get()


def _table(grid: Grid, unicode: bool, width: int) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    for at, heading in enumerate(("", *grid.headings)):
        wraps, right = at - 1 in grid.wraps, at - 1 in grid.right
        cells = [row[at - 1][0] for row in grid.rows] if at else []
        widest = max(map(cell_len, [heading, *cells] if wraps else cells), default=0)
        if wraps:
            least = min(widest, MIN_COLUMNS) if width >= WIDE else 0
        else:  # half a number is none
            least = widest if right else 0 if at else grid.indent - 2
        table.add_column(
            heading,
            justify="right" if right else "left",
            no_wrap=not wraps,
            overflow="fold" if wraps else "ellipsis",
            min_width=least,
        )
    for row in grid.rows:
        table.add_row("", *(Text(clean(words, unicode), style) for words, style in row))
    return table


def _wrap(text: Text, width: int, hang: int) -> Iterator[Text]:
    """Rows of a paragraph. Words longer than the page stay whole: a path that is broken cannot be
    clicked or pasted, and rich's own wrapping breaks them. A number stays with its unit.
    """
    room = max(width, hang + MIN_COLUMNS)
    breaks, column = [], 0
    for word in WORD.finditer(text.plain):
        if column > hang and column + cell_len(word[0].rstrip()) > room:
            breaks.append(word.start())
            column = hang
        column += cell_len(word[0])
    for at, row in enumerate(text.divide(breaks)):
        row.rstrip()
        yield Text(" " * hang) + row if at else row


def _without_double_gaps(lines: Iterable[Line | Grid]) -> Iterable[Line | Grid]:
    """An empty line only between two that are not."""
    waiting = started = False
    for line in lines:
        if isinstance(line, Line) and not line.pieces:
            waiting = started
            continue
        if waiting:
            yield Line()
        yield line
        waiting, started = False, True
