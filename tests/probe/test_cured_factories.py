"""The cures of an environment that workers do not know, as factories."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import pytest

from envdoctor.model.subject import ID, Subject
from envdoctor.probe.tracing import remedies


@pytest.fixture
def subject(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Subject]:
    """An id whose module registers it."""
    (tmp_path / "curable.py").write_text(
        "import gymnasium\ngymnasium.register('Curable-v0',"
        " entry_point='gymnasium.envs.classic_control:CartPoleEnv')\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Subject("Curable-v0", ID, name="Curable-v0", directory=str(tmp_path))
    gymnasium.registry.pop("Curable-v0", None)
    sys.modules.pop("curable", None)


def built_by_a_worker(factory: remedies.Factory) -> str:
    """Return what a pickled factory builds in a process whose registry does not know the id."""
    travelled = pickle.loads(pickle.dumps(factory))
    gymnasium.registry.pop("Curable-v0", None)
    return type(travelled.build().unwrapped).__name__


@pytest.mark.parametrize("cure", ["named:curable", "imported:curable", "carried"])
def test_each_cure_brings_along_what_the_worker_needs(cure: str, subject: Subject) -> None:
    importlib.import_module("curable")
    factory = remedies.factory(cure, subject, "")
    del sys.modules["curable"]
    assert built_by_a_worker(factory) == "CartPoleEnv"


def test_without_a_cure_the_worker_does_not_know_it(subject: Subject) -> None:
    with pytest.raises(gymnasium.error.NameNotFound):
        built_by_a_worker(remedies.factory("", subject, ""))


def test_unknown_cure_is_rejected(subject: Subject) -> None:
    with pytest.raises(ValueError, match="'prayer' is not a cure"):
        remedies.factory("prayer", subject, "")
