"""A line plot whose shapes stretch with the page while its words do not: words are HTML, shapes
a drawing without a fixed size.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.reporters.html.markup import Element, clipped, tag

TICKS = 4  # intervals of an axis
MAX_SERIES = 6  # styles that can be told apart
MAX_POINTS = 200


@dataclass(frozen=True)
class PlotSeries:
    """One line: its name and its (x, y) points, in order of x; a flat one is drawn quietly."""

    name: str
    points: tuple[tuple[float, float], ...]
    flat: bool = False


def top_of(most: float, unit: float = 1.0) -> float:
    """The least round number (1, 2, 2.5 or 5 times a power of ten, times the ticks) of units that
    an axis from 0 to `most` can end at. Bytes are round in KiB and MiB, not in thousands.
    """
    if not most > 0 or not math.isfinite(most):
        return 1.0
    if unit != 1.0:
        return top_of(most / unit) * unit
    step = most / TICKS
    power = 10.0 ** math.floor(math.log10(step))
    factor = next(factor for factor in (1, 2, 2.5, 5, 10) if factor * power >= step * 0.9999)
    return factor * power * TICKS


def steps_to(last: float) -> tuple[float, int]:
    """(step, how many) of the axis of what is counted: whole round steps, four to six of them, that
    end as soon behind the last point as can be.
    """
    result = [
        (factor * 10.0**power, ticks)
        for ticks in (4, 5, 6)
        for power in range(13)
        for factor in (1, 2, 2.5, 5)
        if factor * 10.0**power * ticks >= last and (factor * 10.0**power).is_integer()
    ]
    return min(result, key=lambda item: item[0] * item[1], default=(last / TICKS, TICKS))


def line_plot(
    title: str,
    series: Sequence[PlotSeries],
    names: tuple[str, str],
    y_label: Callable[[float], str],
    text: str,
    unit: float = 1.0,
) -> Element:
    """The plot: y from 0 (or from below, where something shrank), x from 0 to the last point.
    `names` are those of the axes, x and y; `unit` is what y is round in.
    """
    shown = series[:MAX_SERIES]
    points = [point for series in shown for point in series.points]
    step, number = steps_to(max((x for x, _ in points), default=1.0) or 1.0)
    last = step * number
    high = top_of(max((y for _, y in points), default=0.0), unit)
    least = min((y for _, y in points), default=0.0)
    low = -top_of(-least, unit) if least < 0 else 0.0
    ticks = [low + (high - low) * (TICKS - at) / TICKS for at in range(TICKS + 1)]

    def place(point: tuple[float, float]) -> tuple[float, float]:
        return 100 * point[0] / last, 100 * (high - point[1]) / (high - low)

    drawing = tag(
        "svg",
        tag("title", title),
        tag("desc", text),
        _grid(),
        [_line(series, at, place, y_label, names[0]) for at, series in enumerate(shown)],
        role="img",
        aria_label=clipped(text, 900),
        class_="plot",
        viewBox="0 0 100 100",
        preserveAspectRatio="none",
    )
    y_axis = tag(
        "div", [tag("span", y_label(tick)) for tick in ticks], class_="y", aria_hidden="true"
    )
    marks = [f"{step * at:,.0f}" for at in range(number + 1)]
    x_axis = tag("div", [tag("span", mark) for mark in marks], class_="x", aria_hidden="true")
    named = [
        tag("div", name, class_=f"name of-{axis}", aria_hidden="true")
        for axis, name in zip("xy", names, strict=True)
    ]
    return tag("div", y_axis, drawing, x_axis, named, class_="axes")


def _grid() -> list[Element]:
    return [tag("path", d=f"M0 {100 * at / TICKS:g}H100", class_="grid") for at in range(TICKS + 1)]


def _line(
    series: PlotSeries,
    at: int,
    place: Callable[[tuple[float, float]], tuple[float, float]],
    y_label: Callable[[float], str],
    x_label: str,
) -> list[Element]:
    """The line and its points. A point is a stroke without length: it stays round however the
    drawing is stretched.
    """
    style = "flat" if series.flat else f"line-{at}"
    spots = [place(point) for point in series.points[:MAX_POINTS]]
    way = "M" + "L".join(f"{x:.2f} {y:.2f}" for x, y in spots)
    dots = [
        tag(
            "path",
            tag("title", f"{series.name}: {y_label(y)} after {x:,.0f} {x_label}"),
            d=f"M{spot[0]:.2f} {spot[1]:.2f}h0",
            class_=f"dot {style}",
        )
        for spot, (x, y) in zip(spots, series.points, strict=False)
    ]
    return [tag("path", d=way, class_=f"line {style}"), *dots]


def key(series: Sequence[PlotSeries]) -> Element:
    """The key to the lines of a plot."""
    return tag(
        "ul",
        [
            tag(
                "li",
                tag("span", "", class_=f"key {'flat' if series.flat else f'line-{at}'}"),
                series.name,
            )
            for at, series in enumerate(series[:MAX_SERIES])
        ],
        class_="legend",
    )
