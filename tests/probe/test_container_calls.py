"""Calls to a container engine that are followed."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from envdoctor.probe.ownership import Ownership
from envdoctor.probe.system import container_calls


@pytest.mark.parametrize(
    ("name", "source", "speaks"),
    [
        ("docker", "", True),
        ("pkg.containers", "class RepeatedField(list): ...", False),
        ("pkg.containers.runtime", "COMMAND = ['docker', 'run']", True),
    ],
)
def test_module_that_speaks_of_a_client_is_known(
    name: str, source: str, speaks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "module.py"
    file.write_text(source, encoding="utf-8")
    module = ModuleType(name)
    module.__file__ = str(file)
    monkeypatch.setattr(container_calls, "sys", SimpleNamespace(modules={name: module}))
    assert container_calls.speaks_of_a_client(Ownership(())) is speaks
