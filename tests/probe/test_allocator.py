"""The doctor's settings of the allocator reach the workers, and no program that an environment
starts.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

#: A probe in small: it hands back, then starts a program and a worker, as an environment and a
#: manager would.
PROBE = """
import json, multiprocessing, os, subprocess, sys
from envdoctor.probe.system import allocator
from envdoctor.probe.system import workers

PROGRAM = [sys.executable, "-c", "import os; print(os.environ.get('GLIBC_TUNABLES', ''))"]

def started():
    return subprocess.run(PROGRAM, stdout=subprocess.PIPE, check=True).stdout.decode().strip()

def worker(queue):
    inherited = os.environ.get("GLIBC_TUNABLES", "")
    allocator.hand_back()
    queue.put((inherited, started()))

if __name__ == "__main__":
    allocator.hand_back()
    told = {"alone": started()}
    for method in ("spawn", "forkserver"):
        workers.prepare(method)
        context = multiprocessing.get_context(method)
        queue = context.Queue()
        process = context.Process(target=worker, args=(queue,))
        process.start()
        told[method] = queue.get(timeout=600)
        process.join(60)
    told["afterwards"] = started()
    print(json.dumps(told))
"""


@pytest.mark.parametrize("users", ["", "glibc.malloc.check=3"])
def test_only_workers_have_the_doctors_settings(tmp_path: Path, users: str) -> None:
    script = tmp_path / "probe.py"
    script.write_text(PROBE)
    ours = "glibc.malloc.arena_max=1"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "GLIBC_TUNABLES": ours,
        "ENVDOCTOR_TUNABLES": users,
    }
    done = subprocess.run(
        [sys.executable, str(script)],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    told = json.loads(done.stdout.splitlines()[-1])
    assert told == {
        "alone": users,
        "spawn": [ours, users],
        "forkserver": [ours, users],
        "afterwards": users,
    }
