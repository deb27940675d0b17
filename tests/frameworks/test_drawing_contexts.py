"""An instance with an EGL context that is left open at the exit. ENVDOCTOR_RL_PYTHON names an
interpreter with MuJoCo.
"""

from __future__ import annotations

import os
import subprocess

import pytest

from tests.interpreters import way_to
from tests.zoo import examine

VARIABLE = "ENVDOCTOR_RL_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")

#: Whether its MuJoCo draws through EGL here, and fails at the exit: later ones do not.
TRY = """
import importlib.metadata, mujoco
mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>")).close()
raise SystemExit(int(importlib.metadata.version("mujoco").split(".")[0]) >= 4)
"""


def test_what_an_open_renderer_takes_and_raises_at_the_exit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not PYTHON:
        pytest.skip(way_to(VARIABLE))
    monkeypatch.setenv("MUJOCO_GL", "egl")
    tried = subprocess.run([PYTHON, "-c", TRY], capture_output=True, timeout=60, check=False)
    if tried.returncode:
        pytest.skip(f"{PYTHON} has no MuJoCo below 4 that draws through EGL")
    words = ("-k", 'render_mode="rgb_array"', "--managers", "direct", "--select", "CLS017")
    _, document = examine("HalfCheetah-v5", *words, "--python", PYTHON)
    (finding,) = document["findings"]
    assert "raises EGLError while Python exits: the EGL context of mujoco" in finding["message"]
    amount, unit = finding["evidence"]["taken"].split()
    assert unit == "MiB"
    assert float(amount) > 32
