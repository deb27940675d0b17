"""DI-engine's managers and environments as they are installed. ENVDOCTOR_DING_PYTHON names an interpreter that has them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

PYTHON = os.environ.get("ENVDOCTOR_DING_PYTHON", sys.executable)

WITH_DING = subprocess.run([PYTHON, "-c", "import ding.envs"], capture_output=True, timeout=120, check=False).returncode == 0
needs_ding = pytest.mark.skipif(not WITH_DING, reason=f"no DI-engine for {PYTHON}: ENVDOCTOR_DING_PYTHON=/path/to/python pytest tests/frameworks")
