"""The leak check for real: the installed command on built-in environments that are known to be quiet."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.zoo import COMMAND, ENVS, PATIENCE


def leak(*arguments: str, cwd: Path = ENVS) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        [str(COMMAND), "leak", *arguments, "--format", "json"],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


@pytest.mark.everything(but=["FrozenLake-v1"])
@pytest.mark.parametrize("spec", ["CartPole-v1", "FrozenLake-v1", "Acrobot-v1"])
def test_quiet_environments_read_exactly_zero(spec: str) -> None:
    code, document = leak(spec)
    growth, opened, *episodes = document["subjects"][0]["growth"]
    assert code == 0, document["findings"]
    assert (opened["side"], {meter["verdict"] for meter in opened["meters"]}) == (
        "one instance",
        {"flat"},
    )
    assert {meter["verdict"] for side in episodes for meter in side["meters"]} <= {"flat"}
    assert growth["sensitivity"]["tier"] == "exact"
    assert growth["cycles"] == 35
    assert {
        meter["meter"]: sum(meter["deltas"])
        for meter in growth["meters"]
        if meter["meter"] != "heap"
    } == {meter["meter"]: 0 for meter in growth["meters"] if meter["meter"] != "heap"}
    assert {meter["verdict"] for meter in growth["meters"]} == {"flat"}


@pytest.mark.everything
def test_the_quick_form_is_part_of_check() -> None:
    done = subprocess.run(
        [str(COMMAND), "check", "CartPole-v1", "--managers", "direct"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0
    assert (
        "No growth in 35 cycles (detection limit: 1 object or 32 bytes per cycle)." in done.stdout
    )


@pytest.mark.everything
def test_a_leak_in_a_step_is_placed_there_and_in_each_worker(tmp_path: Path) -> None:
    file = tmp_path / "steps.py"
    file.write_text(
        f"import sys\nsys.path.insert(0, {str(ENVS)!r})\nfrom plain import Plain\nKEPT ="
        " []\n\nclass Env(Plain):\n    def step(self, action):\n        KEPT.append([object()])\n "
        "       return super().step(action)\n"
    )
    code, document = leak(
        f"{file}:Env",
        "--managers",
        "gymnasium-async",
        "--start-methods",
        "fork",
        "--save-memray",
        str(tmp_path / "kept"),
    )
    assert code == 1
    growth = {
        entry["manager"] + entry["side"]: {meter["meter"]: meter for meter in entry["meters"]}
        for entry in document["subjects"][0]["growth"]
    }
    assert growth["direct"]["objects"]["per_operation"] == {"step": 3.0}
    assert growth["gymnasium-asyncworker 1"]["objects"]["verdict"] == "leak"
    assert (
        growth["gymnasium-asyncparent"]["objects"]["verdict"]
        == growth["gymnasium-async"]["objects"]["verdict"]
        == "flat"
    )
    (direct,) = [
        finding
        for finding in document["findings"]
        if finding["manager"] == "direct" and finding["severity"] == "error"
    ]
    assert (direct["code"], direct["location"]["line"]) == ("LEK001", 8)
    assert list((tmp_path / "kept").glob("*.bin"))
