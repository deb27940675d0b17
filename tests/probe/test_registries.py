"""Which installed packages would register an id, found by reading."""

from __future__ import annotations

import pytest

from envdoctor.probe.subject import registries

SOURCES = [
    ("roads", 'register(id="highway-v0", entry_point="roads:Highway")'),
    ("arcade", 'for game in GAMES:\n    register(id=f"ALE/{game}-v5")'),
    ("maps", 'register(id="maps/Town-v1")'),
]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registries, "_registering_sources", lambda: iter(SOURCES))


@pytest.mark.parametrize(
    ("name", "certain", "possible"),
    [
        ("highway-v0", ["roads"], []),
        ("highway-v1", [], []),
        ("ALE/Breakout-v5", [], ["arcade"]),
        ("maps/Town-v1", ["maps"], ["maps"]),
        ("Unknown-v0", [], []),
    ],
)
def test_who_registers(name: str, certain: list[str], possible: list[str]) -> None:
    assert registries.would_register(name) == certain
    assert registries.may_register(name) == possible
