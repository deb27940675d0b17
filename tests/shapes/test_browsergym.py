"""BrowserGym with a real Chromium. ENVDOCTOR_BROWSER_PYTHON names an interpreter that has it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.reporters.browser import PROGRAM, WHY_NOT
from tests.shapes.examined import ENVS, of, passed
from tests.support.zoo import examine

VARIABLE = "ENVDOCTOR_BROWSER_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")
#: Where Playwright looks for the Chromium of its own version.
WANTED = """
import json, pathlib, playwright
known = pathlib.Path(playwright.__file__).parent / "driver" / "package" / "browsers.json"
print(next(x["revision"] for x in json.loads(known.read_text())["browsers"] if x["name"] == "chromium"))
"""

pytestmark = [
    pytest.mark.skipif(not PYTHON, reason=way_to(VARIABLE)),
    pytest.mark.skipif(not PROGRAM, reason=WHY_NOT),
    pytest.mark.everything,
]


@pytest.fixture
def chromium(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine's own, where Playwright looks; root may start it without a sandbox only."""
    done = subprocess.run([PYTHON, "-c", WANTED], capture_output=True, text=True, check=True)
    program = tmp_path / f"chromium-{done.stdout.strip()}" / "chrome-linux" / "chrome"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {PROGRAM} --no-sandbox "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path))


def examined(name: str, codes: str, budget: str) -> dict[str, Any]:
    words = ("--action", json.dumps("noop()"), "--managers", "direct", "--no-try-remedies")
    words += ("--select", codes, "--budget", budget, "--python", PYTHON)
    return examine(f"sites.py:{name}", *words, cwd=ENVS)[1]


@pytest.mark.usefixtures("chromium")
def test_its_browsers_are_gone_after_close_but_not_after_a_reset_that_fails() -> None:
    document = examined("closed", "CLS001,CLS007,CLS008,CLS009,CLS020", "4m")
    found = of(document, "sites.py:closed")
    assert found.keys() == {"CLS020"}
    assert found["CLS020"].startswith("a reset() that fails (OSError: [Errno 24]")
    assert "processes" in found["CLS020"]
    assert "after close()" in found["CLS020"]
    assert {"CLS001", "CLS007", "CLS008", "CLS009"} <= passed(document, "sites.py:closed")


@pytest.mark.usefixtures("chromium")
def test_browsers_that_close_forgets_are_counted() -> None:
    found = of(examined("forgotten", "CLS008", "45s"), "sites.py:forgotten")
    assert found.keys() == {"CLS008"}
    assert "close() leaves" in found["CLS008"]
    assert "chromium" in found["CLS008"]
