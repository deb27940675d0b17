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
from tests.watch.test_watch_command import LIBRARY, PATIENCE, variables
from tests.zoo import COMMAND

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")

CALL = r"pid (\d+) has been in step\(\) of Arm for \d.*: "

#: What a line says while it runs, and what the report does: the rule, its severity and its words.
FAULTS = {
    "block": (
        CALL + r"nothing ran for (?:[3-9]\.|\d\d)",
        "TRN005",
        "error",
        "did not come back for",
    ),
    "exit": (r"pid (\d+) ended with exit code 3", "TRN004", "error", "after 20 steps"),
}
LONG = re.compile(r"nothing ran for (?:[6-9]\.|\d\d)")
CASES = [("block", "spawn"), ("exit", "fork")]


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
        for line in doctor.stderr:
            found = re.search(pattern, line)
            if found:
                named = found[1]
                break
        (tmp_path / "go").touch()
        if fault == "block":
            next(line for line in doctor.stderr if LONG.search(line))  # an error now
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


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("fault", "method"), CASES)
def test_a_worker_that_fails_is_named(tmp_path: Path, fault: str, method: str) -> None:
    pattern, code, severity, words = FAULTS[fault]
    named, document = watched(tmp_path, fault, method, pattern)
    found = [one for one in document["findings"] if one["code"] in ("TRN004", "TRN005")]
    assert [(one["code"], one["severity"]) for one in found] == [(code, severity)]
    (finding,) = found
    assert words in finding["message"]
    assert finding["evidence"]["pid"] == int(named)
    if fault == "block":
        assert "and the trainer's waited" in finding["message"]
        assert not program() or finding["location"]["function"] == "block"
