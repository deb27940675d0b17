"""The lines of a screen, as values."""

from __future__ import annotations

from envdoctor.model.fast_dataclass import dataclass


@dataclass(frozen=True)
class Line:
    """A paragraph of (text, style) pieces. Lines after the first are indented by `hang` columns; a
    `verbatim` one is for pasting and never wrapped, a `cut` one ends where the page does. One
    without pieces is a gap.
    """

    pieces: tuple[tuple[str, str], ...] = ()
    hang: int = 0
    verbatim: bool = False
    cut: bool = False


@dataclass(frozen=True)
class Grid:
    """A table: headings, and rows of (text, style) cells. Columns that hold numbers are set
    `right`; those of `wraps` may take several lines where the page is narrow. Both are counted from
    0.
    """

    headings: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]
    right: frozenset[int] = frozenset()
    indent: int = 2
    wraps: frozenset[int] = frozenset()


GAP = Line()


def line(*pieces: str | tuple[str, str], hang: int = 2) -> Line:
    """A paragraph; a piece without a style is plain."""
    return Line(tuple((piece, "") if isinstance(piece, str) else piece for piece in pieces), hang)
