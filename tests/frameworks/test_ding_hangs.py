"""A hang in a worker of DI-engine's is reported with the call and the worker, within the limit, and
leaves nothing behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.frameworks.test_ding import QUICK, examined, needs_ding
from tests.support.zoo import ENVS

LIMIT = "6"  # seconds a verb
SOURCE = (ENVS / "di_engine.py").read_text().splitlines()
LINE = 1 + next(at for at, line in enumerate(SOURCE) if "threading.Event().wait()" in line)

pytestmark = needs_ding


def simulators(mark: str) -> Iterator[str]:
    """The processes of this machine that the environment of one test started: they inherit the
    mark.
    """
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in folder.joinpath("environ").read_bytes():
                yield folder.joinpath("cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue


@pytest.mark.everything
@pytest.mark.parametrize("manager", ["ding-subproc", "ding-async-subproc"])
@pytest.mark.parametrize(
    ("name", "code", "call"),
    [
        ("FirstResetHangs", "HNG003", "reset()"),
        ("ResetHangs", "HNG003", "reset()"),
        ("StepHangs", "HNG004", "step()"),
    ],
)
def test_a_worker_that_hangs(
    name: str, code: str, call: str, manager: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = f"ENVDOCTOR_TEST={os.getpid()}-{name}-{manager}"
    monkeypatch.setenv(*mark.split("=", 1))
    _, document = examined(
        f"di_engine.py:{name}",
        "--managers",
        manager,
        "--start-methods",
        "fork",
        "--timeout",
        LIMIT,
        *QUICK,
    )
    sick = [finding for finding in document["findings"] if finding["severity"] != "note"]
    assert [(finding["code"], finding["manager"]) for finding in sick] == [(code, manager)]
    assert (
        sick[0]["message"]
        == f"{call} hangs in di_engine.py:{LINE}, _wait (worker 1), though not without a manager"
    )
    assert "subprocess_env_manager.py" in sick[0]["evidence"]["stacks"]
    hung = [
        scenario["name"] for scenario in document["scenarios"] if scenario["outcome"] == "timed-out"
    ]
    assert hung == ["life"]  # what comes after a launch would only hang again
    assert list(simulators(mark)) == []
