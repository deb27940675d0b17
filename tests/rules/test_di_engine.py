"""Messages of rules on DI-engine's environments and managers, by values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from envdoctor.frameworks.hidden_instances import forgotten, hidden_ones
from envdoctor.model.environment_aims import Skip
from envdoctor.model.errors import ErrorValue
from envdoctor.model.events import Event
from envdoctor.model.facts import Described, Known, Survey
from envdoctor.model.trace import Trace
from envdoctor.plan import scenarios as planning
from envdoctor.rules.engine.examples import (
    direct_view,
    fact,
    instance,
    life_trace,
    raised,
    reading,
    trace,
    verb,
)
from envdoctor.rules.engine.registry import all_rules
from envdoctor.rules.engine.view import View

LAUNCH = verb("make", "began")
MANAGERS: dict[str, Any] = {
    "ding-base": {
        "available": True,
        "reason": "",
        "start_methods": [None],
        "apis": ["gymnasium", "ding"],
        "on_request": True,
        "relaunches": True,
        "hidden": 1,
        "expected": [["0.5", {"closes_hidden": False}]],
    },
    "ding-subproc": {
        "available": True,
        "reason": "",
        "start_methods": ["fork", "spawn"],
        "apis": ["gymnasium", "ding"],
        "on_request": True,
        "relaunches": True,
        "hidden": 1,
        "expected": [["0.5", {"closes_hidden": False, "zombies": 1}]],
    },
    "gymnasium-sync": {
        "available": True,
        "reason": "",
        "start_methods": [None],
        "apis": ["gymnasium"],
    },
}


def launch(*closed: int, serials: tuple[int, ...] = (1, 2, 3), **keys: Any) -> list[Event]:
    """One launch of a manager in one process: what it made, and what it closed."""
    return [
        LAUNCH,
        *(instance("made", serial, **keys) for serial in serials),
        verb("make"),
        *(instance("closing", serial) for serial in closed),
    ]


def hosted(
    *traces: Trace,
    alone: Trace | None = None,
    manager: str = "ding-base",
    method: str | None = None,
    **survey: Any,
) -> View:
    known = {
        "managers": MANAGERS,
        "frameworks": {"ding": "0.5.3"},
        "api": "ding",
        "env_class": "crane.Crane",
        **survey,
    }
    played = tuple(
        replace(one, scenario=replace(one.scenario, manager=manager, start_method=method))
        for one in traces
    )
    return View(
        "crane.py",
        manager,
        method,
        played,
        Known.decode(known),
        other_places=(*([alone] if alone else []), *played),
    )


def messages(code: str, view: View) -> list[str]:
    return [finding.message for finding in all_rules()[code].judge(view)]


def test_the_first_instance_of_each_launch_is_the_hidden_one() -> None:
    twice = trace(*launch(2, 3), *launch(5, 6, serials=(4, 5, 6)))
    assert [event.serial for event in hidden_ones(twice, 1)] == [1, 4]
    assert [event.serial for event in forgotten(twice, 1)] == [1, 4]
    assert forgotten(trace(*launch(1, 2, 3)), 1) == []
    assert list(hidden_ones(twice, 0)) == []


def test_an_instance_that_the_manager_is_known_to_forget_is_no_news() -> None:
    assert messages("CLS015", hosted(trace(*launch(2, 3)))) == []
    assert messages("CLS015", hosted(trace(*launch(2)))) == [
        "ding-base never called close() of 1 of 3 instances"
    ]
    # Nothing is known of that version.
    newer = hosted(trace(*launch(2, 3)), frameworks={"ding": "0.4"})
    assert messages("CLS015", newer) == ["ding-base never called close() of 1 of 3 instances"]


@pytest.mark.parametrize(
    ("code", "closed", "told"), [(-15, (2, 3), 0), (-15, (2,), 0), (0, (2,), 1), (-9, (2, 3), 0)]
)
def test_a_worker_that_was_ended_after_it_had_closed_is_no_death(
    code: int, closed: tuple[int, ...], told: int
) -> None:
    """Nobody is blamed for what lived in a worker that was ended before it could close."""
    exits: Event = {"event": "worker-exit", "t": 0.0, "pid": 1, "pid_of_worker": 1, "code": code}
    assert len(messages("CLS015", hosted(trace(*launch(*closed), exits)))) == told


def acquisition(**points: dict[str, str]) -> Trace:
    return life_trace(**{point: {"ports": ports} for point, ports in points.items()})


def test_ports_held_since_the_constructor_are_not_blamed_on_close() -> None:
    alone = acquisition(
        before={},
        made={"127.0.0.1:70/tcp": "pid 1"},
        stepped={"127.0.0.1:70/tcp": "pid 1"},
        held={},
        collected={},
    )
    left = {f"127.0.0.1:{port}/tcp": "pid 1" for port in (71, 72)}
    readings = [
        reading(point, {"ports": ports})
        for point, ports in (("before", {}), ("held", left), ("collected", left))
    ]
    managed = trace(*launch(2, 3), *readings)
    assert len(hosted(managed, alone=alone).left("ports", "held")) == 1
    lazy = acquisition(
        before={}, made={}, stepped={"127.0.0.1:70/tcp": "pid 1"}, held={}, collected={}
    )
    assert len(hosted(managed, alone=lazy).left("ports", "held")) == 2
    closed = trace(*launch(1, 2, 3), *readings)
    assert len(hosted(closed, alone=alone).left("ports", "held")) == 2


def defects(*traces: Trace) -> list[str]:
    view = direct_view(*traces, frameworks={"ding": "0.5.3"})
    return [str(finding.evidence["defect"]) for finding in all_rules()["DOC004"].judge(view)]


def test_defects_of_the_framework_show_in_traces() -> None:
    life = trace(
        *launch(2, 3),
        verb("close"),
        fact("zombies", 2),
        manager="ding-subproc",
        start_method="fork",
    )
    assert defects(life) == ["reference-never-closed", "workers-not-joined"]
    assert (
        defects(
            trace(
                *launch(1, 2, 3),
                verb("close"),
                fact("zombies", 0),
                manager="ding-subproc",
                start_method="fork",
            )
        )
        == []
    )
    assert defects(trace(*launch(2, 3), verb("close"), manager="gymnasium-sync")) == []
    renewed = trace(
        *launch(1, 2, 3),
        verb("close"),
        fact("zombies", 3),
        name="renewed",
        manager="ding-subproc",
        start_method="fork",
        options=(("retry_type", "renew"),),
    )
    assert defects(renewed) == ["renewed-workers-stay"]
    once = trace(
        *launch(1, 2, 3),
        verb("close"),
        fact("zombies", 2),
        name="renewed",
        manager="ding-subproc",
        start_method="fork",
        options=(("retry_type", "renew"),),
    )
    assert defects(once) == []
    behind = {
        **raised("RuntimeError", "Exception in thread(7)"),
        "cause": "AttributeError: 'Wrapped' object has no attribute '_env'",
    }
    assert defects(
        trace(verb("reset", "raised", error=behind), manager="ding-subproc", start_method="fork")
    ) == ["wrapper-not-reopenable"]
    shared = raised(
        "RuntimeError",
        "A SemLock created in a fork context is being shared with a process in a spawn context",
    )
    assert defects(
        trace(verb("make", "raised", error=shared), manager="ding-subproc", start_method="spawn")
    ) == ["shared-memory-only-forked"]


def test_seeding_numpy_as_the_guide_has_it_is_a_note() -> None:
    (example,) = [
        one
        for one in vars(__import__("sys").modules[all_rules()["SFX004"].judge.__module__])[
            "EXAMPLES"
        ]
        if "guide" in one.title
    ]
    assert [finding.severity for finding in all_rules()["SFX004"].judge(example.view)] == ["note"]


def places(
    api: str, managers: tuple[str, ...] = (), methods: tuple[str, ...] = ()
) -> list[tuple[str, str, str | None]]:
    scenarios, _ = planning.managed(
        "crane.py", Survey.decode({"managers": MANAGERS}), Described(api=api), managers, methods
    )
    return [(scenario.name, *scenario.place) for scenario in scenarios]


def test_an_expensive_framework_is_played_for_its_own_environments_or_where_it_is_named() -> None:
    assert places("gymnasium") == [("life", "gymnasium-sync", None)]
    assert places("gymnasium", ("ding-base",)) == [
        ("life", "ding-base", None),
        ("relaunch", "ding-base", None),
    ]
    assert places("ding") == [
        ("life", "ding-base", None),
        ("relaunch", "ding-base", None),
        ("life", "ding-subproc", "fork"),
        ("life", "ding-subproc", "spawn"),
        ("relaunch", "ding-subproc", "fork"),
        ("spawned-sharing", "ding-subproc", "spawn"),
    ]
    assert "spawned-sharing" not in {name for name, *_ in places("ding", methods=("fork",))}


def test_manager_that_cannot_host_it_says_so() -> None:
    _, skipped = planning.managed(
        "crane.py", Survey.decode({"managers": MANAGERS}), Described(api="ding"), (), ()
    )
    assert [one.reason for one in skipped] == [
        "it needs a gymnasium.Env; this is one of DI-engine, not played under it"
    ]


CLOSING = {
    "type": "builtins.AttributeError",
    "message": "'Crane' object has no attribute '_simulator'",
    "user": 0,
    "frames": [
        {"file": "crane.py", "line": 9, "function": "close", "text": "self._simulator.stop()"}
    ],
}


def test_remedies_speak_of_the_flag() -> None:
    script = "make close drop"
    view = direct_view(
        trace(
            verb("make"),
            verb("close", "raised", error=CLOSING),
            name="close-before-reset",
            script=script,
        ),
        api="ding",
    )
    (finding,) = all_rules()["CLS002"].judge(view)
    assert "self._init_flag" in finding.remedy.text
    assert finding.remedy.aim == Skip(ErrorValue.decode(CLOSING), unopened=True)
    again = trace(verb("close", at=3), verb("reset", "raised", at=4, error=raised()), name="reopen")
    (finding,) = all_rules()["CLS016"].judge(direct_view(again, api="ding"))
    assert "self._init_flag = False" in finding.remedy.text


def test_a_launch_that_fails_because_reset_does_is_no_worker_that_does_not_start() -> None:
    failed = trace(
        *launch()[:-1],
        instance("reset-raised", 2, error=raised()),
        verb("make", "raised", error=raised("RuntimeError", "Env 0")),
    )
    alone = trace(verb("make"), verb("reset", "raised", error=raised()))
    assert messages("VEC001", hosted(failed, alone=alone)) == []
    assert messages("VEC001", hosted(failed, alone=trace(verb("make"), verb("reset")))) == [
        "it does not start: RuntimeError: no"
    ]
