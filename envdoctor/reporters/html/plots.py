"""A line plot whose shapes stretch with the page while its words do not: words are HTML, shapes a drawing without a fixed size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from envdoctor.reporters.html.markup import Element, clipped, tag

TICKS = 4  # intervals of an axis
MAX_SERIES = 6  # styles that can be told apart
MAX_POINTS = 200


@dataclass(frozen=True)
class Series:
    """One line: its name and its (x, y) points, in order of x."""

    name: str
    points: tuple[tuple[float, float], ...]


def top_of(most: float) -> float:
    """The least round number (1, 2, 2.5 or 5 times a power of ten, times the ticks) that an axis from 0 to `most` can end at."""
    if not most > 0 or not math.isfinite(most):
        return 1.0
    step = most / TICKS
    power = 10.0 ** math.floor(math.log10(step))
    factor = next(factor for factor in (1, 2, 2.5, 5, 10) if factor * power >= step * 0.9999)
    return factor * power * TICKS


def line_plot(title: str, series: Sequence[Series], names: tuple[str, str], y_label: Callable[[float], str], told: str) -> Element:
    """The plot: y from 0 (or from below, where something shrank), x from 0 to the last point. `names` are those of the axes, x and y."""
    shown = series[:MAX_SERIES]
    points = [point for one in shown for point in one.points]
    last = max((x for x, _ in points), default=1.0) or 1.0
    high = top_of(max((y for _, y in points), default=0.0))
    low = -top_of(-min((y for _, y in points), default=0.0)) if any(y < 0 for _, y in points) else 0.0
    ticks = [low + (high - low) * (TICKS - at) / TICKS for at in range(TICKS + 1)]

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return 100 * point[0] / last, 100 * (high - point[1]) / (high - low)

    drawing = tag("svg", tag("title", title), tag("desc", told), _grid(), [_line(one, at, place, y_label, names[0]) for at, one in enumerate(shown)],
                  role="img", aria_label=clipped(told, 900), class_="plot", viewBox="0 0 100 100", preserveAspectRatio="none")  # fmt: skip
    y_axis = tag("div", [tag("span", y_label(tick)) for tick in ticks], class_="y", aria_hidden="true")
    marks = [f"{last * at / TICKS:,.0f}" for at in range(TICKS + 1)] if last >= TICKS else ["0", f"{last:,.0f}"]
    x_axis = tag("div", [tag("span", mark) for mark in marks], class_="x", aria_hidden="true")
    named = [tag("div", name, class_=f"name of-{axis}", aria_hidden="true") for axis, name in zip("xy", names, strict=True)]
    return tag("div", y_axis, drawing, x_axis, named, class_="axes")


def _grid() -> list[Element]:
    return [tag("path", d=f"M0 {100 * at / TICKS:g}H100", class_="grid") for at in range(TICKS + 1)]


def _line(
    one: Series, at: int, place: Callable[[tuple[float, float]], tuple[float, float]], y_label: Callable[[float], str], x_label: str
) -> list[Element]:
    """The line and its points. A point is a stroke without length: it stays round however the drawing is stretched."""
    spots = [place(point) for point in one.points[:MAX_POINTS]]
    way = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in spots)
    dots = [
        tag("path", tag("title", f"{one.name}: {y_label(y)} after {x:,.0f} {x_label}"), d=f"M{spot[0]:.2f} {spot[1]:.2f}h0", class_=f"dot line-{at}")
        for spot, (x, y) in zip(spots, one.points, strict=False)
    ]
    return [tag("path", d=way, class_=f"line line-{at}"), *dots]


def key(names: Sequence[str]) -> Element:
    """Which line is which."""
    return tag("ul", [tag("li", tag("span", "", class_=f"key line-{at}"), name) for at, name in enumerate(names[:MAX_SERIES])], class_="legend")
