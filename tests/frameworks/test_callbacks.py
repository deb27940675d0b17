"""Figures in the loggers of frameworks as they are installed, compared with what the environments
count themselves.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import has, way_to

ROOT = Path(__file__).parents[2]
TRAININGS = Path(__file__).with_name("callbacks")
PATH = (ROOT, TRAININGS, ROOT / "tests/watch/trainings")
PATIENCE = 600  # seconds
COUNTS = {"instances_made": "made", "resets": "resets", "steps": "steps"}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watching() needs Linux")

Own = dict[str, Any]


def train(folder: Path, variable: str, package: str, script: str, *words: str) -> list[Own]:
    """Run a training. Return what it printed: at each rollout, its own counts."""
    python = os.environ.get(variable, sys.executable)
    if not has(python, package):
        pytest.skip(way_to(variable))
    (folder / "tally").mkdir()
    done = subprocess.run(
        [python, "-B", str(TRAININGS / script), *words, str(folder / "log")],
        cwd=folder,
        env={
            **os.environ,
            "HOME": str(folder),  # RLlib writes there
            "TALLY": str(folder / "tally"),
            "PYTHONPATH": os.pathsep.join(map(str, PATH)),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def own_counts(own: Own) -> list[int]:
    return [own[name] for name in COUNTS.values()]


def logged_counts(logged: Mapping[str, Any]) -> list[float]:
    return [float(logged[f"envdoctor/training/{name}"]) for name in COUNTS]


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "log/progress.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.everything(but=["ppo-fork"])
@pytest.mark.parametrize("name", ["ppo-dummy", "ppo-fork"])
def test_sb3_logs_them_with_each_rollout(name: str, tmp_path: Path) -> None:
    own = train(tmp_path, "ENVDOCTOR_SB3_PYTHON", "stable_baselines3", "in_sb3.py", name)
    logged = rows(tmp_path)
    assert len(own) == len(logged) == 4
    assert list(map(logged_counts, logged)) == list(map(own_counts, own))
    assert [float(row["time/total_timesteps"]) for row in logged] == [128, 256, 384, 512]
    assert [each["steps"] for each in own] == [128, 256, 384, 512]
    processes = 1 if name == "ppo-dummy" else 3
    for row in logged:
        assert float(row["envdoctor/training/processes"]) == processes
        own_bytes, all_bytes = (
            float(row[f"envdoctor/{group}/resident_bytes"]) for group in ("process", "training")
        )
        assert 0 < own_bytes <= all_bytes
        assert (own_bytes < all_bytes) == (processes > 1)
    table = (tmp_path / "log/log.txt").read_text()
    assert table.count("| envdoctor/") == 4
    assert table.count("|    training/instances_made ") == 4


@pytest.mark.everything
def test_sb3_logs_them_off_policy(tmp_path: Path) -> None:
    own = train(tmp_path, "ENVDOCTOR_SB3_PYTHON", "stable_baselines3", "in_sb3.py", "dqn")
    by_steps = {each["timesteps"]: each for each in own}
    logged = rows(tmp_path)
    assert len(logged) > 3
    for row in logged:  # in the middle of a rollout: the last one that ended before
        end = max(each for each in by_steps if each < float(row["time/total_timesteps"]))
        assert logged_counts(row) == own_counts(by_steps[end])


@pytest.mark.everything
def test_torchrl_logs_them_after_each_batch(tmp_path: Path) -> None:
    own = train(tmp_path, "ENVDOCTOR_TORCHRL_PYTHON", "torchrl", "in_torchrl.py")
    folder = tmp_path / "log/cart/scalars/envdoctor"
    files = {
        str(file.relative_to(folder).with_suffix("")): [
            line.split(",") for line in file.read_text().splitlines()
        ]
        for file in folder.rglob("*.csv")
    }
    assert [each["timesteps"] for each in own] == [100, 200, 300, 400]
    for number, each in enumerate(own):
        logged = {
            f"envdoctor/training/{name}": files[f"training/{name}"][number] for name in COUNTS
        }
        assert {timesteps for timesteps, _ in logged.values()} == {str(each["timesteps"])}
        assert logged_counts({name: count for name, (_, count) in logged.items()}) == own_counts(
            each
        )
    processes = [float(count) for _, count in files["training/processes"]]
    assert processes == [3, 3, 3, 1]  # the collector has ended its workers
    assert len(files["process/resident_bytes"]) == 4


@pytest.mark.everything
@pytest.mark.parametrize("name", ["algorithm", "tune"])
def test_rllib_has_them_in_each_result(name: str, tmp_path: Path) -> None:
    own = train(tmp_path, "ENVDOCTOR_RAY_PYTHON", "ray", "in_rllib.py", name)
    assert len(own) == 3
    for each in own:
        assert logged_counts(each["figures"]) == own_counts(each)
        assert each["steps"] == each["timesteps"]
    if name == "tune":
        (file,) = (tmp_path / "log").rglob("result.json")
        written = [json.loads(line) for line in file.read_text().splitlines()]
        assert list(map(logged_counts, written)) == list(map(own_counts, own))
        assert len(list((tmp_path / "log").rglob("events.out.tfevents.*"))) == 1
