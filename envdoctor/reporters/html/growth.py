"""The leak check in a page: a plot for each meter that grew, a table of all, the flame
graph, the holders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from envdoctor.analysis.growth.verdicts import FILLING, FLAT, LEAK, OPEN
from envdoctor.model.facts import Suspects
from envdoctor.model.meters import meter_of
from envdoctor.model.report import GrowthReport, MeterGrowth, SubjectReport
from envdoctor.reporters._folding import Place, name_places
from envdoctor.reporters._growth import WORDS, amount, follows, unit, verdict
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.chains import chain
from envdoctor.reporters.html.flame import flame
from envdoctor.reporters.html.markup import Element, Node, clipped, tag
from envdoctor.reporters.html.parts import folded, sideways, table
from envdoctor.reporters.html.plots import PlotSeries, key, line_plot

MAX_NAMED = 8  # types, holders and caches

SHOWN = {LEAK: "error", FILLING: "warning", OPEN: "note", FLAT: "clear"}
AXES = ("cycle", "reset", "episode")


def growth(subject: SubjectReport) -> Node:
    """Each place where growth was looked for."""
    places: dict[Place, list[GrowthReport]] = {}
    for check in subject.growth:
        places.setdefault((check.manager, check.start_method), []).append(check)
    file = subject.source.file if subject.source else ""
    return [_place(place, checks, file) for place, checks in places.items()] or None


def _place(place: Place, checks: Sequence[GrowthReport], file: str) -> Element:
    parts = [part for check in checks for part in _verdict(check)]
    plots = list(_plots(checks))
    report = next((check for check in checks if not check.side), checks[0])
    texts: list[Node] = [
        tag("h4", name_places([place])),
        parts,
        tag("div", plots, class_="plots") if plots else None,
        flame(report.allocations, file) if report.allocations and _grew(report) else None,
        list(_causes(report)) if _grew(report) else None,
        _table(report) if report.blocks else None,
    ]
    return tag("div", texts, class_="leak-check")


def _grew(check: GrowthReport) -> bool:
    return any(meter.kind != FLAT for meter in check.meters)


def _verdict(check: GrowthReport) -> Iterator[Element]:
    words, _ = verdict(check)
    worst = next(
        (
            kind
            for kind in (LEAK, FILLING, OPEN)
            if any(meter.kind == kind and not follows(meter) for meter in check.meters)
        ),
        FLAT if check.blocks else OPEN,
    )
    side = tag("b", f"{check.side}: ") if check.side else None
    yield tag("p", side, words, class_=f"growth {SHOWN[worst]}")
    if check.ended:
        yield tag("p", "It ended early: ", check.ended, ".")
    if check.tier == "degraded":
        yield tag("p", "Not all can be seen here: ", "; ".join(check.reasons), ".")


def _plots(checks: Sequence[GrowthReport]) -> Iterator[Element]:
    """One for each meter that grew in any process; cycles, resets, episodes have an axis each."""
    for axis in AXES:
        reports = [check for check in checks if unit(check) == axis and check.blocks]
        grown = dict.fromkeys(
            meter.meter for check in reports for meter in check.meters if meter.kind != FLAT
        )
        for name in sorted(
            grown,
            key=lambda name: all(
                follows(meter) for check in reports for meter in check.meters if meter.meter == name
            ),
        ):
            yield _plot(name, reports)


def _plot(name: str, checks: Sequence[GrowthReport]) -> Element:
    result = [(check, meter) for check in checks for meter in check.meters if meter.meter == name]
    series = [
        PlotSeries(
            check.side or name_places([(check.manager, check.start_method)]),
            _points(check, meter),
            flat=meter.kind == FLAT,
        )
        for check, meter in result
    ]
    units = f"{unit(checks[0])}s"
    title = meter_of(name).title
    text = f"{title} over {units}: " + "; ".join(
        f"{series.name} {_gain(name, series.points[-1][1])} after {series.points[-1][0]:,.0f}"
        for series in series
    )
    counted = meter_of(name).plural or "bytes"
    plot = line_plot(
        title,
        series,
        (units, f"{counted} more than at first"),
        lambda value: _gain(name, value),
        text,
        1.0 if meter_of(name).singular else _unit(series),
    )
    worst, meter = max(result, key=lambda pair: (pair[1].kind != FLAT, pair[1].rate))
    pace = f"{amount(name, meter.rate)} per {unit(worst)}" if meter.rate > 0 else ""
    caption = tag(
        "figcaption",
        title[:1].upper() + title[1:],
        " ",
        _word(meter),
        tag("span", pace, class_="quiet"),
    )
    style = "follows" if follows(meter) else None
    return tag("figure", caption, plot, key(series) if len(series) > 1 else None, class_=style)


def _unit(series: Iterable[PlotSeries]) -> float:
    """The unit in which an axis of so many bytes is round: bytes, KiB, MiB, GiB."""
    most = max((abs(y) for series in series for _, y in series.points), default=0.0)
    return next((float(unit) for unit in (2**30, 2**20, 2**10) if most >= unit), 1.0)


def _word(meter: MeterGrowth) -> Element:
    if follows(meter):
        return tag("span", "follows", class_="word idle")
    return tag("span", WORDS[meter.kind][0], class_=f"word {SHOWN[meter.kind]}")


def _points(check: GrowthReport, meter: MeterGrowth) -> tuple[tuple[float, float], ...]:
    """The total growth after each block."""
    return (
        (0.0, 0.0),
        *zip(
            map(float, accumulate(check.blocks)), map(float, accumulate(meter.deltas)), strict=False
        ),
    )


def _gain(meter: str, value: float) -> str:
    """`+94.3 KB`, `+100 KB`, `-3`, `0`."""
    if not value:
        return "0"
    counted = bool(meter_of(meter).singular)
    return ("+" if value > 0 else "-") + (
        f"{abs(value):,.10g}" if counted else amount(meter, abs(value)).replace(".0 ", " ")
    )


def _table(check: GrowthReport) -> Element:
    element = table(
        ("meter", "in all", f"per {unit(check)}", "per operation", "verdict"),
        (_row(meter) for meter in check.meters),
    )
    blocks = (
        f"All {number(len(check.meters), 'meter')}, in {number(len(check.blocks), 'block')} of"
        f" {', '.join(map(str, check.blocks))} {unit(check)}s"
    )
    return folded(blocks, sideways(element, "All meters"))


def _row(meter: MeterGrowth) -> tuple[Node, ...]:
    operations = ", ".join(
        f"{amount(meter.meter, rate)} per {name}"
        for name, rate in meter.per_operation.items()
        if rate > 0
    )
    rate = amount(meter.meter, meter.rate) if meter.kind != FLAT and meter.rate > 0 else ""
    return (
        meter_of(meter.meter).title,
        _gain(meter.meter, sum(meter.deltas)),
        rate,
        operations,
        _word(meter),
    )


def _causes(check: GrowthReport) -> Iterator[Node]:
    """The objects that grow, and their holders."""
    if check.allocations and check.allocations.missing:
        yield tag("p", "Which line: not known, ", check.allocations.missing, class_="quiet")
    suspects = check.suspects or Suspects()
    holders = suspects.holders[:MAX_NAMED]
    if holders:
        yield tag("h5", "What holds it")
        yield [chain(holder.chain, _held(holder.type, holder.grew)) for holder in holders]
    yield from _listed(
        "Which objects there are more of",
        (f"{grown.type} +{grown.grew}" for grown in suspects.types),
    )
    yield from _listed(
        "Which caches grew",
        (f"{cache.what}: {number(cache.size, 'entry', 'entries')}" for cache in suspects.caches),
    )


def _held(kind: str, grew: int | None) -> str:
    return f"{kind}, {grew} longer" if grew else kind


def _listed(title: str, texts: Iterable[str]) -> Iterator[Node]:
    shown = [tag("li", clipped(text, 160)) for text in texts][: MAX_NAMED * 2]
    if shown:
        yield tag("h5", title)
        yield tag("ul", shown, class_="chips")
