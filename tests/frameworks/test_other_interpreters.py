"""Environments that live under another Python, which has neither envdoctor nor psutil."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.pythons import python_of
from tests.support.zoo import examine, messages_of

INSTALL_SECONDS = 600.0


@pytest.fixture
def python(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A fresh virtual environment of that version that holds Gymnasium and nothing else."""
    version = request.param
    found = python_of(version)
    if found is None:
        pytest.skip(f"there is no Python {version} here")
    try:
        subprocess.run(
            [found, "-m", "venv", str(tmp_path / "venv")],
            capture_output=True,
            timeout=INSTALL_SECONDS,
            check=True,
        )
        made = str(tmp_path / "venv" / "bin" / "python")
        pip = [
            made,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--retries",
            "1",
            "--prefer-binary",
            "gymnasium",
        ]
        subprocess.run(pip, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=True)
    except subprocess.TimeoutExpired:
        pytest.skip(
            f"Gymnasium could not be installed for Python {version} in {INSTALL_SECONDS:.0f} s"
        )
    except subprocess.CalledProcessError as error:
        pytest.skip(
            f"Gymnasium cannot be installed for Python {version}:"
            f" {(error.stderr or error.stdout).strip().splitlines()[-1:]}"
        )
    return made


@pytest.mark.everything
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="which sensors work elsewhere differs"
)
@pytest.mark.parametrize("python", ["3.8", "3.13"], indirect=True)
def test_another_interpreter(python: str) -> None:
    exit_code, document = examine("CartPole-v1", "--python", python)
    assert (exit_code, messages_of(document, "error", "warning")) == (0, [])
    assert document["subjects"][0]["python"] == python
    # Alone, SyncVectorEnv, and AsyncVectorEnv with fork and with spawn.
    assert len(document["subjects"][0]["managers"]) == 4
    assert {scenario["outcome"] for scenario in document["scenarios"]} == {"finished"}

    exit_code, document = examine(
        "cls006_close_leaves_descriptors.py:Sick", "--python", python, "--managers", "direct"
    )
    assert exit_code == 1
    assert [
        finding["code"] for finding in document["findings"] if finding["severity"] != "note"
    ] == ["CLS006"]
    (finding,) = [finding for finding in document["findings"] if finding["code"] == "CLS006"]
    assert ":17)" in finding["remedy"]["text"]  # the line that took it
