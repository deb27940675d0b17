"""Growth that was planted in one side of a training, in its own process and in workers: the report
names who holds it, and accuses no other side.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.zoo import COMMAND

SCRIPT = Path(__file__).parent / "agents" / "keeps.py"
SECONDS = 14  # of training: eight stretches of readings, and two looks
PATIENCE = 600  # seconds

CASES = {
    ("workers", "self"): "env.past (list of list, the environment's)",
    ("workers", "global"): "PAST (list of list, the environment's)",
    ("workers", "observation"): "env.past (list of numpy.ndarray, the environment's)",
    ("workers", "cache"): "",
    ("workers", "cycles"): "",
    ("workers", "nothing"): "",
    ("trainer", "vectorizer"): "self.kept (list of list, the vectorizer's)",
    ("trainer", "main"): "main() infos_kept (list of list, the trainer's)",
    ("trainer", "logger"): "main() logger.rows (list of dict, the trainer's)",
    ("trainer", "observations"): "main() logger.rows (list of dict, the trainer's)",
    ("trainer", "observation"): "past (list of numpy.ndarray, the environment's)",
    ("trainer", "replay"): "",
    ("trainer", "cache"): "",
    ("trainer", "cycles"): "",
}

HELD = re.compile(r"\([^()]*, ([^()]*)\) gets longer")


@pytest.mark.everything
@pytest.mark.parametrize(("where", "case"), CASES)
def test_holder_of_growth_is_named(where: str, case: str, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    python = [sys.executable, str(SCRIPT), where, case, str(SECONDS)]
    done = subprocess.run(
        [str(COMMAND), "watch", "--report", f"json={report}", "--", *python],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    text = " ".join(done.stderr.split())
    expected = CASES[where, case]
    assert expected in text, done.stderr
    assert set(HELD.findall(text)) == set(HELD.findall(f"{expected} gets longer"))
    assert "TRN008 memory-grows" not in text
    assert "made, in" in text
    judged = {one["code"] for one in json.loads(report.read_text())["passed"]}
    assert ("TRN009" in judged) is not bool(expected), "what was not looked at has not passed"
