"""Environments with many defects at once: each is told beside the others, and what is printed cures
them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.pasting import paste
from tests.support.zoo import examine

ENVS = Path(__file__).parent / "envs"

#: Who tells each defect of the crane, and a word of the finding: (code, word).
CRANE = {
    1: ("LEK001", "VISITED"),
    2: ("CLS012", "Crane.fleet"),
    3: ("CLS010", "level.txt"),
    4: ("CLS006", "crane.log"),
    5: ("CLS007", "Clock.tick"),
    6: ("CLS008", "sleep 600"),
    7: ("CLS009", "127.0.0.1"),
    8: ("CLS006", "crane.db"),
    9: ("CLS007", "heartbeat"),
    10: ("DET001", "random"),
    11: ("SFX005", "ignores every warning"),
    12: ("CLS003", "'track'"),
}
DING = {
    1: ("DET001", "numpy.random"),
    2: ("CLS002", "_tool"),
    3: ("CLS010", "track.txt"),
    4: ("CLS008", "sleep 600"),
    5: ("CLS007", "_read"),
    6: ("CLS006", "crane.log"),
}
WORDS = ("--managers", "direct")


def told(document: dict[str, Any], defects: dict[int, tuple[str, str]]) -> set[int]:
    """The defects that a report tells of."""
    return {
        number
        for number, (code, word) in defects.items()
        for finding in document["findings"]
        if finding["code"] == code and word in finding["message"] + json.dumps(finding["evidence"])
    }


def codes(document: dict[str, Any]) -> set[str]:
    return {finding["code"] for finding in document["findings"] if finding["severity"] != "note"}


def without(folder: Path, name: str, number: int) -> None:
    """Take the lines of one defect out."""
    path = folder / name
    lines = (ENVS / name).read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not re.search(rf"# defect {number}$", line)))


def paste_all(folder: Path, document: dict[str, Any]) -> list[str]:
    """Paste the code of every remedy; the codes of their findings."""
    shown = [finding for finding in document["findings"] if finding["remedy"]["changes"]]
    lines = [line for finding in shown for line in finding["remedy"]["commands"]]
    paste(folder, lines)
    return [finding["code"] for finding in shown]


@pytest.mark.everything
def test_twelve_defects_at_once(tmp_path: Path) -> None:
    shutil.copy(ENVS / "crane.py", tmp_path)
    _, document = examine("crane.py:Crane", *WORDS, cwd=tmp_path)
    assert told(document, CRANE) == set(CRANE)
    pasted = paste_all(tmp_path, document)
    cured = {"CLS003", "CLS006", "CLS007", "CLS008", "CLS009", "CLS010", "CLS012", "DET001"}
    assert cured <= set(pasted), document["findings"]
    _, after = examine("crane.py:Crane", *WORDS, "--no-try-remedies", cwd=tmp_path)
    assert codes(after) <= codes(document) - set(pasted), after["findings"]


@pytest.fixture(scope="module")
def all_twelve(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("crane")
    shutil.copy(ENVS / "crane.py", folder)
    _, document = examine("crane.py:Crane", *WORDS, "--no-try-remedies", cwd=folder)
    return document


@pytest.mark.everything
@pytest.mark.parametrize("number", CRANE)
def test_eleven_stay_reported(number: int, all_twelve: dict[str, Any], tmp_path: Path) -> None:
    without(tmp_path, "crane.py", number)
    _, after = examine("crane.py:Crane", *WORDS, "--no-try-remedies", cwd=tmp_path)
    assert told(after, CRANE) == set(CRANE) - {number}
    assert codes(after) <= codes(all_twelve), "none new"


@pytest.mark.everything
def test_all_growth_is_reported(tmp_path: Path) -> None:
    shutil.copy(ENVS / "crane.py", tmp_path)
    _, document = examine("crane.py:Crane", "--no-try-remedies", cwd=tmp_path, command="leak")
    grows = codes(document)
    assert {"LEK001", "LEK006", "LEK007", "LEK008", "CLS012"} <= grows, grows
    # All descriptors that grow are of instances that the fleet keeps: without it they are closed.
    reasons = {one["code"]: one["reason"] for one in document["skipped"]}
    assert reasons["LEK005"] == "explained by CLS012"


@pytest.mark.everything
def test_descriptors_of_kept_instances_are_gone_where_none_is_kept(tmp_path: Path) -> None:
    """The text "explained by CLS012" promises it."""
    shutil.copy(ENVS / "fleet.py", tmp_path)
    words = ("--no-try-remedies", "--time-budget", "10")
    _, sick = examine("fleet.py:Kept", *words, cwd=tmp_path, command="leak")
    reasons = {one["code"]: one["reason"] for one in sick["skipped"]}
    assert codes(sick) == {"CLS012"}
    assert reasons["LEK001"] == reasons["LEK005"] == "explained by CLS012"
    _, cured = examine("fleet.py:LetGo", *words, cwd=tmp_path, command="leak")
    assert {"LEK001", "LEK005", "CLS012"} <= {one["code"] for one in cured["passed"]}


@pytest.mark.everything
def test_six_defects_under_di_engine(tmp_path: Path) -> None:
    python = os.environ.get("ENVDOCTOR_DING_PYTHON")
    if not python:
        pytest.skip(way_to("ENVDOCTOR_DING_PYTHON"))
    shutil.copy(ENVS / "crane_ding.py", tmp_path)
    words = (*WORDS, "--python", python, "--select", "CLS,RUS,DET,HNG,API,PRC")
    _, document = examine("crane_ding.py:Crane", *words, cwd=tmp_path)
    assert told(document, DING) == set(DING)
    pasted = paste_all(tmp_path, document)
    text = (tmp_path / "crane_ding.py").read_text()
    assert "np_random" not in text
    assert "super().reset" not in text
    assert {code for code, _ in DING.values()} <= set(pasted), document["findings"]
    _, after = examine("crane_ding.py:Crane", *words, "--no-try-remedies", cwd=tmp_path)
    assert codes(after) <= codes(document) - set(pasted), after["findings"]
