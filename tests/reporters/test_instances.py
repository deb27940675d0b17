"""The instances of a run, on the screen and in the document."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from syrupy.assertion import SnapshotAssertion

from envdoctor.model.events import Event
from envdoctor.model.report import Report
from envdoctor.model.scenario import DIRECT
from envdoctor.model.trace import Trace
from envdoctor.reporters.json_v1 import render as render_json
from envdoctor.reporters.terminal import render
from envdoctor.rules.engine.examples import fact, instance, raised, verb
from tests.reporters.reports import ASYNC, report, trace
from tests.reporters.test_json_v1 import VALIDATOR


def at(t: float, event: Event) -> Event:
    return {**event, "t": t}


SCRIPT = [
    at(t, verb(name, state))
    for t, name, state in (
        (1, "make", "began"),
        (3, "make", "ended"),
        (5, "close", "began"),
        (7, "close", "ended"),
    )
]


def life(
    *serials: int,
    pid: int = 1,
    parent: bool = True,
    address: int = 99,
    closed: float = 6,
    error: Any = None,
) -> list[Event]:
    events = []
    for serial in serials:
        own: dict[str, Any] = {"pid": pid, "parent": parent, "id": address}
        events += [
            at(2, instance("made", serial, type="forklift.Forklift", **own)),
            at(closed, instance("closing", serial, resets=serial, **own)),
            at(
                closed,
                (
                    instance("close-raised", serial, error=error, **own)
                    if error
                    else instance("closed", serial, **own)
                ),
            ),
            at(closed + 0.5, instance("finalized", serial, **own)),
        ]
    return events


def handle(
    name: str = "_client", rebuilt: int = 2, unreleased: int = 0, **more: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "type": "Client",
        "releases": ["close"],
        "resets": 3,
        "rebuilt": rebuilt,
        "replaced": rebuilt,
        "unreleased": unreleased,
        "left": ["socket"] * unreleased,
        "collectable": False,
        "kept": 0,
        **more,
    }


def played(
    *events: Event, name: str = "life", manager: str = DIRECT, method: str | None = None
) -> Trace:
    return replace(trace(name, manager, method), events=(*SCRIPT, *events))


SEVERAL = report(
    traces=(
        played(
            *life(1, 2),
            fact(
                "handles",
                [
                    handle(rebuilt=0),
                    handle("_log"),
                    handle("\x1b[31mred" * 9, unreleased=2),
                    handle(kept=1),
                ],
            ),
        ),
        played(*life(3, error=raised("ValueError", "no file")), name="reopen"),
        *(
            played(
                *life(1, closed=2.5), *life(1, pid=7, parent=False), manager=ASYNC, method=method
            )
            for method in ("fork", "spawn")
        ),
    )
)


def table(shown: Report) -> str:
    lines = [line.rstrip() for line in render(shown, verbosity=1).splitlines()]
    return "\n".join(lines[lines.index("") + 1 : -1]).split("\n\n")[0]


def test_identical_fates_share_a_row(snapshot: SnapshotAssertion) -> None:
    assert table(SEVERAL) == snapshot
    assert max(map(len, render(SEVERAL, verbosity=1).splitlines())) <= 80
    assert "\u2026" not in table(SEVERAL)  # rich cuts nothing


def test_without_v_nothing_is_said() -> None:
    assert "instances of" not in render(SEVERAL)


def test_the_document_has_each_of_them() -> None:
    document = json.loads(render_json(SEVERAL))
    VALIDATOR.validate(document)
    first, second = document["scenarios"][0]["instances"]
    assert (first["serial"], first["same_address_as"], second["same_address_as"]) == (1, None, 1)
    assert first["closings"] == [{"during": "close", "error": ""}]
    assert [one["worker"] for one in document["scenarios"][2]["instances"]] == [False, True]
    assert document["scenarios"][0]["handles"][0]["name"] == "_client"


def test_hundreds_of_fates_are_cut() -> None:
    many = report(
        traces=tuple(played(*life(1, error=raised(f"Error{number}", ""))) for number in range(40))
    )
    assert "and 28 other fates, with --format json" in render(many, verbosity=1)
