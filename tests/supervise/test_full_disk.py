"""A journal on a disk that an environment fills."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

CODE = """
import sys
from pathlib import Path
from envdoctor.probe.journal import Journal as Writer
from envdoctor.run.supervise.journal_reader import Journal

path = Path(sys.argv[1])
journal, writer = Journal(path / "journal"), Writer(str(path / "journal"))
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

MOUNT = 'mount -t tmpfs -o size=1m none "$0" 2>/dev/null || { echo cannot; exit; }; exec "$@"'


def test_nothing_that_a_probe_says_is_lost_on_a_full_disk(tmp_path: Path) -> None:
    """Where no small disk can be had, nothing is shown."""
    words = [
        "unshare",
        "-m",
        "sh",
        "-c",
        MOUNT,
        str(tmp_path),
        sys.executable,
        "-c",
        CODE,
        str(tmp_path),
    ]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() in ("100", "cannot", ""), done.stderr
    assert done.stdout.strip() or done.returncode
