"""Ctrl-C in each phase of a run: the report of what is known so far, marked incomplete."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.zoo import COMMAND, ENVS, PATIENCE

pytestmark = pytest.mark.waits

SICK = f"""
import sys, time
sys.path.insert(0, {str(ENVS)!r})
from plain import Plain
if "survey" in {{phase!r}}:
    time.sleep(1000.0)

class Env(Plain):
    def reset(self, *, seed=None, options=None):
        self.__dict__.setdefault("opened", []).append(open(__file__))
        return super().reset(seed=seed, options=options)

    def step(self, action):
        time.sleep(0.02)
        return super().step(action)
"""

#: What the progress says of a scenario of each phase, and the least that is known by then.
PHASES = {
    "importing": ("[direct] survey (", set()),
    "the leak search": ("[direct] leak", {"CLS006"}),
    "scenarios alone": ("[direct] reuse (", {"CLS006"}),
    "managers": ("[gymnasium-async, fork] life (", {"CLS006"}),
}


@pytest.mark.always
@pytest.mark.everything(but=["managers", "the leak search"])
@pytest.mark.parametrize("phase", PHASES)
def test_ctrl_c_gives_what_is_known(phase: str, tmp_path: Path) -> None:
    marker, known = PHASES[phase]
    file = tmp_path / "sick.py"
    file.write_text(SICK.format(phase=marker))
    process = subprocess.Popen(
        [str(COMMAND), "check", f"{file}:Env", "-v", "--format", "json", "--timeout", "600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    seen = next((line for line in process.stderr if marker in line), "")
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=PATIENCE)
    assert seen, stderr
    document = json.loads(stdout)
    assert process.returncode == 130, stderr
    assert document["summary"]["interrupted"] is True
    assert known <= {finding["code"] for finding in document["findings"]}
    assert document["scenarios"][-1]["outcome"] == "interrupted"
    assert "Traceback" not in stderr
