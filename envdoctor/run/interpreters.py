"""The packages of an interpreter, and the ids of its registries: asked in a process of its own."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import field
from pathlib import Path
from tempfile import TemporaryDirectory

from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.run.supervise.head_start import HeadStart

SECONDS = 120.0  # longest time for the imports that fill a registry
ASK = (
    "import sys; sys.path.insert(0, sys.argv[1]);"
    " from envdoctor.probe.listing import main; main(*sys.argv[2:])"
)
#: The folders that it imports from; an editable installation may name its own to a finder.
PLACES = (
    "import json, os, sys;"
    " maps = [vars(each).get('MAPPING') for name, each in list(sys.modules.items())"
    " if name.startswith('__editable__')];"
    " found = [os.path.dirname(path) for each in maps if isinstance(each, dict)"
    " for path in each.values()];"
    " json.dump([*sys.path[1:], *found], open(sys.argv[1], 'w'))"
)


@dataclass(frozen=True)
class Interpreter:
    """A Python: its path and version, its packages, and the ids of the registry that was asked for.
    `error` is what an import raised.
    """

    executable: str
    python: str = ""
    versions: Mapping[str, str] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    error: str = ""


def interpreter(
    python: str | None, directory: str, registry: str = "", imports: Iterable[str] = ()
) -> Interpreter:
    """Return the packages of an interpreter; this one where none is named. Raises UsageError for
    one that does not answer.
    """
    path = python or sys.executable
    with HeadStart() as begun:
        answer = begun.directory / "listing.json"
        words = [path, "-c", ASK, str(begun.bundle), str(answer), directory, registry, *imports]
        last = _run(words, directory, begun.directory)
        try:
            data = json.loads(answer.read_text(encoding="ascii"))
        except (OSError, ValueError) as error:
            raise UsageError(f"--python {path} did not say what is installed: {last}") from error
    return Interpreter(**{**data, "executable": path, "ids": tuple(data.pop("ids", ()))})


def machine_class() -> str:
    """Machines on which exact readings are the same: `Linux x86_64 glibc 2.36`."""
    return " ".join(filter(None, (platform.system(), platform.machine(), *platform.libc_ver())))


def own_places(python: str | None, directory: str) -> tuple[str, ...]:
    """The folders that an interpreter imports from, without the current one. Raises UsageError for
    one that does not answer.
    """
    path = python or sys.executable
    with TemporaryDirectory(prefix="envdoctor-") as temporary:
        answer = Path(temporary, "places.json")
        last = _run([path, "-c", PLACES, str(answer)], directory, Path(temporary))
        try:
            return tuple(map(str, json.loads(answer.read_text(encoding="ascii"))))
        except (OSError, ValueError) as error:
            raise UsageError(f"--python {path} did not say what it imports from: {last}") from error


def _run(words: list[str], directory: str, temporary: Path) -> str:
    """Run it to its end, or until it has taken too long; its last words."""
    try:
        started = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=directory,
            env={**os.environ, "TMPDIR": str(temporary)},
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return f"it cannot be started: {error.strerror}"
    with started as process:
        try:
            _, said = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            said = f"it took longer than {SECONDS:.0f} s"
        finally:
            with suppress(OSError):  # what it started, too
                os.killpg(process.pid, signal.SIGKILL)
    return (said.strip().splitlines() or [f"it ended with {process.returncode}"])[-1]
