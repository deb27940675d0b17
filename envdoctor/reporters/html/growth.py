"""The hunt for growth in a page: a plot for each meter that grew, a table of all, the flame
graph, the holders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from envdoctor.analysis.growth.verdicts import FILLING, FLAT, LEAK, OPEN
from envdoctor.model.report import GrowthReport, MeterGrowth, SubjectReport
from envdoctor.reporters._folding import Place, name_places
from envdoctor.reporters._growth import NOUNS, TITLES, WORDS, amount, follows, unit, verdict
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.chains import chain
from envdoctor.reporters.html.flame import flame
from envdoctor.reporters.html.markup import Element, Node, clipped, tag
from envdoctor.reporters.html.parts import folded, sideways, table
from envdoctor.reporters.html.plots import Series, key, line_plot

MAX_NAMED = 8  # types, holders and caches

SHOWN = {LEAK: "error", FILLING: "warning", OPEN: "note", FLAT: "clear"}
AXES = ("cycle", "reset", "episode")


def growth(subject: SubjectReport) -> Node:
    """Each place where growth was hunted."""
    places: dict[Place, list[GrowthReport]] = {}
    for hunt in subject.growth:
        places.setdefault((hunt.manager, hunt.start_method), []).append(hunt)
    file = subject.source.file if subject.source else ""
    return [_place(place, hunts, file) for place, hunts in places.items()] or None


def _place(place: Place, hunts: Sequence[GrowthReport], file: str) -> Element:
    parts = [part for hunt in hunts for part in _verdict(hunt)]
    plots = list(_plots(hunts))
    whole = next((hunt for hunt in hunts if not hunt.side), hunts[0])
    told: list[Node] = [
        tag("h4", name_places([place])),
        parts,
        tag("div", plots, class_="plots") if plots else None,
        flame(whole.allocations, file) if _grew(whole) else None,
        list(_causes(whole)) if _grew(whole) else None,
        _table(whole) if whole.blocks else None,
    ]
    return tag("div", told, class_="hunt")


def _grew(hunt: GrowthReport) -> bool:
    return any(meter.kind != FLAT for meter in hunt.meters)


def _verdict(hunt: GrowthReport) -> Iterator[Element]:
    words, _ = verdict(hunt)
    worst = next(
        (
            kind
            for kind in (LEAK, FILLING, OPEN)
            if any(meter.kind == kind for meter in hunt.meters)
        ),
        FLAT if hunt.blocks else OPEN,
    )
    side = tag("b", f"{hunt.side}: ") if hunt.side else None
    yield tag("p", side, words, class_=f"growth {SHOWN[worst]}")
    if hunt.ended:
        yield tag("p", "It ended early: ", hunt.ended, ".")
    if hunt.tier == "degraded":
        yield tag("p", "Not all can be seen here: ", "; ".join(hunt.reasons), ".")


def _plots(hunts: Sequence[GrowthReport]) -> Iterator[Element]:
    """One for each meter that grew in any process; cycles, resets, episodes have an axis each."""
    for axis in AXES:
        seen = [hunt for hunt in hunts if unit(hunt) == axis and hunt.blocks]
        grown = dict.fromkeys(
            meter.meter for hunt in seen for meter in hunt.meters if meter.kind != FLAT
        )
        for name in sorted(
            grown,
            key=lambda name: all(
                follows(meter) for hunt in seen for meter in hunt.meters if meter.meter == name
            ),
        ):
            yield _plot(name, seen)


def _plot(name: str, hunts: Sequence[GrowthReport]) -> Element:
    found = [(hunt, meter) for hunt in hunts for meter in hunt.meters if meter.meter == name]
    series = [
        Series(
            hunt.side or name_places([(hunt.manager, hunt.start_method)]),
            _points(hunt, meter),
            flat=meter.kind == FLAT,
        )
        for hunt, meter in found
    ]
    units = f"{unit(hunts[0])}s"
    title = TITLES.get(name, name)
    told = f"{title} over {units}: " + "; ".join(
        f"{one.name} {_gain(name, one.points[-1][1])} after {one.points[-1][0]:,.0f}"
        for one in series
    )
    counted = NOUNS.get(name, ("", ""))[1] or "bytes"
    plot = line_plot(
        title,
        series,
        (units, f"{counted} more than at first"),
        lambda value: _gain(name, value),
        told,
        1.0 if NOUNS.get(name, ("", ""))[0] else _unit(series),
    )
    worst, meter = max(found, key=lambda pair: (pair[1].kind != FLAT, pair[1].rate))
    pace = f"{amount(name, meter.rate)} per {unit(worst)}" if meter.rate > 0 else ""
    caption = tag(
        "figcaption",
        title[:1].upper() + title[1:],
        " ",
        _word(meter),
        tag("span", pace, class_="quiet"),
    )
    style = "follows" if follows(meter) else None
    return tag(
        "figure",
        caption,
        plot,
        key(series) if len(series) > 1 else None,
        class_=style,
    )


def _unit(series: Iterable[Series]) -> float:
    """What an axis of so many bytes is round in: bytes, KiB, MiB, GiB."""
    most = max((abs(y) for one in series for _, y in one.points), default=0.0)
    return next((float(unit) for unit in (2**30, 2**20, 2**10) if most >= 4 * unit), 1.0)


def _word(meter: MeterGrowth) -> Element:
    if follows(meter):
        return tag("span", "follows", class_="word idle")
    return tag("span", WORDS[meter.kind][0], class_=f"word {SHOWN[meter.kind]}")


def _points(hunt: GrowthReport, meter: MeterGrowth) -> tuple[tuple[float, float], ...]:
    """What had been gained after each block."""
    return (
        (0.0, 0.0),
        *zip(
            map(float, accumulate(hunt.blocks)), map(float, accumulate(meter.deltas)), strict=False
        ),
    )


def _gain(meter: str, value: float) -> str:
    """`+94.3 KB`, `+100 KB`, `-3`, `0`."""
    if not value:
        return "0"
    counted = bool(NOUNS.get(meter, ("", ""))[0])
    return ("+" if value > 0 else "-") + (
        f"{abs(value):,.10g}" if counted else amount(meter, abs(value)).replace(".0 ", " ")
    )


def _table(hunt: GrowthReport) -> Element:
    told = table(
        ("meter", "in all", f"per {unit(hunt)}", "per operation", "verdict"),
        (_row(meter) for meter in hunt.meters),
    )
    blocks = (
        f"All {number(len(hunt.meters), 'meter')}, in {number(len(hunt.blocks), 'block')} of"
        f" {', '.join(map(str, hunt.blocks))} {unit(hunt)}s"
    )
    return folded(blocks, sideways(told, "All meters"))


def _row(meter: MeterGrowth) -> tuple[Node, ...]:
    operations = ", ".join(
        f"{amount(meter.meter, rate)} per {name}"
        for name, rate in meter.per_operation.items()
        if rate > 0
    )
    rate = amount(meter.meter, meter.rate) if meter.kind != FLAT and meter.rate > 0 else ""
    return (
        TITLES.get(meter.meter, meter.meter),
        _gain(meter.meter, sum(meter.deltas)),
        rate,
        operations,
        _word(meter),
    )


def _causes(hunt: GrowthReport) -> Iterator[Node]:
    """Which objects, and who holds them."""
    if hunt.allocations.get("missing"):
        yield tag("p", "Which line: not known, ", str(hunt.allocations["missing"]), class_="quiet")
    suspects = hunt.suspects
    holders = list(suspects.get("holders") or ())[:MAX_NAMED]
    if holders:
        yield tag("h5", "Who holds it")
        yield [
            chain(str(one.get("chain", "")), _held(str(one.get("type", "")), one.get("grew")))
            for one in holders
        ]
    yield from _listed(
        "Which objects there are more of",
        (f"{one['type']} +{one['grew']}" for one in suspects.get("types") or ()),
    )
    yield from _listed(
        "Which caches grew",
        (
            f"{one['what']}: {number(one['size'], 'entry', 'entries')}"
            for one in suspects.get("caches") or ()
        ),
    )


def _held(kind: str, grew: object) -> str:
    return f"{kind}, {grew} longer" if grew else kind


def _listed(title: str, texts: Iterable[str]) -> Iterator[Node]:
    shown = [tag("li", clipped(text, 160)) for text in texts][: MAX_NAMED * 2]
    if shown:
        yield tag("h5", title)
        yield tag("ul", shown, class_="chips")
