"""The journal is written whatever an environment did to the process: else a verb whose end is
not told counts as one that hangs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HEAD = """
import json, os, resource, sys, time
from envdoctor.probe.journal import Journal

journal = Journal(sys.argv[1])

def use_up(hard):
    resource.setrlimit(resource.RLIMIT_NOFILE, (64, hard))
    try:
        while True:
            os.open(os.devnull, os.O_RDONLY)
    except OSError:
        pass

def fail(*arguments, **keywords):
    raise RuntimeError("replaced")
"""

HARM = {
    "no descriptor is left": "use_up(resource.getrlimit(resource.RLIMIT_NOFILE)[1])",
    "and there may be no more": "use_up(64)",
    "three descriptors": "resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))",
    "no file may grow": (
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0,"
        " resource.getrlimit(resource.RLIMIT_FSIZE)[1]))"
    ),
    "few calls are left": "sys.setrecursionlimit(8)",
    "modules are patched": "os.open = os.write = os.getpid = json.dumps = time.monotonic = fail",
    "standard streams are closed": "os.closerange(0, 3)",
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_an_event_is_written(tmp_path: Path, harm: str) -> None:
    journal = tmp_path / "journal"
    code = f'{HEAD}\njournal.write("before")\n{harm}\njournal.write("after", name="x")\n'
    done = subprocess.run(
        [sys.executable, "-c", code, str(journal)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in journal.read_text().splitlines()]
    assert (events[0]["event"], events[-1]["event"], events[-1]["name"]) == ("before", "after", "x")
    assert len({event["pid"] for event in events}) == 1


def test_limits_are_the_environments_own_again(tmp_path: Path) -> None:
    code = f'{HEAD}\nuse_up(128)\njournal.write("after")\nprint(resource.getrlimit(resource.RLIMIT_NOFILE))\n'
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "journal")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.stdout == "(64, 128)\n", done.stderr
