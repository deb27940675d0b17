"""Environments in actors of Ray as it is installed. ENVDOCTOR_RAY_PYTHON names an interpreter that has
it. Each test starts a cluster or more.
"""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import FINISHED
from envdoctor.request.specs import parse
from envdoctor.run.supervise.session import Session
from tests.interpreters import way_to
from tests.support.zoo import PATIENCE, examine, messages_of

VARIABLE = "ENVDOCTOR_RAY_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
ACTOR = "ray-actor"
SHARED = Path("/tmp/ray")

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE)),
    pytest.mark.everything,
]


def of_ray() -> set[int]:
    """The processes of all clusters of this machine."""
    words = ("ray::", "raylet", "gcs_server")
    found = psutil.process_iter(["cmdline"])
    return {one.pid for one in found if any(word in str(one.info["cmdline"]) for word in words)}


def test_a_healthy_environment_is_healthy_and_what_is_dropped_is_the_frameworks() -> None:
    exit_code, document = examine("CartPole-v1", "--managers", ACTOR, "--python", PYTHON)
    assert messages_of(document, "error", "warning") == []
    assert exit_code == 0
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}
    compared = {one["code"] for one in document["passed"] if one["manager"] == ACTOR}
    assert compared >= {"VEC002", "VEC004", "VEC010", "VEC012", "CLS015", "PRC001", "RUS003"}
    (defect,) = [one for one in document["findings"] if one["code"] == "DOC004"]
    assert defect["blame"] == "manager"
    assert "2 of 2 instances never closed" in defect["message"]


@pytest.mark.parametrize("ending", ["close drop", "drop"])
def test_a_cluster_is_stopped_after_any_close(ending: str) -> None:
    before, sessions = of_ray(), SHARED.exists()
    scenario = Scenario("given-up", f"make reset step {ending}", ACTOR, "spawn", control=True)
    with Session(PYTHON) as session:
        played = session.play(parse("CartPole-v1", {}, (), "/"), scenario, 0, None)
        assert played.outcome.kind == FINISHED, played.outcome
        made = played.instances("made", parent=False)
        assert len(made) == 2
        assert played.instances("closing") == (made if "close" in ending else set())
        assert not (played.aftermath or {}).get("processes")
        directory = session.directory
    # Tests beside this one have clusters, too, which end with them.
    left = of_ray() - before
    psutil.wait_procs([psutil.Process(pid) for pid in left if psutil.pid_exists(pid)], PATIENCE)
    assert not left & of_ray()
    assert not directory.exists()
    assert SHARED.exists() == sessions
