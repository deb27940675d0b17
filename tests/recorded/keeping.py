"""Recordings as files: a compressed run and a snapshot for each case, and one index of all.

The index has a line for each recording (the state of the sources that made it, what it exercises,
how long that took), and those states.
"""

from __future__ import annotations

import json
import lzma
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from envdoctor.model.report import Report
from envdoctor.saved.judging import report_on_runs
from envdoctor.saved.merging import merge
from envdoctor.saved.reading import SavedRun, read_runs
from envdoctor.verdict.diagnosis import RunEvidence
from tests.recorded import digests
from tests.recorded.snapshots import Snapshot, text_of
from tests.recorded.traits import Traits, traits_of

FOLDER = Path(__file__).parent / "runs"
INDEX = FOLDER / "index.json"

_PACKING = 9 | lzma.PRESET_EXTREME


@dataclass(frozen=True)
class Entry:
    """Entry of a recording in the index: the name of the state of the sources that made it, and the
    seconds that the examination took.
    """

    state: str
    seconds: float
    traits: Traits


@dataclass(frozen=True)
class Recording:
    """A run that was read, as portable text."""

    run: SavedRun

    @property
    def evidence(self) -> RunEvidence:
        """Evidence on its subject. Each recording has one subject."""
        (evidence,) = merge([self.run])[1].values()
        return evidence

    def report(self) -> Report:
        """Today's report on it."""
        return report_on_runs([self.run], (), (), self.run.run.command)

    def traits(self) -> Traits:
        """Return the traits of the product that the recording exercises."""
        return traits_of(self.evidence.traces)


def read(text: str, key: str) -> Recording:
    """The recording in a text. Raises UsageError for what is not a saved run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"{key.rpartition('/')[2]}.jsonl")
        path.write_text(text, encoding="ascii")
        (run,) = read_runs([path])
    return Recording(run)


def keys() -> list[str]:
    """The recordings that are there."""
    return sorted(
        file.relative_to(FOLDER).as_posix().removesuffix(".xz") for file in FOLDER.rglob("*.xz")
    )


def load(key: str) -> Recording:
    """A recording that is there."""
    return read(lzma.decompress(_run_of(key).read_bytes()).decode("ascii"), key)


def snapshot(key: str) -> Snapshot | None:
    """Return the snapshot of its report at the time of recording, or None where it has no snapshot."""
    file = _snapshot_of(key)
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def keep(key: str, text: str, new: Snapshot) -> None:
    """Replace a recording and its snapshot."""
    _run_of(key).parent.mkdir(parents=True, exist_ok=True)
    _run_of(key).write_bytes(lzma.compress(text.encode("ascii"), preset=_PACKING))
    keep_snapshot(key, new)


def keep_snapshot(key: str, new: Snapshot) -> None:
    """Replace its snapshot alone."""
    _snapshot_of(key).write_text(text_of(new), encoding="utf-8")


def remove(key: str) -> None:
    """Remove a recording and its snapshot."""
    _run_of(key).unlink(missing_ok=True)
    _snapshot_of(key).unlink(missing_ok=True)


def _run_of(key: str) -> Path:
    return FOLDER / f"{key}.xz"


def _snapshot_of(key: str) -> Path:
    return FOLDER / f"{key}.json"


@dataclass(frozen=True)
class Index:
    """All entries by key, and the states of the sources by name."""

    entries: dict[str, Entry]
    states: dict[str, dict[str, Any]]

    def older(self) -> dict[str, frozenset[str]]:
        """The recordings that other sources made than those of today, with the units that
        changed.
        """
        units = {name: digests.changed(state) for name, state in self.states.items()}
        return {
            key: units[entry.state] for key, entry in self.entries.items() if units[entry.state]
        }

    def with_entries(self, new: dict[str, Entry], state: dict[str, Any]) -> Index:
        """The index with these entries, made by one state of the sources."""
        entries = {**self.entries, **new}
        states = {**self.states, digests.name_of(state): state}
        used = {entry.state for entry in entries.values()}
        return Index(entries, {name: units for name, units in states.items() if name in used})

    def only(self, keys: set[str]) -> Index:
        """The entries of these keys."""
        entries = {key: entry for key, entry in self.entries.items() if key in keys}
        return replace(self, entries=entries)

    def save(self) -> None:
        """Write it, a line for each entry and for each unit."""
        entries = {
            key: {
                "state": entry.state,
                "seconds": round(entry.seconds, 1),
                **entry.traits.as_dict(),
            }
            for key, entry in sorted(self.entries.items())
        }
        lines = ",\n".join(f"{json.dumps(key)}:{json.dumps(row)}" for key, row in entries.items())
        states = json.dumps(self.states, indent=0, sort_keys=True)
        INDEX.parent.mkdir(parents=True, exist_ok=True)
        INDEX.write_text(f'{{"recordings":{{\n{lines}\n}},\n"states":{states}}}\n')


@cache
def index() -> Index:
    """The index that is there; empty where there is none."""
    if not INDEX.exists():
        return Index({}, {})
    data = json.loads(INDEX.read_text())
    entries = {
        key: Entry(row["state"], row["seconds"], Traits.from_dict(row))
        for key, row in data["recordings"].items()
    }
    return Index(entries, data["states"])


def all_traits() -> Iterator[tuple[str, Traits]]:
    """Yield the traits of each recording, by the index."""
    for key, entry in index().entries.items():
        yield key, entry.traits
