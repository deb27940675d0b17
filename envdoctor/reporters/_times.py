"""The time of each scenario, longest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from envdoctor.model.records import VerbRecord
from envdoctor.model.report import Report
from envdoctor.model.scenario import verb_name
from envdoctor.model.trace import Trace
from envdoctor.reporters._folding import name_places
from envdoctor.reporters._lines import GAP, Grid, Line, line

LONGEST_VERBS = 2  # named for each scenario
HEADINGS = ("ms", "share", "played", "mostly in")


def times(report: Report) -> Iterator[Line | Grid]:
    """A table of what was played, in milliseconds as the doctor waited for it, and the rest of
    the run as its last row.
    """
    groups: dict[tuple[str, str, bool], list[Trace]] = {}
    for _, trace in report.traces:
        scenario = trace.scenario
        groups.setdefault(
            (scenario.name, name_places([scenario.place]), scenario.control), []
        ).append(trace)
    spent = {key: sum(trace.outcome.seconds for trace in traces) for key, traces in groups.items()}
    longest = sorted(spent, key=lambda key: -spent[key])
    rows = [
        _row(spent[key], report.seconds, _name(*key, len(groups[key])), _mostly(groups[key]))
        for key in longest
    ]
    waited = sum(spent.values())
    # Subjects that were examined side by side were waited for at the same time: then no
    # rest remains.
    rest = (
        [_row(report.seconds - waited, report.seconds, "starting, judging, ending", "")]
        if waited <= report.seconds
        else []
    )
    yield line("Where the time went")
    yield Grid(HEADINGS, tuple(rows + rest), frozenset((0, 1)), wraps=frozenset((2, 3)))
    yield GAP


def _row(seconds: float, total: float, name: str, mostly: str) -> tuple[tuple[str, str], ...]:
    share = f"{seconds / total:.0%}" if total else ""
    return ((f"{seconds * 1000:,.0f}", ""), (share, ""), (name, ""), (mostly, "dim"))


def _name(scenario: str, place: str, control: bool, trace: int) -> str:
    times_played = f" x{trace}" if trace > 1 else ""
    return f"{scenario} [{place}{', control' if control else ''}]{times_played}"


def _mostly(traces: Iterable[Trace]) -> str:
    """`make 150, close 20`; what is not in verbs went into readings between them."""
    verbs: Counter[str] = Counter()
    for trace in traces:
        for event in trace.records(VerbRecord):
            verbs[verb_name(event.verb)] += round(event.seconds * 1e6)
    return ", ".join(
        f"{name} {micros / 1000:,.0f}"
        for name, micros in verbs.most_common(LONGEST_VERBS)
        if micros >= 1000
    )
