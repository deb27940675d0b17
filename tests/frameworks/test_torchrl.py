"""TorchRL's batched environments as they are installed. ENVDOCTOR_TORCHRL_PYTHON names an interpreter that has them, and PyTorch."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.zoo import examine, told

PYTHON = os.environ.get("ENVDOCTOR_TORCHRL_PYTHON", sys.executable)
MANAGERS = ("--managers", "torchrl-serial,torchrl-parallel")
BATCHES = Path(__file__).with_name("batches.py")

WITH_TORCHRL = subprocess.run([PYTHON, "-c", "import torchrl.envs"], capture_output=True, timeout=120, check=False).returncode == 0
needs_torchrl = pytest.mark.skipif(not WITH_TORCHRL, reason=f"torchrl is not installed for {PYTHON}: set ENVDOCTOR_TORCHRL_PYTHON")


def examined(*arguments: str, managers: tuple[str, ...] = MANAGERS) -> tuple[int, dict[str, Any]]:
    return examine(*arguments, *managers, "--python", PYTHON)


def found(document: dict[str, Any], code: str) -> list[dict[str, Any]]:
    return [finding for finding in document["findings"] if finding["code"] == code]
