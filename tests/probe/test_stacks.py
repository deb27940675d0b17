"""The stacks that a process writes which ends itself by os._exit()."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import os
from envdoctor.probe import stacks
{before}
stacks.arm()
def close():
    {body}
close()
"""


MULTIPROCESSING = """import multiprocessing
    child = multiprocessing.get_context("fork").Process(target=print)
    child.start()
    child.join()
    raise SystemExit(3)"""


def written(folder: Path, body: str, before: str = "") -> str:
    """Return what a process writes that runs `body` in close(), and exits with 3."""
    script, file = folder / "script.py", folder / "stacks"
    script.write_text(SCRIPT.format(body=body, before=before))
    names = {"ENVDOCTOR_STACKS": str(file), "ENVDOCTOR_STACK_SIGNAL": str(int(signal.SIGUSR2))}
    env = {**os.environ, **names}
    result = subprocess.run([sys.executable, script], env=env, timeout=60, check=False)
    assert result.returncode == 3
    return file.read_text()


def test_line_that_ends_the_process_is_written(tmp_path: Path) -> None:
    text = written(tmp_path, "os._exit(3)")
    assert "Current thread" in text
    assert f'File "{tmp_path / "script.py"}", line 7 in close' in text


@pytest.mark.parametrize(
    "body",
    [
        "os.fork() or os._exit(0); os.wait(); raise SystemExit(3)",
        MULTIPROCESSING,
    ],
    ids=["child", "multiprocessing"],
)
def test_end_of_a_forked_child_is_not_that_of_its_parent(tmp_path: Path, body: str) -> None:
    assert written(tmp_path, body) == ""


def test_own_end_of_the_probe_is_not_written(tmp_path: Path) -> None:
    before = "globals()['__name__'] = 'envdoctor.probe.quick_exit'"
    assert written(tmp_path, "os._exit(3)", before) == ""
