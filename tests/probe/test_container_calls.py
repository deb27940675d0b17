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
    monkeypatch.setattr(container_calls, "_looked_at", container_calls._LookedAt())
    assert container_calls.speaks_of_a_client(Ownership(())) is speaks


def test_module_is_looked_at_once_for_each_owner() -> None:
    asked: list[str] = []

    def is_users(file: str) -> bool:
        asked.append(file)
        return False

    looked_at = container_calls._LookedAt()
    looked_at.speak((), is_users)
    everything = len(asked)
    looked_at.speak(("/subject",), is_users)
    assert __file__ in asked, "the modules of this process were looked at"
    assert len(asked) == everything, "what was a library's before stays one"
    looked_at.speak(("/another",), is_users)
    assert len(asked) == 2 * everything


def test_later_import_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = ModuleType("own")
    own.__file__ = str(tmp_path / "own.py")
    Path(own.__file__).write_text("COMMAND = 'docker run image'", encoding="utf-8")
    modules = {"library": ModuleType("library")}
    monkeypatch.setattr(container_calls, "sys", SimpleNamespace(modules=modules))
    looked_at = container_calls._LookedAt()
    assert not looked_at.speak((), lambda _file: False)
    modules["own"] = own
    assert looked_at.speak((str(tmp_path),), lambda _file: True)
