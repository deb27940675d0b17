"""Containers that an environment asks an engine for: told, blamed, and removed. The engine is a
recording stand-in for docker on PATH.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest

from tests.support.zoo import COMMAND, ENVS, container_engine, examine

PATIENCE = 600.0  # seconds
THERE_BEFORE = {"name": "someone-elses", "image": "simulator:2", "label": ""}
OPTIONS = ("--managers", "direct", "--select", "CLS021", "--no-try-remedies", "--steps", "30")


@pytest.mark.everything
@pytest.mark.parametrize("how", ["ByImage", "ByIdFile", "ByProject"])
def test_leftover_container_is_reported_and_removed(how: str) -> None:
    code, document = examine(f"contained.py:{how}", *OPTIONS)
    assert code == 1
    (finding,) = document["findings"]
    assert finding["code"] == "CLS021"
    assert finding["blame"] == "environment"
    assert "1 container" in finding["message"]
    assert "contained.py:" in finding["remedy"]["text"]


@pytest.mark.everything
@pytest.mark.parametrize("start_method", ["fork", "spawn"])
def test_those_of_workers_as_well(start_method: str) -> None:
    places = ("--managers", "gymnasium-async", "--start-methods", start_method)
    _, document = examine("contained.py:ByName", *OPTIONS[2:], *places)
    told = [one for one in document["findings"] if one["start_method"] == start_method]
    assert [one["code"] for one in told] == ["CLS021"], document["findings"]
    assert "2 containers" in told[0]["message"]


@pytest.mark.everything
def test_foreign_container_is_not_reported_and_not_removed() -> None:
    with container_engine() as engine:
        there = Path(engine["STAND_IN_ENGINE"], "f" * 64 + ".container")
        there.write_text(json.dumps(THERE_BEFORE))
        done = subprocess.run(
            [COMMAND, "check", "contained.py:ByImage", *OPTIONS, "--format", "json"],
            cwd=ENVS,
            env=os.environ | engine,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        (finding,) = json.loads(done.stdout)["findings"]
        assert "someone-elses" not in finding["message"]
        assert there.exists()
        there.unlink()


def test_no_client_is_a_reason() -> None:
    path = os.pathsep.join(
        folder
        for folder in os.environ["PATH"].split(os.pathsep)
        if not any(Path(folder, client).exists() for client in ("docker", "podman"))
    )
    done = subprocess.run(
        [COMMAND, "check", "plain.py:Plain", *OPTIONS, "--format", "json"],
        cwd=ENVS,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    skipped = {one["code"]: one["reason"] for one in json.loads(done.stdout)["skipped"]}
    assert skipped["CLS021"] == "neither docker nor podman is installed"


def test_a_killed_doctor_leaves_none() -> None:
    with container_engine() as engine:
        folder = Path(engine["STAND_IN_ENGINE"])
        doctor = subprocess.Popen(
            [COMMAND, "check", "contained.py:Waiting", *OPTIONS],
            cwd=ENVS,
            env=os.environ | engine,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            wait_for(folder, some=True)
        finally:
            doctor.kill()
            doctor.wait()
        wait_for(folder, some=False)


def wait_for(folder: Path, *, some: bool) -> None:
    """Until there are containers, or none."""
    deadline = time.monotonic() + PATIENCE
    while bool(list(folder.glob("*.container"))) != some:
        assert time.monotonic() < deadline
        time.sleep(0.05)
