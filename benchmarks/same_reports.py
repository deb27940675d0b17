"""Are the reports of two versions the same? Plays a sample of the zoo with one checkout, judges
each saved run with both, and compares JSON v1.

    python benchmarks/same_reports.py /path/to/another/checkout --number 60

Fingerprints, messages, remedies and the version are left out: they may be reworded. Prints what
else differs, and exits with 1 where anything does.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
sys.path.insert(0, str(HERE))

from tests.support.zoo import ENVS, Animal, animals  # noqa: E402

REWORDED = frozenset(("fingerprint", "message", "remedy", "version", "seconds", "reason"))
PATIENCE = 600.0  # seconds of one examination


def run(checkout: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """envdoctor of a checkout, in this interpreter."""
    return subprocess.run(
        [sys.executable, "-m", "envdoctor", *words],
        cwd=ENVS,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


def plain(value: Any) -> Any:
    """A document without what may be reworded."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items() if key not in REWORDED}
    return [plain(part) for part in value] if isinstance(value, list) else value


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:
    """Where two documents differ."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            yield from differences(one.get(key), other.get(key), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{where}[{at}]")
    elif one != other:
        yield f"{where}: {str(one)[:100]} -> {str(other)[:100]}"


def compared(animal: Animal, before: Path, saved: Path) -> list[str]:
    """What differs in the reports of one saved run."""
    words = (animal.spec, *animal.arguments, *(animal.python or ()), "--save", str(saved))
    played = run(before, animal.command, *words)
    if not saved.exists():
        return [f"was not played: {played.stderr.strip()[-200:]}"]
    documents = []
    for checkout in (before, HERE):
        done = run(checkout, "report", str(saved), "--format", "json")
        if not done.stdout:
            return [f"{checkout} cannot judge it: {done.stderr.strip()[-200:]}"]
        documents.append(plain(json.loads(done.stdout)))
    return list(differences(*documents))


def main() -> None:
    """Print what differs, one environment after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", type=Path, help="a checkout of the version to compare with")
    parser.add_argument("--number", type=int, default=60, help="how many environments")
    parser.add_argument("--only", default="", help="those whose name has this in it")
    chosen = parser.parse_args()
    known = [one for one in animals() if one.python is not None and chosen.only in str(one)]
    sample = known[:: max(1, len(known) // chosen.number)][: chosen.number]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, animal in enumerate(sample):
            found = compared(animal, chosen.before.resolve(), Path(folder, f"{number}.jsonl"))
            failed += bool(found)
            print(f"{'differs' if found else 'same':8} {animal}", flush=True)
            for line in found[:10]:
                print(f"    {line}", flush=True)
    print(f"{len(sample) - failed} of {len(sample)} are the same")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
