"""Clients of OpenEnv's own, and a server of its own for four sessions."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.interpreters import way_to
from tests.shapes.examined import ENVS
from tests.shapes.test_pages import notes_url
from tests.support.zoo import examine

PYTHON = os.environ.get("ENVDOCTOR_OPENENV_PYTHON", "")
pytestmark = [
    pytest.mark.everything,
    pytest.mark.skipif(not PYTHON, reason=way_to("ENVDOCTOR_OPENENV_PYTHON")),
]


def found(
    name: str, selected: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[dict[str, str], dict[str, Any]]:
    """{code: message}, and the document."""
    with notes_url(PYTHON) as url:
        monkeypatch.setenv("NOTES_URL", url)
        chosen = ("--managers", "direct", "--python", PYTHON, "--timeout", "120")
        _, document = examine(f"clients.py:{name}", *chosen, "--select", selected, cwd=ENVS)
    return {one["code"]: one["message"] for one in document["findings"]}, document


def test_one_that_ends_its_session_is_healthy(monkeypatch: pytest.MonkeyPatch) -> None:
    messages, document = found("Healthy", "ASY,CLS", monkeypatch)
    assert messages == {}
    assert {"ASY001", "ASY003", "ASY004", "CLS006"} <= {one["code"] for one in document["passed"]}


def test_a_server_that_is_full_is_traced_to_close(monkeypatch: pytest.MonkeyPatch) -> None:
    messages, _ = found("Forgetting", "ASY,LEK005", monkeypatch)
    assert messages["ASY003"] == "close() leaves the OpenEnv client self.client open"
    assert messages["ASY004"].startswith("reset() is refused, because the server is full")


def test_a_close_that_is_not_awaited_has_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    messages, document = found("Unawaited", "ASY", monkeypatch)
    assert messages["ASY001"].startswith("EnvClient.close() is a coroutine that is never awaited")
    (place,) = (one["location"] for one in document["findings"] if one["code"] == "ASY001")
    assert place["line"] == _line_of("            self.client.close()", after="class Unawaited")


def _line_of(text: str, after: str) -> int:
    lines = (ENVS / "clients.py").read_text().splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(after))
    return 1 + lines.index(text, start)
