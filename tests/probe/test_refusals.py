"""What an environment refuses is noted once a method and error."""

from __future__ import annotations

import pytest

from envdoctor.probe import refusals


def test_refusals_of_one_method_with_one_error_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusals, "_noted", {})
    monkeypatch.setattr(refusals, "_told", [])
    for seed in range(3):
        refusals.note(f"seed({seed})", "seed()", TypeError("too many arguments"), "seed")
    refusals.note("seed(3)", "seed()", ValueError("odd"), "seed")
    refusals.note("sample()", "the least action", TypeError("too many arguments"))
    calls: list[str] = []
    refusals.tell(lambda refusal: calls.append(refusal["call"]))
    assert calls == ["seed(0)", "seed(3)", "sample()"]
