"""GPU memory as PyTorch and JAX count it, by stand-ins for both, and how LEK010 shows it."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from envdoctor.probe.growth import gpu_counters
from envdoctor.rules.engine.examples import direct_view, fact, growing, trace
from envdoctor.rules.leak.lek010_gpu_memory_grows import gpu_memory_grows

MIB = 1 << 20


def torch(begun: bool) -> Any:
    cuda = SimpleNamespace(
        is_initialized=lambda: begun,
        device_count=lambda: 2,
        memory_allocated=lambda number: (3 * MIB, MIB)[number],
    )
    return SimpleNamespace(cuda=cuda)


def jax(*platforms: str) -> Any:
    stats = {"bytes_in_use": 5 * MIB}
    devices = [SimpleNamespace(platform=one, memory_stats=lambda: stats) for one in platforms]
    return SimpleNamespace(local_devices=lambda: devices)


@pytest.fixture(autouse=True)
def neither(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("torch", "jax", "jax._src.xla_bridge"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_unloaded_framework_is_not_counted() -> None:
    assert gpu_counters.read() == []


@pytest.mark.parametrize(
    ("begun", "platforms", "counted"),
    [
        (True, ("cpu", "gpu"), [{"bytes": 4 * MIB}, {"bytes": 5 * MIB}]),
        (True, ("cpu",), [{"bytes": 4 * MIB}, {"not_seen": "it has not opened a GPU"}]),
        (False, (), [{"not_seen": "it has not opened a GPU"}] * 2),
    ],
)
def test_each_library_counts_for_itself(
    monkeypatch: pytest.MonkeyPatch, begun: bool, platforms: tuple[str, ...], counted: list[Any]
) -> None:
    opened = SimpleNamespace(_backends=dict.fromkeys(platforms))
    monkeypatch.setitem(sys.modules, "torch", torch(begun))
    monkeypatch.setitem(sys.modules, "jax", jax(*platforms))
    monkeypatch.setitem(sys.modules, "jax._src.xla_bridge", opened)
    found = gpu_counters.read()
    assert [one.pop("library") for one in found] == ["torch", "jax"]
    assert found == counted


def test_a_device_that_was_not_opened_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jax", SimpleNamespace(local_devices=pytest.fail))
    assert gpu_counters.read() == [{"not_seen": "it has not opened a GPU", "library": "jax"}]


def test_a_version_that_answers_otherwise_is_not_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    (counted,) = gpu_counters.read()
    assert str(counted["not_seen"]).startswith("AttributeError: ")


def test_the_evidence_of_growth_says_what_they_count() -> None:
    blocks = [
        trace(*played.events, fact("gpu-counters", counted(number)), name="leak")
        for number, played in enumerate(growing(objects=0, heap=0, gpu=2 * MIB), start=1)
    ]
    (finding,) = gpu_memory_grows.judge(direct_view(*blocks))
    assert finding.evidence["counted_by"] == {
        "torch": f"2.0 MiB after the first block, {2.0 * len(blocks)} MiB after the last one",
        "jax": "not seen: it has not opened a GPU",
    }


def counted(number: int) -> list[dict[str, object]]:
    return [
        {"library": "torch", "bytes": 2 * MIB * number},
        {"library": "jax", "not_seen": "it has not opened a GPU"},
    ]
