"""DI-engine's managers beyond one launch: launched again, a reset() that fails once and is
retried or renewed, parameters of reset().
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.frameworks.test_ding import MANAGERS, QUICK, examined, found, needs_ding
from tests.support.zoo import messages_of

pytestmark = [needs_ding, pytest.mark.everything]

UNDER_ALL = ("--managers", ",".join(MANAGERS), "--start-methods", "fork", *QUICK)
FRAMEWORKS_OWN = "note"


@pytest.fixture(
    scope="module",
    params=["di_engine.py:Levels", pytest.param("CartPole-v1", marks=pytest.mark.everything)],
)
def healthy(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """One of DI-engine's, and one of Gymnasium's in DI-engine's wrapper."""
    _, document = examined(request.param, *UNDER_ALL)
    return request.param, document


def hosted(document: dict[str, Any], name: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """(manager, its instances but the reference) of each play of one scenario with the subject."""
    for scenario in document["scenarios"]:
        if scenario["name"] == name and not scenario["control"]:
            yield (
                scenario["manager"],
                [one for one in scenario["instances"] if one["resets"] or one["closings"]],
            )


def fates(instances: list[dict[str, Any]]) -> list[tuple[str, int, list[str]]]:
    return sorted(
        (one["made_during"], one["resets"], [closing["during"] for closing in one["closings"]])
        for one in instances
    )


def test_healthy_environments_stay_healthy(healthy: tuple[str, dict[str, Any]]) -> None:
    _, document = healthy
    assert messages_of(document, "error", "warning") == []
    noted = {"CLS020"}  # only close() ends the simulator of a reset() that failed
    assert {finding["code"] for finding in document["findings"]} - noted == {"DOC004"}
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}


def test_a_renewed_instance_is_closed_before_another_one_takes_its_place(
    healthy: tuple[str, dict[str, Any]],
) -> None:
    played = dict(hosted(healthy[1], "renewed"))
    assert set(played) == set(MANAGERS)
    for instances in played.values():
        assert fates(instances) == [
            ("make", 1, ["reset"]),
            ("make", 2, ["close"]),
            ("reset", 1, ["close"]),
        ]


def test_a_retried_instance_is_closed_by_its_worker_only(
    healthy: tuple[str, dict[str, Any]],
) -> None:
    spec, document = healthy
    played = dict(hosted(document, "retried"))
    assert set(played) == set(MANAGERS)
    assert fates(played["ding-base"]) == [("make", 2, ["close"])] * 2
    for manager in MANAGERS[1:]:
        (retried,) = [
            one
            for one in played[manager]
            if one["closings"][0]["during"] == "reset"
            and one["resets"] == (1 if "CartPole" in spec else 2)
        ]
        assert len(retried["closings"]) == (1 if "CartPole" in spec else 2)


def test_the_wrapper_that_cannot_be_retried_is_the_frameworks(
    healthy: tuple[str, dict[str, Any]],
) -> None:
    spec, document = healthy
    notes = [finding for finding in document["findings"] if "_init_flag" in finding["message"]]
    assert len(notes) == ("CartPole" in spec)
    assert all(
        "DI-engine 0.5.3" in note["message"] and "retry_type='renew'" in note["remedy"]["text"]
        for note in notes
    )


def test_parameters_reach_every_reset(healthy: tuple[str, dict[str, Any]]) -> None:
    """Those of Gymnasium's take them, DI-engine's wrapper around them does not."""
    spec, document = healthy
    played = dict(hosted(document, "parameters"))
    assert set(played) == (set() if "CartPole" in spec else set(MANAGERS))
    for instances in played.values():
        assert [one["resets"] for one in instances] == [2, 2]


@pytest.mark.parametrize(
    ("name", "managers", "message", "remedy"),
    [
        (
            "KeepsRail",
            ["ding-base"],
            "in the place of one whose reset() failed raises RuntimeError: no rail is free",
            "retry_type='renew'",
        ),
        (
            "KeepsRailAndItself",
            ["ding-base"],
            "launch() after close() raises RuntimeError: no rail is free",
            "launched again",
        ),
        (
            "LosesLevel",
            ["ding-base", "ding-subproc"],
            "reset(level=0) raises TypeError",
            "reset_param",
        ),
        ("Rails", [], "", ""),
    ],
)
def test_failure_after_the_first_launch_is_an_interaction(
    name: str, managers: list[str], message: str, remedy: str
) -> None:
    _, document = examined(
        f"di_engine.py:{name}",
        "--managers",
        "ding-base,ding-subproc",
        "--start-methods",
        "fork",
        *QUICK,
    )
    sick = [finding for finding in document["findings"] if finding["severity"] != FRAMEWORKS_OWN]
    assert [(finding["code"], finding["manager"]) for finding in sick] == [
        ("VEC008", manager) for manager in managers
    ]
    for finding in sick:
        assert message in finding["message"]
        assert remedy in finding["remedy"]["text"]
        assert (finding["severity"], finding["blame"]) == ("error", "interaction")


def test_a_worker_cannot_retry_what_cannot_be_opened_again() -> None:
    _, document = examined("di_engine.py:NotAgain", *UNDER_ALL)
    assert messages_of(document, "error", "warning") == []
    notes = {finding["manager"]: finding for finding in found(document, "CLS016")}
    assert set(notes) == {"direct", "ding-subproc", "ding-async-subproc"}
    for manager in MANAGERS[1:]:
        assert f"so that {manager} cannot retry a reset() that failed" in notes[manager]["message"]
        assert "retry_type='renew'" in notes[manager]["remedy"]["text"]


@pytest.mark.parametrize(
    ("spec", "lost_in"),
    [("di_engine_jams.py:Sick", list(MANAGERS[:0:-1])), ("di_engine_joints.py:Healthy", [])],
)
def test_an_error_that_a_worker_cannot_build_of_its_text(spec: str, lost_in: list[str]) -> None:
    _, document = examined(spec, *UNDER_ALL)
    findings = found(document, "VEC006")
    assert sorted(finding["manager"] for finding in findings) == sorted(lost_in)
    assert {finding["evidence"]["tried"] for finding in findings} == (
        {"raised in its workers, and the parent got EOFError"} if lost_in else set()
    )


#: What one fault in the second worker, or instance, looks like: {version: {fault: (what is seen, in
#: which call, of close() after it)}}.
BY_BASE = {
    "0.5": {
        "constructor": ("itself", "make", ""),
        "reset": ("itself", "make", ""),
        "step": ("itself", "step", ""),
        "close": ("itself", "close", ""),
    }
}
BY_WORKERS = {
    "0.5": {
        "constructor": ("other", "make", ""),
        "reset": ("itself", "make", ""),
        "step": ("itself", "step", ""),
        "close": ("nothing", "", ""),
        "kill": ("other", "step", "BrokenPipeError"),
        "slow": ("nothing", "", ""),
        "two-arguments": ("other", "step", "BrokenPipeError"),
        "unpicklable": ("other", "step", "BrokenPipeError"),
    }
}


def test_faults_by_version() -> None:
    exit_code, document = examined(
        "CartPole-v1",
        "--managers",
        "ding-base,ding-subproc",
        "--start-methods",
        "fork",
        "--faults",
        "--select",
        "DOC005",
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    (subject,) = document["subjects"]
    version = ".".join(subject["frameworks"]["ding"].split(".")[:2])
    seen: dict[str, dict[str, Any]] = {}
    for one in subject["faults"]:
        if one["worker"] == 1:
            seen.setdefault(one["manager"], {})[one["fault"]] = (
                one["sees"],
                one["call"],
                one["close"].partition(":")[0],
            )
    assert seen == {"ding-base": BY_BASE[version], "ding-subproc": BY_WORKERS[version]}
    limits = {
        (finding["manager"], finding["evidence"]["limit"]) for finding in found(document, "DOC005")
    }
    assert limits == {
        ("ding-subproc", "error"),
        ("ding-subproc", "close-error"),
        ("ding-subproc", "workers"),
    }
