"""A journal on a disk that an environment fills."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

CODE = """
import sys
from pathlib import Path
from envdoctor.probe.journal import Journal as Writer
from envdoctor.run.supervise.journal_reader import JournalReader

path = Path(sys.argv[1])
journal, writer = JournalReader(path / "journal"), Writer(str(path / "journal"))
with (path / "large").open("wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        pass
for number in range(100):
    writer.write("fact", key=str(number), value="x" * 1000)
journal.read()
print(len(journal.events))
"""

MOUNT = 'mount -t tmpfs -o size=1m none "$0" && exec "$@"'
SMALL_DISK = ("unshare", "-m", "sh", "-c", MOUNT)

#: A small file that is written through memory: room that the disk does not have is a signal there.
PROGRESS = """
import sys
from pathlib import Path
from envdoctor.probe.progress import Progress

path = Path(sys.argv[1])
with (path / "large").open("wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        pass
progress = Progress(str(path / "journal"))
progress.at(3, 4)
print(progress.episode, progress.step)
"""


def on_a_small_disk(code: str, place: Path) -> subprocess.CompletedProcess[str]:
    try:
        tried = subprocess.run(
            [*SMALL_DISK, str(place), "true"], capture_output=True, timeout=600, check=False
        )
    except OSError:
        pytest.skip("unshare is missing")
    if tried.returncode:
        pytest.skip("a small disk cannot be mounted here")
    return subprocess.run(
        [*SMALL_DISK, str(place), sys.executable, "-c", code, str(place)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_nothing_that_a_probe_says_is_lost_on_a_full_disk(tmp_path: Path) -> None:
    done = on_a_small_disk(CODE, tmp_path)
    assert done.stdout.strip() == "100", done.stderr


def test_progress_of_an_episode_ignores_a_full_disk(tmp_path: Path) -> None:
    done = on_a_small_disk(PROGRESS, tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "3 4"), done.stderr
