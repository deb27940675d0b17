"""The stacks that processes of a training wrote when they crashed."""

from __future__ import annotations

import re
from pathlib import Path

MOST = 16 * 1024  # bytes
THREADS = re.compile(r'(?m)^((?:Current thread|Thread) .*|  File "(?!<envdoctor).*)$')


def crash_of(folder: Path, pid: int) -> str:
    """The text that faulthandler wrote of a process; nothing where it wrote none."""
    try:
        with (folder / f"{pid}.stacks").open("rb") as file:
            text = file.read(MOST).decode("utf-8", "replace")
    except OSError:
        return ""
    return "".join(f"{line}\n" for line in THREADS.findall(text))
