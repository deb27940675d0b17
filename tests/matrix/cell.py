"""One cell of the matrix: envdoctor examines one fault at one place, and everything that it
promises is looked at.
"""

from __future__ import annotations

import functools
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.matrix.terminal import Terminal
from tests.support import shared_memory

HERE = Path(__file__).parent
ENVS = HERE / "envs"
MARK = "MATRIX_MARK"  # inherited by everything that a cell starts
CEILING = 2_500_000_000  # bytes that the machine pretends to have
PATIENCE = 900.0  # seconds, after which the doctor itself counts as hung
GRACE = 10.0  # seconds for what ends by itself, once the doctor has
GOOD_EXITS = (0, 1, 4)
# Kinds of which the leak check, with its hundred instances, would take minutes.
DEAR = ("acquisition", "escaping", "hanging")
WORKERS = "workers"  # the fault spares every process but a manager's workers
ALONE = "here"


@dataclass(frozen=True)
class Cell:
    """Subject of an examination: `deed` at `place`, in every process or in `workers` only, under
    `managers`. `python` is the interpreter, empty for the one that runs this. `expected` are codes
    that have to be among the findings; `small_disk` has TMPDIR on a disk of so many MB.
    """

    deed: str
    place: str
    where: str
    managers: tuple[str, ...]
    python: str = ""
    timeout: float = 10.0
    expected: tuple[str, ...] = ()
    small_disk: int = 0

    def __str__(self) -> str:
        return f"{self.deed}@{self.place}-{self.where}{'-' + Path(self.python).parts[-3] if self.python else ''}"

    @property
    def words(self) -> list[str]:
        """The command line after `envdoctor`."""
        words = [
            "check",
            "hostile.py:Hostile",
            "--managers",
            ",".join(self.managers),
            "--timeout",
            str(self.timeout),
            "--format",
            "json",
        ]
        words += ["--ignore", "LEK"] if self.deed.split(".")[0] in DEAR else []
        return [*words, "--python", self.python] if self.python else words

    @property
    def environment(self) -> dict[str, str]:
        """Return the variables that set the environment's deed."""
        return {"HOSTILE": f"{self.deed} {self.place} {self.where}"}


@dataclass
class Result:
    """Result of a cell. `codes` are those worse than a note, by "manager, start method"; `left` are
    the leftovers after it.
    """

    exit_code: int | None
    seconds: float
    document: dict[str, Any] = field(default_factory=dict)
    said: str = ""
    left: list[str] = field(default_factory=list)
    terminal: list[str] = field(default_factory=list)

    @property
    def codes(self) -> dict[str, list[str]]:
        by_place: dict[str, list[str]] = {}
        for finding in self.document.get("findings", ()):
            if finding["severity"] != "note":
                by_place.setdefault(place_of(finding), []).append(finding["code"])
        return {place: sorted(set(codes)) for place, codes in by_place.items()}

    @property
    def played(self) -> dict[str, list[str]]:
        """Return the outcomes of the scenarios, by place."""
        by_place: dict[str, list[str]] = {}
        for scenario in self.document.get("scenarios", ()):
            by_place.setdefault(place_of(scenario), []).append(scenario["outcome"])
        return by_place


def place_of(row: dict[str, Any]) -> str:
    """`gymnasium-async, spawn`."""
    return ", ".join(filter(None, (row["manager"], row["start_method"])))


def complaints(cell: Cell, result: Result) -> list[str]:
    """Every promise that was broken, in words."""
    broken = [*result.left, *result.terminal]
    if result.exit_code is None:
        return [*broken, f"the doctor did not end within {PATIENCE:.0f} s"]
    if result.exit_code not in GOOD_EXITS:
        broken.append(f"exit code {result.exit_code}")
    if "Traceback" in result.said:
        broken.append(f"a traceback: {result.said[-300:]}")
    if not result.document:
        return [*broken, f"no report: {result.said[-300:]}"]
    severities = {finding["severity"] for finding in result.document["findings"]}
    if (result.exit_code == 1) != ("error" in severities):
        broken.append(
            f"exit code {result.exit_code} with {', '.join(sorted(severities)) or 'nothing'}"
        )
    broken += [
        f"{finding['code']}: {finding['message']}"
        for finding in result.document["findings"]
        if finding["code"] == "DOC003"
    ]
    codes = {finding["code"] for finding in result.document["findings"]}
    broken += [f"{code} is not told" for code in cell.expected if code not in codes]
    return broken + [
        f"{manager} was not played"
        for manager in cell.managers
        if not any(place.startswith(manager) for place in result.played)
    ]


class Place:
    """A temporary directory and a mark: what is found with them, or is new where all share, is
    the cell's.
    """

    def __init__(self) -> None:
        # A short path: sockets are made in it, whose paths may have 107 characters.
        self.directory = Path(tempfile.mkdtemp(prefix="m"))
        self.tmp = self.directory / "t"
        self.tmp.mkdir()
        # What deeds look for before they harm any folder.
        (self.directory / "cell-of-the-matrix").touch()
        self.mark = secrets.token_hex(8)
        self.memory = shared_memory.names()

    def close(self) -> None:
        """End and remove whatever is left."""
        for pid in self.processes():
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        # Unlike Python's own, it is never too deep for it.
        subprocess.run(["rm", "-rf", str(self.directory)], check=False)

    def processes(self) -> dict[int, str]:
        """Return the processes that carry the mark, or name this place."""
        marked = {}
        for name in os.listdir("/proc"):
            if name.isdigit() and int(name) != os.getpid():
                words, variables = read(f"/proc/{name}/cmdline"), read(f"/proc/{name}/environ")
                if self.mark.encode() in variables or os.fsencode(self.directory) in words:
                    marked[int(name)] = words.replace(b"\0", b" ").decode(errors="replace")[:100]
        return marked

    def left(self) -> list[str]:
        """Return the leftovers, after they had time to go."""
        deadline = time.monotonic() + GRACE
        while (leftovers := self._look()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return leftovers

    def _look(self) -> list[str]:
        leftovers = [f"the process {pid} {words}" for pid, words in self.processes().items()]
        leftovers += [f"the file {name}" for name in names_in(self.tmp)[:5]]
        return leftovers + [f"the shared memory {name}" for name in sorted(self.new_memory())]

    def new_memory(self) -> frozenset[str]:
        """Return the new shared memory that no other program uses: other programs make some, too."""
        if can_be_alone():
            return frozenset(read(str(self.directory / "left")).decode().splitlines())
        return shared_memory.forgotten(self.memory)


#: Runs a command where nobody else shares memory or, with a size in MB, the temporary directory;
#: writes down what is left of both. And where nothing can be written but in the cell's own
#: directory: a deed that goes astray must find nothing that it could harm.
ALONE_SCRIPT = """
mount --bind "$MATRIX_PLACE" "$MATRIX_PLACE" && mount -o remount,bind,ro / && cd "$PWD" || exit 99
for place in $(awk '$4 ~ /^rw/ && $2 !~ /^\\/(proc|dev|sys)/ {print $2}' /proc/mounts); do
    [ "$place" = "$MATRIX_PLACE" ] || mount -o remount,bind,ro "$place" || exit 99
done
mount -t tmpfs none /dev/shm || exit 99
[ "$0" = 0 ] || mount -t tmpfs -o size=${0}m none "$TMPDIR"
"$@"; code=$?
for _ in 1 2 3 4 5 6 7 8 9 10; do
    left=$(ls -A /dev/shm; tail -n +2 /proc/sysvipc/shm; [ "$0" = 0 ] || ls -A "$TMPDIR")
    [ -z "$left" ] && break; sleep 0.2
done
printf %s "$left" >"$MATRIX_PLACE/left"; exit $code
"""


@functools.cache
def can_be_alone() -> bool:
    """Return whether we can have own namespaces: the superuser of most Linux machines can."""
    done = subprocess.run(
        ["unshare", "-m", "-i", "mount", "-t", "tmpfs", "none", "/dev/shm"],
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


def alone(words: list[str], small_disk: int = 0) -> list[str]:
    """Return that command with shared memory of its own, where that can be had."""
    return (
        ["unshare", "-m", "-i", "sh", "-c", ALONE_SCRIPT, str(small_disk), *words]
        if can_be_alone()
        else words
    )


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder that may have been removed."""
    return os.listdir(folder) if folder.is_dir() else []


def read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def play(cell: Cell) -> Result:
    """Examine, on a terminal; then look at what is left."""
    place = Place()
    try:
        held, report = place.directory / "held", place.directory / "report"
        words = alone(
            [sys.executable, str(HERE / "watched.py"), str(held), str(CEILING), *cell.words],
            cell.small_disk,
        )
        terminal = Terminal()
        with report.open("wb") as stdout:
            began = time.monotonic()
            exit_code = terminal.run(words, ENVS, stdout, surroundings(place, cell), PATIENCE)
            seconds = time.monotonic() - began
        result = Result(
            exit_code, seconds, said=terminal.said, left=place.left(), terminal=terminal.harm
        )
        result.left += [
            f"{kind[:-1]} {text} in the doctor"
            for kind, texts in parsed(held).items()
            for text in texts
        ]
        result.document = parsed(report)
        return result
    finally:
        place.close()


def surroundings(place: Place, cell: Cell) -> dict[str, str]:
    """The environment variables of a cell."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in ("FORCE_COLOR", "GITHUB_ACTIONS", "HOSTILE")
    }
    return {
        **kept,
        "TMPDIR": str(place.tmp),
        MARK: place.mark,
        "PYTHONPATH": str(HERE.parent.parent),
        "TERM": "xterm",
        "MATRIX_PLACE": str(place.directory),
        **cell.environment,
    }


def parsed(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return document if isinstance(document, dict) else {}


CHECKER_SECONDS = 12.0
ERROR = re.compile(
    r"([A-Za-z_][\w.]*(?:Error|Exception|Warning|Interrupt|Exit|Group|Doom|Nameless|Locked|Unreduced|Mute|Leaving|Wordless))\b"
)


def check_in_framework(cell: Cell, checker: str, python: str) -> str:
    """Return the result of a framework's checker with this fault, in a process of its own: a few
    words.
    """
    place = Place()
    try:
        # Not its parent: some deeds end that.
        words = alone(
            ["sh", "-c", '"$@"; exit $?', "sh", python or sys.executable, "checked.py", checker]
        )
        variables = {**surroundings(place, cell), "HOSTILE": f"{cell.deed} {cell.place} here"}
        variables.pop("PYTHONPATH")
        with (place.directory / "said").open("w+b") as said:
            process = subprocess.Popen(
                words,
                cwd=ENVS,
                env=variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                start_new_session=True,
            )
            try:
                code = process.wait(CHECKER_SECONDS)
                outcome = how_it_ended(code, tail(said))
            except subprocess.TimeoutExpired:
                outcome = "hangs"
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return outcome + left_words(place, hung=outcome == "hangs")
    finally:
        place.close()


def tail(file: Any) -> str:
    file.seek(max(0, file.seek(0, os.SEEK_END) - 4000))
    return file.read().decode(errors="replace").strip()


def how_it_ended(code: int, said: str) -> str:
    """`passes`, `raises RuntimeError`, `SIGSEGV`, `exit 3, silent`."""
    if code == 0:
        return "passes"
    number = -code if code < 0 else code - 128
    if number in signal.valid_signals():
        return f"dies of {signal.Signals(number).name}"
    errors = [match[1] for match in map(ERROR.match, said.splitlines()) if match]
    return (
        f"raises {errors[-1].split('.')[-1]}"
        if "Traceback" in said and errors
        else f"ends with exit code {code}"
    )


def left_words(place: Place, hung: bool) -> str:
    """Return the leftovers of the run, in a few words."""
    time.sleep(0.0 if hung else 0.3)
    processes = 0 if hung else len(place.processes())
    files, memory = len(names_in(place.tmp)), place.new_memory()
    for name in memory if not can_be_alone() else ():
        if not name.startswith("sysv"):
            (shared_memory.SHARED / name).unlink(missing_ok=True)
    counted = (
        (processes, "process", "es"),
        (files, "file", "s"),
        (len(memory), "shared memory", ""),
    )
    parts = [
        f"{count} {noun}{plural if count > 1 else ''}" for count, noun, plural in counted if count
    ]
    return f", leaves {', '.join(parts)}" if parts else ""
