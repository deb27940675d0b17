"""envdoctor, and what its process still has when it ends: `python watched.py FILE CEILING WORD...`
writes that to FILE as JSON.

CEILING is how much memory (bytes) this machine pretends to have, so that what takes all of it can
be tried on a machine that others use.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path


def held() -> dict[str, list[str]]:
    """Descriptors, children and threads of this process."""
    folder = "/proc/self/fd"
    descriptors = {
        int(name): os.readlink(f"{folder}/{name}")
        for name in os.listdir(folder)
        if os.path.lexists(f"{folder}/{name}")
    }
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    threads = [
        thread.name
        for thread in threading.enumerate()
        if thread is not threading.main_thread() and not thread.daemon
    ]
    return {
        "descriptors": [f"{number} {target}" for number, target in sorted(descriptors.items())],
        "children": children,
        "threads": threads,
    }


def main() -> None:
    file, ceiling, *words = sys.argv[1:]
    sys.argv = ["envdoctor", *words]
    from envdoctor.run.supervise.machine import machine

    real = machine.available_memory
    machine.available_memory = lambda: min(real(), int(ceiling))
    from envdoctor.cli.start import main as doctor

    before = held()
    try:
        doctor()
    finally:
        after = held()
        left = {kind: [text for text in after[kind] if text not in before[kind]] for kind in after}
        Path(file).write_text(json.dumps(left))


if __name__ == "__main__":
    main()
