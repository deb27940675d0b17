"""A worker that fails is named while the trainer waits for it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from envdoctor.watch.stacks import program
from tests.support.zoo import COMMAND
from tests.watch.test_watch_command import LIBRARY, PATIENCE, variables

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")

CALL = r"pid (\d+) has been in step\(\) of Arm for \d.*: "

#: What a line says while it runs, and what the report does: the rule, its severity and its words.
#: What is slow, and comes back, is not accused.
FAULTS = {
    "block": (
        CALL + r"nothing ran for (?:[3-9]\.|\d\d)",
        "TRN005",
        "error",
        "did not come back for",
    ),
    "loop": (CALL + "it runs", "TRN005", "note", "it ran"),
    "exit": (
        r"pid (\d+) ended(?: with exit code 3|, it is not known how)",
        "TRN004",
        "error",
        "after 20 steps",
    ),
    "kill": (
        r"pid (\d+) (?:was killed by SIGKILL|ended, it is not known how)",
        "TRN004",
        "error",
        "after 20 steps",
    ),
    "fail": (
        r"pid (\d+) ended(?: with exit code 1|, it is not known how)",
        "TRN004",
        "error",
        "after 20 steps",
    ),
    "slow": ("", "", "", ""),
}
LONG = re.compile(r"nothing ran for (?:[6-9]\.|\d\d)")
METHODS = ("fork", "spawn", "forkserver")


def watched(tmp_path: Path, fault: str, method: str, pattern: str) -> tuple[str, dict[str, Any]]:
    """The PID that a line names, and the report."""
    report = tmp_path / "report.json"
    words = ["watch", "--every", "1s", "--report", f"json={report}", "--", sys.executable]
    doctor = subprocess.Popen(
        [str(COMMAND), *words, str(LIBRARY / "faults.py"), fault, method],
        env=variables(),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
    )
    named = ""
    limit = threading.Timer(PATIENCE, doctor.kill)  # no line is waited for longer than that
    limit.start()
    try:
        assert doctor.stderr is not None
        for line in doctor.stderr if pattern else ():
            found = re.search(pattern, line)
            if found:
                named = found[1]
                break
        (tmp_path / "go").touch()
        if fault == "block":
            next(line for line in doctor.stderr if LONG.search(line))  # an error now
        if fault in ("block", "loop"):
            doctor.send_signal(signal.SIGTERM)
        doctor.wait(PATIENCE)  # a worker that is left keeps the other end of its stderr
    finally:
        limit.cancel()
        doctor.kill()
        doctor.wait()
        if doctor.stderr is not None:
            doctor.stderr.close()
    document = json.loads(report.read_text())
    for one in document["subjects"][0]["training"]["left"]:
        with suppress(ProcessLookupError):
            os.kill(one["pid"], signal.SIGKILL)
    return named, document


@pytest.mark.everything
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_worker_that_fails_is_named(tmp_path: Path, fault: str, method: str) -> None:
    pattern, code, severity, words = FAULTS[fault]
    named, document = watched(tmp_path, fault, method, pattern)
    found = [one for one in document["findings"] if one["code"] in ("TRN004", "TRN005")]
    if "not known how" in str(found):  # its server was faster than the doctor
        assert method == "forkserver"
        severity = "note"
    assert [(one["code"], one["severity"]) for one in found] == ([(code, severity)] if code else [])
    if not found:
        assert {"TRN004", "TRN005"} <= {one["code"] for one in document["passed"]}
        return
    (finding,) = found
    assert words in finding["message"]
    assert finding["evidence"]["pid"] == int(named)
    if fault == "block":
        assert "and the trainer's waited" in finding["message"]
        assert not program() or finding["location"]["function"] == "block"
