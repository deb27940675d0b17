"""Limits of the shell: most have a soft limit of open files below the hard one."""

from __future__ import annotations

import json
import resource
import shlex
import subprocess
import sys
from pathlib import Path

import pytest


def test_no_process_is_replaced_for_a_soft_limit(tmp_path: Path) -> None:
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if hard <= 256:
        pytest.skip("the hard limit of open files is too low here")
    saved = tmp_path / "run.jsonl"
    words = [sys.executable, "-m", "envdoctor", "check", "CartPole-v1", "--managers", "direct"]
    command = shlex.join([*words, "--select", "CLS", "--save", str(saved)])
    done = subprocess.run(
        ["sh", "-c", f"ulimit -Sn 256 && exec {command}"],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    assert "passed" in done.stdout
    traces = [
        line
        for line in map(json.loads, saved.read_text().splitlines())
        if line.get("line") == "trace"
    ]
    events = [event for trace in traces for event in trace["events"]]
    dirty = [event.get("dirty", ()) for event in events if event["event"] == "scenario"]
    assert len(traces) > 10
    assert not [name for names in dirty for name in names if name.startswith("limit")]
