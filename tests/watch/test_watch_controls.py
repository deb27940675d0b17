"""Growth in a trainer's process: whose it is, a control decides."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.zoo import COMMAND
from tests.watch.test_watch_command import PATIENCE

TRAINING = Path(__file__).parent / "alone" / "growing.py"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")


@pytest.mark.everything
@pytest.mark.parametrize(
    ("whose", "blame", "words"),
    [
        ("environment", "environment", "for each reset without the trainer, too"),
        ("trainer", "unknown", "it does not grow without the trainer"),
    ],
)
def test_a_control_shows_whose_growth_it_is(
    tmp_path: Path, whose: str, blame: str, words: str
) -> None:
    report, saved, again = (tmp_path / name for name in ("report.json", "run.jsonl", "again.json"))
    watch = ["watch", "--controls", "--report", f"json={report}", "--save", str(saved)]
    play(tmp_path, *watch, "--", sys.executable, str(TRAINING), whose)
    document = json.loads(report.read_text())
    (finding,) = (one for one in document["findings"] if one["code"] == "TRN008")
    assert finding["blame"] == blame
    assert words in finding["message"]
    (control,) = document["subjects"][0]["training"]["controls"]
    kept = {(one["meter"], one["operation"]): one["rate"] for one in control["kept"]}
    lost = finding["evidence"]["per_operation"]["reset"]
    assert kept.get(("heap", "reset"), 0.0) == pytest.approx(
        lost if whose == "environment" else 0.0, rel=0.2
    )
    play(tmp_path, "report", str(saved), "--report", f"json={again}")
    assert json.loads(again.read_text())["findings"] == document["findings"]


def play(folder: Path, *words: str) -> None:
    """Run the doctor."""
    subprocess.run([str(COMMAND), *words], cwd=folder, timeout=2 * PATIENCE, check=False)
