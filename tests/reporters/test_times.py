"""Division of the time of a run, as -vv prints it."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.trace import Trace
from envdoctor.reporters.terminal import render
from envdoctor.rules.engine.examples import verb
from tests.reporters.reports import ASYNC, report, trace


def lasting(seconds: float, *verbs: tuple[str, float], name: str = "life", **place: str) -> Trace:
    events = tuple(verb(played, seconds=spent) for played, spent in verbs)
    return replace(trace(name, seconds=seconds, **place), events=events)


def table(*traces: Trace, seconds: float) -> list[list[str]]:
    """The rows of the table, as words without the headings."""
    lines = render(report(traces=traces, seconds=seconds), width=100, verbosity=2).splitlines()
    start = lines.index("Where the time went") + 2
    rows = lines[start : lines.index("", start)]
    return [" ".join(row.split()).split(" ", 2) for row in rows]


def test_longest_first_with_the_rest_of_the_run_last() -> None:
    quick = lasting(0.1, ("make", 0.06), ("step:20", 0.03), ("close@1", 0.0001))
    slow = lasting(0.6, ("make", 0.5), ("close", 0.02), manager=ASYNC, method="spawn")
    assert table(quick, slow, seconds=1.0) == [
        ["600", "60%", "life [gymnasium-async, spawn] make 500, close 20"],
        ["100", "10%", "life [direct] make 60, step 30"],
        ["300", "30%", "starting, judging, ending"],
    ]


def test_repeated_scenario_is_one_row() -> None:
    assert table(*[lasting(0.2, ("block:7x1x20", 0.15), name="leak")] * 3, seconds=0.6)[0] == [
        "600",
        "100%",
        "leak [direct] x3 block 450",
    ]


def test_numbers_are_whole_on_a_narrow_page() -> None:
    slow = lasting(
        5.174,
        ("make", 3.326),
        ("close", 0.92),
        name="without-shared-memory",
        manager=ASYNC,
        method="forkserver",
    )
    screen = render(report(traces=[slow], seconds=6.0), width=80, verbosity=2)
    words = screen.split()
    assert {"5,174", "86%", "without-shared-memory", "forkserver]", "3,326,", "920"} <= set(words)
    assert max(map(len, screen.splitlines())) <= 80


def test_side_by_side_there_is_no_rest() -> None:
    assert len(table(lasting(2.0), lasting(2.0, name="reuse"), seconds=3.0)) == 2


def test_only_asked_for() -> None:
    assert "Where the time went" not in render(report(), verbosity=1)
