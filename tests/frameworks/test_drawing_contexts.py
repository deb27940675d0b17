"""An instance that draws off the screen, and one whose context is left open at the exit. ENVDOCTOR_RL_PYTHON names an
interpreter with MuJoCo.
"""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.support.zoo import examine

VARIABLE = "ENVDOCTOR_RL_PYTHON"
PYTHON = os.environ.get(VARIABLE, "")

#: Whether its MuJoCo draws through EGL here, and fails at the exit: later ones do not.
TRY = """
import imageio, importlib.metadata, mujoco
mujoco.Renderer(mujoco.MjModel.from_xml_string("<mujoco/>")).close()
raise SystemExit(int(importlib.metadata.version("mujoco").split(".")[0]) >= 4)
"""


def examined(monkeypatch: pytest.MonkeyPatch, context: str) -> dict[str, Any]:
    """Return the report on an instance that draws into such a context."""
    if not PYTHON:
        pytest.skip(way_to(VARIABLE))
    monkeypatch.setenv("MUJOCO_GL", context)
    tried = subprocess.run([PYTHON, "-c", TRY], capture_output=True, timeout=600, check=False)
    if tried.returncode:
        pytest.skip(f"{PYTHON} has no MuJoCo below 4 that draws through {context}")
    words = ("-k", 'render_mode="rgb_array"', "--managers", "direct", "--select", "CLS017,CLS019")
    _, document = examine("HalfCheetah-v5", *words, "--python", PYTHON)
    return document


@pytest.mark.everything
def test_renderer_memory_is_reported_without_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = examined(monkeypatch, "osmesa")
    assert document["findings"] == []
    drawing = document["subjects"][0]["drawing"]
    assert drawing["context"] == "OSMesa context of mujoco"
    assert drawing["taken"] > 2**25
    assert drawing["given_back"] > drawing["taken"] * 0.8


@pytest.mark.everything
def test_open_renderer_that_raises_at_exit_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    document = examined(monkeypatch, "egl")
    assert document["subjects"][0]["drawing"]["context"] == "EGL context of mujoco"
    (finding,) = document["findings"]
    assert "raises EGLError while Python exits: the EGL context of mujoco" in finding["message"]
    amount, unit = finding["evidence"]["taken"].split()
    assert unit == "MiB"
    assert float(amount) > 32
