"""Identity of instances over resets and a relaunch, one row an instance."""

from __future__ import annotations

from dataclasses import replace

from envdoctor.model.events import Event
from envdoctor.model.trace import Trace
from envdoctor.reporters._instances import OF_RELAUNCHES, relaunches
from envdoctor.rules.engine.examples import instance, verb
from tests.reporters.reports import trace

TIMES = {"make": (1, 3), "relaunch": (5, 7), "close": (9, 11)}
SCRIPT = [
    {**verb(name, state), "t": t}
    for name, times in TIMES.items()
    for t, state in zip(times, ("began", "ended"), strict=True)
]


def at(t: float, event: Event) -> Event:
    return {**event, "t": t}


def lived(serial: int, made: float, *closed: float) -> list[Event]:
    events = [at(made, instance("made", serial, type="crane.Crane"))]
    events += [at(t, instance("closing", serial, resets=3)) for t in closed]
    return events + [at(t + 0.1, instance("closed", serial)) for t in closed]


def played(*events: Event, name: str = "relaunch") -> Trace:
    return replace(trace(name, "ding-base", None), events=(*SCRIPT, *events))


def rows(*traces: Trace) -> list[list[str]]:
    return [[text for text, _ in row] for table in relaunches(traces) for row in table.rows]


def test_one_row_an_instance() -> None:
    shown = rows(played(*lived(1, 2), *lived(2, 2, 5.5), *lived(3, 6, 10)))
    assert [dict(zip(OF_RELAUNCHES[1:], row[1:], strict=True)) for row in shown] == [
        {
            "pid": "1",
            "serial": "1",
            "id": "0x1",
            "made by": "launch",
            "resets": "0",
            "closed by": "none",
        },
        {
            "pid": "1",
            "serial": "2",
            "id": "0x2",
            "made by": "launch",
            "resets": "3",
            "closed by": "relaunch",
        },
        {
            "pid": "1",
            "serial": "3",
            "id": "0x3",
            "made by": "relaunch",
            "resets": "3",
            "closed by": "close()",
        },
    ]


def test_no_table_where_nothing_was_launched_again() -> None:
    assert rows(played(*lived(1, 2, 10), name="life")) == []
