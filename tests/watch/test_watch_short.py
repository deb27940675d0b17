"""A short training in long episodes: growth is seen, or what is missing is said with its figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.watch.test_watch_command import command

SCRIPT = Path(__file__).parent / "agents" / "short.py"
RESETS = 13  # 6,000 steps in episodes of 500

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux"),
]


def watched(case: str, folder: Path):
    """The report on a case, and the trainer's meters by their names."""
    file = folder / "report.json"
    words = ("--report", f"json={file}", "--", sys.executable, "-B", str(SCRIPT), case)
    done = command("watch", *words)
    assert done.returncode == 0, done.stderr
    report = json.loads(file.read_text())
    (growth,) = report["subjects"][0]["training"]["growth"]
    return report, {one["meter"]: one for one in growth["meters"]}


def test_growth_with_each_step_of_some_episodes_is_found(tmp_path: Path) -> None:
    report, _ = watched("step", tmp_path)
    (found,) = (one for one in report["findings"] if one["code"] == "TRN009")
    assert found["message"].startswith("main() env.past (list of bytes, the environment's)")
    assert found["evidence"]["whose"] == "environment"


@pytest.mark.everything
@pytest.mark.parametrize("case", ["reset", "nothing"])
def test_growth_over_few_resets_is_not_a_finding(case: str, tmp_path: Path) -> None:
    """Thirteen resets are too few: what they keep may not be known, and is never a finding."""
    report, meters = watched(case, tmp_path)
    assert report["findings"] == []
    for one in meters.values():
        assert one["verdict"] in ("flat", "not known")
        assert not one["over"] or one["per"] != "reset" or one["over"] < RESETS
