"""DI-engine's managers and environments as they are installed. ENVDOCTOR_DING_PYTHON names an
interpreter that has them.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import pytest

from tests.interpreters import has, way_to
from tests.support.zoo import examine, messages_of

PYTHON = os.environ.get("ENVDOCTOR_DING_PYTHON", sys.executable)

WITH_DING = has(PYTHON, "ding")

needs_ding = pytest.mark.skipif(not WITH_DING, reason=way_to("ENVDOCTOR_DING_PYTHON"))

MANAGERS = ("ding-base", "ding-subproc", "ding-async-subproc")
FORKED = ("--managers", "ding-base,ding-subproc", "--start-methods", "fork")
QUICK = ("--ignore", "LEK,DET")
OF_THE_FRAMEWORK = (
    "env_ref",
    "does not wait for them",
    "cannot be handed to spawned ones",
    "each renewal leaves a zombie",
)


def examined(*arguments: str) -> tuple[int, dict[str, Any]]:
    return examine(*arguments, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]


def relaunches(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [scenario for scenario in document["scenarios"] if scenario["name"] == "relaunch"]


@pytest.fixture(scope="module")
def healthy() -> tuple[int, dict[str, Any]]:
    return examined("di_engine.py:Healthy")


@pytest.mark.everything
@needs_ding
def test_a_healthy_environment_is_healthy_under_every_manager(
    healthy: tuple[int, dict[str, Any]],
) -> None:
    exit_code, document = healthy
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    places = {
        (place["manager"], place["start_method"]) for place in document["subjects"][0]["managers"]
    }
    forked = {(name, method) for name in MANAGERS[1:] for method in ("fork", "spawn")}
    assert places >= {("ding-base", None), *forked}
    assert not {name for name, _ in places} & {"gymnasium-sync", "sb3-dummy"}
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}


#: The note that only close() ends the simulator of a reset() that failed.
ONLY_CLOSE_ENDS = "CLS020"


@pytest.mark.everything
@needs_ding
def test_framework_defects_are_noted_once_with_the_version(
    healthy: tuple[int, dict[str, Any]],
) -> None:
    notes = found(healthy[1], "DOC004")
    assert len(notes) == len(OF_THE_FRAMEWORK)
    assert {finding["code"] for finding in healthy[1]["findings"]} == {"DOC004", ONLY_CLOSE_ENDS}
    for words in OF_THE_FRAMEWORK:
        (note,) = [note for note in notes if words in note["message"]]
        assert note["message"].startswith("DI-engine 0.5.3 has a known defect")
        assert (note["severity"], note["blame"]) == ("note", "manager")


@pytest.mark.everything
@needs_ding
def test_resets_reuse_and_a_relaunch_renews_what_it_closed_first(
    healthy: tuple[int, dict[str, Any]],
) -> None:
    played = relaunches(healthy[1])
    assert {scenario["manager"] for scenario in played} == set(MANAGERS)
    for scenario in played:
        instances = scenario["instances"]
        assert len({(one["pid"], one["serial"]) for one in instances}) == len(instances) == 5
        reference, *hosted = instances
        assert (reference["worker"], reference["resets"], reference["closings"]) == (False, 0, [])
        fates = [
            (one["made_during"], one["resets"], [closing["during"] for closing in one["closings"]])
            for one in hosted
        ]
        assert fates == [("make", 3, ["relaunch"])] * 2 + [("relaunch", 1, ["close"])] * 2
        assert {one["worker"] for one in hosted} == {scenario["manager"] != "ding-base"}


@pytest.mark.everything
@needs_ding
@pytest.mark.parametrize(
    ("name", "codes", "words"),
    [
        (
            "ForgetsSimulator",
            {"direct": "CLS008", "ding-base": "PRC001", "ding-subproc": "PRC001"},
            "end",
        ),
        ("ForgetsThread", {"direct": "CLS007", "ding-base": "CLS007"}, "stop and join"),
        (
            "ForgetsSocket",
            {"direct": "CLS009", "ding-base": "CLS009"},
            "close the listening socket",
        ),
        (
            "ForgetsFolder",
            {"direct": "CLS010", "ding-base": "CLS010", "ding-subproc": "CLS010"},
            "remove",
        ),
        ("ClosesWhatIsNotThere", {"direct": "CLS002"}, "self._init_flag"),
    ],
)
def test_leftovers_of_close_are_found_under_each_manager(
    name: str, codes: dict[str, str], words: str
) -> None:
    """A worker takes its threads and sockets with it when it ends: there, they are told of the
    instance without a manager.
    """
    _, document = examined(f"di_engine.py:{name}", *FORKED, *QUICK)
    sick = [finding for finding in document["findings"] if finding["severity"] != "note"]
    assert {(finding["manager"], finding["code"]) for finding in sick} == set(codes.items())
    assert (
        words
        in next(finding for finding in sick if finding["manager"] == list(codes)[-1])["remedy"][
            "text"
        ]
    )
    assert {finding["blame"] for finding in sick} <= {"environment", "interaction"}


@pytest.mark.everything
@needs_ding
@pytest.mark.parametrize(
    ("name", "code", "message", "remedy"),
    [
        ("Eager", "MAK002", "the constructor takes", "env_ref"),
        (
            "Rebuilds",
            "RUS001",
            "reset() builds a new _env instead of reusing the old one (3 in 4 resets)",
            "if not self._init_flag",
        ),
        (
            "Loses",
            "RUS002",
            "reset() drops 3 old _env without closing them",
            "if not self._init_flag",
        ),
        (
            "NotAgain",
            "CLS016",
            "reset() after close() raises FileNotFoundError",
            "self._init_flag = False",
        ),
    ],
)
def test_the_lazy_contract_in_its_own_words(
    name: str, code: str, message: str, remedy: str
) -> None:
    """A resource of an eager constructor is also acquired by the reference environment. It is not
    blamed on close().
    """
    _, document = examined(f"di_engine.py:{name}", "--managers", "ding-base", *QUICK)
    (finding,) = found(document, code)
    assert message in finding["message"]
    assert remedy in finding["remedy"]["text"]
    if name in ("Eager", "NotAgain"):
        assert messages_of(document, "error", "warning") == []


@pytest.mark.everything
@needs_ding
def test_an_environment_of_gymnasium_under_all_three() -> None:
    exit_code, document = examined(
        "CartPole-v1", "--managers", ",".join(MANAGERS), "--start-methods", "fork"
    )
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    assert len(relaunches(document)) == 3


@pytest.mark.everything
@needs_ding
def test_an_environment_of_gymnasium_does_not_meet_di_engine_unasked() -> None:
    _, document = examined("CartPole-v1", "--select", "REG001", "--start-methods", "fork")
    assert not {
        name
        for name in MANAGERS
        if any(scenario["manager"] == name for scenario in document["scenarios"])
    }


@pytest.mark.skipif(WITH_DING, reason="it is installed")
def test_without_it_the_managers_are_skipped_with_the_reason() -> None:
    _, document = examined("CartPole-v1", "--managers", "ding-base")
    assert [skipped["reason"] for skipped in document["skipped"] if not skipped["code"]] == [
        "DI-engine is not installed in this interpreter"
    ]
