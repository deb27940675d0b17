"""A sample of docs/study: the scripts for some small packages confirm what the study reports."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import has, way_to
from tests.study import Evidence, evidence

VARIABLE = "ENVDOCTOR_SB3_PYTHON"
PYTHON = os.environ.get(VARIABLE, sys.executable)
SAMPLE = ("lbforaging", "rlcard", "rware", "seals")
SECONDS = 60


@pytest.mark.skipif(not has(PYTHON, "rlcard"), reason=way_to(VARIABLE))
@pytest.mark.parametrize(
    "script",
    [script for script in evidence() if script.package in SAMPLE],
    ids=lambda script: script.path.stem,
)
def test_evidence_is_confirmed(script: Evidence, tmp_path: Path) -> None:
    done = subprocess.run(
        [PYTHON, str(script.path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
