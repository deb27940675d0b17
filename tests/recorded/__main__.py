"""Make recordings anew, and print what changed, finding by finding.

python -m tests.recorded record                 # all cases
python -m tests.recorded record zoo/cls company # those whose keys begin so
python -m tests.recorded accept                 # judge again, and keep the new snapshots
python -m tests.recorded cures                  # count verified code by rule, which the others do too
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from envdoctor.errors import EnvdoctorError
from envdoctor.model.report import Report
from tests.interpreters import announce, way_to
from tests.recorded import cures, digests, keeping
from tests.recorded.catalogue import Case, cases
from tests.recorded.expectations import failures
from tests.recorded.keeping import Entry, Recording
from tests.recorded.playing import NotExaminedError, hear_signals, play, python_of
from tests.recorded.portable import portable
from tests.recorded.snapshots import changes, snapshot_of

TROUBLES = (NotExaminedError, subprocess.TimeoutExpired, EnvdoctorError, OSError)


def main(words: Sequence[str] | None = None) -> int:
    """Run the command; 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorded", description=__doc__)
    parser.add_argument("action", choices=("record", "accept", "cures"))
    parser.add_argument("names", nargs="*", help="beginnings of keys, such as zoo/cls")
    parser.add_argument("--jobs", type=int, default=2, help="examinations at the same time")
    parser.add_argument("--raw", type=Path, help="keep the runs there as they were saved")
    parser.add_argument("--from-raw", type=Path, help="take the runs from there, examine nothing")
    options = parser.parse_intermixed_args(words)
    if options.action == "cures":
        cures.write()
        return 0
    announce()
    hear_signals()
    known = cases()
    chosen = [case for case in known.values() if _is_chosen(case.key, options.names)]
    if not chosen:
        parser.error(f"no case begins with {', '.join(options.names)}")
    if options.action == "accept":
        code = _accept(chosen)
        cures.write()
        return code
    if not options.names:
        for key in set(keeping.keys()) - known.keys():
            keeping.remove(key)
            print(f"{key}: removed, it is not in the catalogue")
    return Recorder(options.raw, options.from_raw).record(chosen, options.jobs)


def _is_chosen(key: str, names: Iterable[str]) -> bool:
    names = tuple(names)
    return not names or any(key.startswith(name) for name in names)


class Recorder:
    """Records cases, and counts what is wrong."""

    def __init__(self, raw: Path | None = None, from_raw: Path | None = None) -> None:
        self.raw, self.from_raw = raw, from_raw
        self.state = digests.sources()
        self.entries: dict[str, Entry] = {}
        self.wrong: list[str] = []
        self.left_out: list[str] = []

    def record(self, chosen: Iterable[Case], jobs: int) -> int:
        """Record all; 1 where something is wrong."""
        began, waiting = time.monotonic(), []
        for case in chosen:
            if python_of(case) is None:
                self.left_out.append(f"{case.key}: {way_to(case.interpreter)}")
            else:
                waiting.append(case)
        with ThreadPoolExecutor(jobs) as pool:
            for number, lines in enumerate(pool.map(self._record, waiting), start=1):
                print(f"[{number}/{len(waiting)}] " + "\n    ".join(lines), flush=True)
                if number % 20 == 0:
                    self._save()
        self._save()
        for line in (*self.left_out, *self.wrong):
            print(line)
        size = sum(file.stat().st_size for file in keeping.FOLDER.rglob("*") if file.is_file())
        print(
            f"{len(self.entries)} recorded in {time.monotonic() - began:.0f} s,"
            f" {len(self.left_out)} without their interpreter, {len(self.wrong)} wrong;"
            f" {size / 2**20:.1f} MiB in all"
        )
        return 1 if self.wrong else 0

    def _save(self) -> None:
        kept = keeping.index().with_entries(self.entries, self.state)
        kept.only(set(keeping.keys())).save()
        cures.write()

    def _record(self, case: Case) -> list[str]:
        """Record one; the lines that are printed of it. A recording that breaks its promise is not
        kept.
        """
        try:
            saved, seconds = self._text(case)
            text = portable(saved)
            recording = keeping.read(text, case.key)
        except TROUBLES as error:
            self.wrong.append(f"{case.key}: WRONG: {error}")
            return [self.wrong[-1]]
        report = recording.report()
        new, old = snapshot_of(report), keeping.snapshot(case.key)
        changed = ["new"] if old is None else list(changes(old, new))
        bad = [f"WRONG: {failure}" for failure in failures(case, report)]
        if fingerprints(report) != fingerprints(keeping.read(saved, case.key).report()):
            bad.append("WRONG: a fingerprint depends on what only this machine has")
        self.wrong += [f"{case.key}: {reason}" for reason in bad]
        if not bad:
            keeping.keep(case.key, text, new)
            self.entries[case.key] = Entry(digests.name_of(self.state), seconds, recording.traits())
        return [f"{case.key} ({seconds:.1f} s)", *changed, *bad]

    def _text(self, case: Case) -> tuple[str, float]:
        """The run of a case as it was saved, and its seconds."""
        name = f"{case.key.replace('/', '--')}.jsonl"
        if self.from_raw:
            text = (self.from_raw / name).read_text(encoding="ascii")
            return text, keeping.read(text, case.key).evidence.seconds
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            path = (self.raw or Path(folder)) / name
            play(case, path)
            return path.read_text(encoding="ascii"), time.monotonic() - began


def fingerprints(report: Report) -> list[str]:
    """Those of all findings, in their order."""
    return [finding.fingerprint for finding in report.findings]


def _accept(chosen: Iterable[Case]) -> int:
    """Keep what today's rules say of recordings as their snapshots."""
    wrong = 0
    there = set(keeping.keys())
    for case in chosen:
        if case.key not in there:
            continue
        recording: Recording = keeping.load(case.key)
        report = recording.report()
        new, old = snapshot_of(report), keeping.snapshot(case.key)
        bad = failures(case, report)
        changed = list(changes(old, new)) if old else ["new"]
        if changed or bad:
            print("\n    ".join([case.key, *changed, *(f"WRONG: {failure}" for failure in bad)]))
        wrong += bool(bad)
        if not bad:
            keeping.keep_snapshot(case.key, new)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
