"""Code that is run in a new process: exact meters are exact only where the allocator was told
so before it began.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from envdoctor.run.supervise.probe_process import ALLOCATOR

ROOT = Path(__file__).parents[2]
ENVS = ROOT / "tests" / "envs"
EXACT = {"GLIBC_TUNABLES": ALLOCATOR, "PYTHONHASHSEED": "0"}
PATIENCE = 600.0  # seconds

HEAD = """
import json, os, sys
from envdoctor.probe.growth import calibration, cycles, meters
from envdoctor.probe.sensors import Context
reader = meters.reader(Context(os.path.dirname(os.environ["TMPDIR"]), 0))

def tell(value):
    sys.stdout.write(json.dumps(value))
"""


def run(
    body: str, home: Path, environment: dict[str, str] | None = None, python: str = sys.executable
) -> Any:
    """Run a body in a new process whose folder is `home`, and return the values that it passed to
    `tell`.
    """
    (home / "tmp").mkdir(exist_ok=True)
    passed = {
        "PATH": os.environ["PATH"],
        "TMPDIR": str(home / "tmp"),
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ENVS))),
    }
    passed |= EXACT if environment is None else environment
    words = [python, "-c", HEAD + textwrap.dedent(body)]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=PATIENCE, env=passed, cwd=home, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
