"""The section of one environment."""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import ERROR, WARNING
from envdoctor.model.records import WorkerExitRecord
from envdoctor.model.report import Report, SubjectReport
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.reporters._condition import condition
from envdoctor.reporters._costs import drawn
from envdoctor.reporters._folding import by_reason, name_places, worker_numbers
from envdoctor.reporters._particulars import connected, episodes, played_actions
from envdoctor.reporters._showing import bounded
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html import timeline
from envdoctor.reporters.html.cards import card
from envdoctor.reporters.html.growth import growth
from envdoctor.reporters.html.index import Index
from envdoctor.reporters.html.markup import Element, Node, tag
from envdoctor.reporters.html.matrix import matrix
from envdoctor.reporters.html.parts import breakable, folded, legend, sign, terms
from envdoctor.reporters.html.tables import faults, memory, storages

OPEN_CARDS = 8  # of an environment, before the rest is folded
MAX_TIMELINES = 40  # of a page
SHOWN_TIMELINES = 2  # of an environment, before the rest is folded
GROWTH = "growth"  # the part that findings of growth lead to


def subject(reported: SubjectReport, report: Report, index: Index, known: set[str]) -> Element:
    """Findings, checks, growth, timelines, costs and faults of one environment. `known` are the
    rules whose manual page stands above.
    """
    at = index.subjects[reported.spec]
    parts: tuple[tuple[str, str, Node], ...] = (
        ("found", "Findings", _cards(reported, report, index, known)),
        ("checks", "Checks by place", matrix(reported, report, index)),
        (GROWTH, "Growth", growth(reported)),
        ("storages", "Replay memory", storages(reported.storages)),
        ("lives", "Instances over time", list(_timelines(reported, report))),
        ("costs", "Cost of a worker", memory(reported.worker_costs)),
        ("faults", "Faults in a worker", faults(reported.faults)),
        ("skipped", "Not judged", _skipped(reported, report, index)),
    )
    shown = [(f"{at}-{name}", title, part) for name, title, part in parts if part]
    head = tag("h2", sign(condition(reported, report)), tag("span", breakable(reported.spec)))
    ways = tag(
        "nav",
        tag("ul", [tag("li", tag("a", title, href=f"#{anchor}")) for anchor, title, _ in shown]),
        aria_label=f"Parts of {reported.spec}",
    )
    sections = [tag("section", tag("h3", title), part, id=anchor) for anchor, title, part in shown]
    return tag(
        "section", head, _particulars(reported, report), ways, sections, class_="subject", id=at
    )


def _particulars(reported: SubjectReport, report: Report) -> Element:
    source = f"{reported.source.file}:{reported.source.line}" if reported.source else ""
    entries = (
        ("class", tag("code", reported.env_class) if reported.env_class else None),
        ("source", tag("code", source, class_="path") if source else None),
        ("played in", name_places(reported.managers, worker_numbers(report)) or "no place"),
        ("lacks", ", ".join(reported.lacks) or None),
        ("Python", tag("code", reported.python, class_="path") if reported.python else None),
        (
            "with",
            ", ".join(f"{name} {version}" for name, version in sorted(reported.frameworks.items()))
            or None,
        ),
        ("actions", played_actions(reported.actions) if reported.actions else None),
        ("whole episodes", episodes(reported.episodes) or None),
        ("drawing", drawn(reported.drawing) if reported.drawing else None),
        ("connected to", connected(reported.services) or None),
        ("took", f"{reported.seconds:.1f} s"),
    )
    return terms(entries, "particulars")


def _cards(reported: SubjectReport, report: Report, index: Index, known: set[str]) -> Node:
    workers, drawn = worker_numbers(report), []
    plots = f"{index.subjects[reported.spec]}-{GROWTH}" if reported.growth else ""
    for case, *rest in index.causes_of(reported.spec):
        of_growth = case.first.code.startswith("LEK")
        drawn.append(
            card(
                case,
                index.anchor(case),
                workers,
                case.first.code not in known,
                plots if of_growth else "",
                [(other, index.anchor(other)) for other in rest],
            )
        )
        known.add(case.first.code)
    return [*drawn[:OPEN_CARDS], _more(drawn[OPEN_CARDS:])] if drawn else None


def _more(cards: list[Element]) -> Node:
    """Cards that would make a page too long to be read, folded; a link into them opens them."""
    return folded(number(len(cards), "more finding"), cards) if cards else None


def _timelines(reported: SubjectReport, report: Report) -> Iterator[Node]:
    """A life in each place, those first in which something went wrong."""
    own = [
        trace
        for spec, trace in report.traces
        if spec == reported.spec and not trace.scenario.control and trace.scenario.traits.plain
    ]
    most = MAX_TIMELINES // max(1, len(report.subjects))
    ordered = sorted(own, key=lambda trace: not _eventful(trace))
    drawn = [
        figure
        for trace in ordered[:most]
        if (figure := timeline.draw(trace, name_places([trace.scenario.place])))
    ]
    if drawn:
        yield tag(
            "p",
            "Each column is a verb of the scenario, wider where it took longer, but not to scale:"
            " its time is written in it.",
            class_="quiet",
        )
        yield legend(_KEYS)
        yield drawn[:SHOWN_TIMELINES]
        rest = drawn[SHOWN_TIMELINES:]
        yield folded(number(len(rest), "other place"), rest) if rest else None
    if len(own) > most:
        yield tag(
            "p",
            f"{number(len(own) - most, 'timeline')} not drawn: a page of all of them would be too"
            " large.",
            class_="quiet",
        )


_KEYS = (
    ("process", "process"),
    ("starting", "starting"),
    ("process child", "process of the environment's"),
    ("instance", "instance"),
    ("instance kept", "instance that is still there at the end"),
    ("reset", "reset"),
    ("closing", "close()"),
)


def _eventful(trace: Trace) -> bool:
    died = any((event.code or 0) != 0 for event in trace.records(WorkerExitRecord))
    return trace.outcome.kind != FINISHED or died or bool(trace.left_processes)


def _skipped(reported: SubjectReport, report: Report, index: Index) -> Node:
    """Reasons, and what each kept from being judged. The matrix leads here."""
    own = [
        skipped for skipped in report.skipped if skipped.subject == reported.spec and skipped.code
    ]
    rows = [
        tag(
            "li",
            bounded(reason),
            ": ",
            tag("code", " ".join(codes)),
            id=index.reasons[reported.spec, reason],
        )
        for reason, codes in by_reason(own)
    ]
    return (
        folded(
            f"{number(len(own), 'check')} skipped, for {number(len(rows), 'reason')}",
            tag("ul", rows),
        )
        if rows
        else None
    )


def worst_first(report: Report) -> list[SubjectReport]:
    """The subjects in the order in which a reader wants them."""
    states = (ERROR, WARNING)
    return sorted(
        report.subjects,
        key=lambda item: (
            states.index(state) if (state := condition(item, report)) in states else len(states)
        ),
    )
