"""The doctor dies; what it started must not outlive it."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import FAKE, processes_of

from tests.support.waiting import until

DOCTOR = """
import sys
from pathlib import Path
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import Subject
from envdoctor.run.supervise.session import Session
session = Session(sys.executable, bundle=Path(sys.argv[1]), parent=Path(sys.argv[2]))
name = sys.argv[3]
session.play(Subject(name, "file", name), Scenario("life", "make"), 0)
"""


@pytest.mark.parametrize("name", ["hang", "stubborn"])
def test_a_killed_doctor_leaves_no_process(name):
    with tempfile.TemporaryDirectory() as parent:
        doctor = subprocess.Popen([sys.executable, "-c", DOCTOR, str(FAKE), parent, name])
        try:
            journals = Path(parent).glob
            assert until(
                lambda: any('"began", "at"' in path.read_text() for path in journals("*/1.jsonl"))
            )
            assert until(lambda: len(processes_of(parent)) >= (3 if name == "stubborn" else 2))
        finally:
            doctor.send_signal(signal.SIGKILL)
            doctor.wait(10.0)
        assert until(lambda: processes_of(parent) == [])
