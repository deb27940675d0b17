"""`envdoctor workers` with real workers."""

from __future__ import annotations

import json
import subprocess

import pytest
from typer.testing import CliRunner

from envdoctor.cli.main import app
from tests.support.zoo import COMMAND

PATIENCE = 600.0


def test_workers_are_launched_and_measured() -> None:
    words = ["workers", "CartPole-v1", "--managers", "gymnasium-async", "--start-methods", "fork"]
    done = subprocess.run(
        [COMMAND, *words, "--most", "2", "--steps", "100", "--format", "json", "--no-config"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    launches = json.loads(done.stdout)["launches"]
    assert [(one["manager"], one["workers"]) for one in launches] == [
        ("direct", 1),
        ("gymnasium-async", 1),
        ("gymnasium-async", 2),
    ]
    assert not any(one["failed"] for one in launches)
    assert all(one["rate"] > 0 for one in launches)
    assert [one["private"] is None for one in launches] == [True, False, False]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (("nope-v0",), 3, "nope-v0 cannot be built: `envdoctor check nope-v0` says why"),
        (("CartPole-v1", "--managers", "gymnasium-asink"), 2, "did you mean gymnasium-async"),
        (("CartPole-v1", "--format", "html"), 2, "there are terminal, json"),
    ],
)
def test_unmeasurable_request_exits_with_its_reason(
    words: tuple[str, ...], code: int, sentence: str
) -> None:
    told = CliRunner().invoke(app, ["workers", *words])
    assert told.exit_code == code
    assert sentence in " ".join(told.output.split())
