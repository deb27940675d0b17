"""The containers that a probe's processes asked an engine for, and that they left: removed, as
their processes are. Standard library only: the cleanup watchdog asks for it, too.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from envdoctor.model.container_clients import (
    RECORD,
    ContainerRecord,
    EngineContainer,
    containers_of,
    record_of,
)

PATIENCE = 30.0  # seconds for one answer of a client


def remove_containers(folder: str | Path) -> list[str]:
    """Remove what is left of what was asked for from `folder`, the home of a probe; what it was.
    Never what was there before, nor what the calls do not show to be theirs.
    """
    record = read_record(os.path.join(folder, RECORD))
    removed = []
    try:
        left = containers_of(record, lambda client, words: _ask(record, client, words), _content)
        for client, containers in left.items():
            if containers:
                _ask(record, client, ("rm", "--force", *(container.id for container in containers)))
                removed += [_name(client, container) for container in containers]
    except (OSError, subprocess.SubprocessError):  # no engine answers: nothing can be removed
        return removed
    return removed


def remove_containers_below(directory: str) -> None:
    """Remove the containers of all probes of a run directory."""
    for folder in _homes(directory):
        remove_containers(folder)


def read_record(path: str) -> ContainerRecord:
    """Read a record; a line that was cut off is left out."""
    lines = [line for line in _content(path).splitlines() if line.endswith("}")]
    return record_of(json.loads(line) for line in lines)


def _homes(directory: str) -> Iterator[str]:
    for folder, folders, files in os.walk(directory):
        # What the environment itself writes is none.
        folders[:] = [name for name in folders if name not in ("tmp", "cwd")]
        if RECORD in files:
            yield folder


def _ask(record: ContainerRecord, client: str, words: Sequence[str]) -> str:
    return subprocess.run(
        [record.paths[client], *words],
        env={**os.environ, **record.environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=PATIENCE,
        check=True,
    ).stdout


def _content(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _name(client: str, container: EngineContainer) -> str:
    return f"{client} container {container.key}"
