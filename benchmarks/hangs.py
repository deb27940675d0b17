"""Time to the verdict: how long `check` takes, with default options, on environments that hang or
take all memory: `hangs.py [NAME ...]`. It prints a table, and always exits with 0.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

ENVS = Path(__file__).parents[1] / "tests" / "envs"
ENVDOCTOR = str(Path(sys.executable).with_name("envdoctor"))
TARGET = 45.0  # seconds
#: Those of tests/envs/hanging.py, and what each has to be told of.
CASES = {
    "CloseSleeps": "CLS004",
    "CloseBlocksInC": "CLS004",
    "CloseBurnsInC": "CLS004",
    "ResetSleeps": "HNG003",
    "ResetBurns": "HNG003",
    "StepSleeps": "HNG004",
    "StepBurns": "HNG004",
    "EatsMemory": "PRC003",
}


def measure(name: str) -> tuple[float, list[dict[str, object]]]:
    """Seconds until the report, and its findings."""
    began = time.monotonic()
    done = subprocess.run(
        [ENVDOCTOR, "check", f"hanging.py:{name}", "--format", "json"],
        cwd=ENVS,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return time.monotonic() - began, json.loads(done.stdout)["findings"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(CASES), metavar="NAME")
    names = parser.parse_args().names
    table = Table("what hangs", "seconds", "at most", "", "told, in how many places")
    console = Console()
    for name in names:
        seconds, findings = measure(name)
        codes = [str(finding["code"]) for finding in findings if finding["severity"] != "note"]
        is_met = seconds <= TARGET and CASES[name] in codes
        told = ", ".join(f"{code} x{codes.count(code)}" for code in dict.fromkeys(codes))
        table.add_row(name, f"{seconds:.1f}", f"{TARGET:g}", "ok" if is_met else "missed", told)
    console.print(table)


if __name__ == "__main__":
    main()
