"""Memory that a process has written, as /proc has it, and whether a collector frees it later.

A page counts as long as it is neither given back nor promised to the kernel, in memory or swapped.
What is private to a process would change where its parent writes to pages that both had at a fork.
"""

from __future__ import annotations

import re
from typing import Iterable

#: Lines of /proc/PID/smaps_rollup: what is written, less what may be taken back.
_WRITTEN, _PROMISED = ("Anonymous", "Swap"), "LazyFree"
_LINE = re.compile(r"^(Anonymous|Swap|LazyFree): +(\d+) kB", re.MULTILINE)

#: Whose heap grows until a collector of its own runs, by how the name of the program begins, or
#: that of a library it has mapped.
COLLECTED = {
    "java": "Java",
    "libjvm.": "Java",
    "dotnet": ".NET",
    "libcoreclr.": ".NET",
    "node": "Node.js",
    "libnode.": "Node.js",
    "deno": "Deno",
    "bun": "Bun",
    "chrome": "Chromium",
    "chromium": "Chromium",
    "headless_shell": "Chromium",
    "electron": "Electron",
    "firefox": "Firefox",
    "julia": "Julia",
    "libjulia": "Julia",
    "ruby": "Ruby",
    "libruby": "Ruby",
    "mono": "Mono",
    "libmono": "Mono",
    "UnityPlayer.": "Unity",
    "GameAssembly.": "Unity",
    "pypy": "PyPy",
    "libpypy": "PyPy",
    "beam": "Erlang",
    "libR.": "R",
}
#: The same, by what the name of the program has in it. Unreal Engine collects once a minute.
COLLECTED_WITHIN = {"UE4": "Unreal", "UE5": "Unreal", "-Linux-Shipping": "Unreal"}
#: The note that Go's linker writes at the beginning of a program.
_GO_NOTE = re.compile(rb"\x04\0\0\0....\x04\0\0\0Go\0\0", re.DOTALL)
HEADERS = 4096  # bytes of a program, in which it is


def written(rollup: str) -> int:
    """Bytes of a process, of its smaps_rollup; -1 where that says nothing."""
    values = {name: int(number) * 1024 for name, number in _LINE.findall(rollup)}
    if _WRITTEN[0] not in values:
        return -1
    return sum(values.get(name, 0) for name in _WRITTEN) - values.get(_PROMISED, 0)


def collector(paths: Iterable[str], head: bytes) -> str:
    """Return what has a collector of its own for its memory: "Java", or nothing. `paths` are those
    of the program and of what it has mapped, `head` is how the program begins.
    """
    names = {path.rpartition("/")[2] for path in paths if "/" in path}
    known = [
        *(COLLECTED[mark] for mark in COLLECTED for name in names if _begins(name, mark)),
        *(COLLECTED_WITHIN[mark] for mark in COLLECTED_WITHIN for name in names if mark in name),
        *(["Go"] if _GO_NOTE.search(head) else []),
    ]
    return known[0] if known else ""


def _begins(name: str, mark: str) -> bool:
    """Return whether a file is what a mark means: `node18` is of Node.js, `nodesim` is not."""
    is_library = mark.startswith("lib") or mark.endswith(".")
    return name.startswith(mark) and (is_library or not name[len(mark) :][:1].isalpha())
