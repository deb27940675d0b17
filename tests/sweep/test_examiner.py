"""The process that forks examinations: what becomes of them, and of it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.run.supervise.owner import started
from envdoctor.sweep.examiner import Examiner, Forked
from envdoctor.sweep.surroundings import Surroundings
from tests.support.waiting import PATIENCE, until
from tests.sweep.place import WAREHOUSE

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="ends with its parent by prctl, looks into /proc"
)


def begin(examiner: Examiner, folder: Path, spec: str) -> Forked:
    words = ["-", Surroundings().as_text(), "0", "check", spec, "--managers", "direct", "-qq"]
    return examiner.begin(str(folder), folder / "said", words)


def test_each_order_is_a_process_with_its_folder_its_words_and_its_exit_code(
    tmp_path: Path,
) -> None:
    with Examiner() as examiner:
        first = begin(examiner, tmp_path, "not/here.py")
        assert first.wait(PATIENCE) == 2
        assert "no such file: not/here.py" in (tmp_path / "said").read_text()
        (tmp_path / "warehouse.py").write_text(WAREHOUSE)
        second = begin(examiner, tmp_path, "warehouse.py:Belt")
        with pytest.raises(subprocess.TimeoutExpired):
            second.wait(0.0)
        assert until(lambda: os.getsid(second.pid) == second.pid != first.pid)
        assert until(lambda: os.readlink(f"/proc/{second.pid}/cwd") == str(tmp_path))
        second.kill()
        assert second.wait(PATIENCE) == -signal.SIGKILL
        second.terminate()  # its number may be another process's by now: nothing is sent


SAYS = "print('hello from site')\nprint('[1]', flush=True)\n"
#: Into the pipe for answers, whose number is the examiner's last argument.
BABBLES = (
    "import os, sys\nif len(sys.argv) == 3:\n    os.write(int(sys.argv[2]), b'no answer\\n')\n"
)


def test_output_of_a_site_is_not_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(SAYS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Examiner() as examiner:
        assert begin(examiner, tmp_path, "not/here.py").wait(PATIENCE) == 2
        assert examiner.is_alive


def test_an_examiner_that_answers_nonsense_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(BABBLES)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Examiner() as examiner:
        assert begin(examiner, tmp_path, "not/here.py").wait(PATIENCE) == -signal.SIGKILL
        assert not examiner.is_alive


def test_a_killed_examiner_takes_its_examinations_along(tmp_path: Path) -> None:
    (tmp_path / "warehouse.py").write_text(WAREHOUSE)
    with Examiner() as examiner:
        running = begin(examiner, tmp_path, "warehouse.py:Belt")
        above = Path(f"/proc/{running.pid}/stat").read_text().rpartition(")")[2].split()[1]
        os.kill(int(above), signal.SIGKILL)
        assert running.wait(PATIENCE) == -signal.SIGKILL
        assert started(running.pid) != running.start
        assert until(lambda: not examiner.is_alive)
        assert begin(examiner, tmp_path, "warehouse.py:Belt").wait(0.0) == -signal.SIGKILL
