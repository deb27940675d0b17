"""Watch a training from inside: `with envdoctor.watching() as run:` in a script or a notebook, and
`python -m envdoctor.watching train.py` where a launcher starts Python itself.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from html import escape
from itertools import chain, count
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from envdoctor.starting import FOLDER, PATH
from envdoctor.watch.asking import Asking

if TYPE_CHECKING:
    from envdoctor.model.report import Report
    from envdoctor.probe.live.boot import Hook

RANKS = ("RANK", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK")
PATIENCE = 120.0  # seconds for the report
BOOT = "envdoctor.probe.live.boot"
#: Events of the journal that a later run in this process needs: who made what is still there.
KEPT = ("instance", "page")


class Watching:
    """A run that is watched from here to the end of its `with`. `report` is None until then, and
    where there is none: `trouble` says why.
    """

    def __init__(self, holders: bool = True) -> None:
        self.report: Report | None = None
        self.trouble = "it is not over"
        self._holders = holders
        self._asking: Asking | None = None
        self._pid = 0
        self._path: str | None = None

    def __enter__(self) -> Self:
        """Start the doctor, and arm this process and what it starts from now on."""
        if _is_watched():
            self.trouble = "this process is watched already"
        else:
            self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Take the report. A forked child that comes here leaves that to its parent."""
        asking, self._asking = self._asking, None
        if asking is not None and self._pid == os.getpid():
            self._end(asking)

    def figures(self) -> dict[str, float]:
        """Return the numbers of this moment, such as {"training/steps": 2048}. They are empty
        outside of the `with`, in another process, where envdoctor was killed, and under `envdoctor
        watch`. It waits for some seconds at most, and raises nothing.
        """
        asking = self._asking if self._pid == os.getpid() else None
        return asking.figures() if asking is not None else {}

    def _begin(self) -> None:
        self._pid = os.getpid()
        holders = "holders" if self._holders else ""
        words = [sys.executable, "-P", "-m", "envdoctor.watch.resident", str(self._pid), holders]
        doctor = subprocess.Popen(
            [*words, *sys.orig_argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for this process
        )
        assert doctor.stdout is not None
        said = doctor.stdout.readline()
        doctor.wait()  # it left its place to a process that is not our child
        if not said:
            self.trouble = "envdoctor could not begin"
            doctor.communicate()
            return
        self._asking, (folder, code, boot, hook_modules) = Asking(doctor), json.loads(said)
        _own.run = self
        _arm(folder, code, hook_modules)
        self._path = os.environ.get(PATH)
        os.environ[PATH] = os.pathsep.join(filter(None, (boot, self._path)))

    def _end(self, asking: Asking) -> None:
        if self._path is None:
            os.environ.pop(PATH, None)
        else:
            os.environ[PATH] = self._path
        _leave()
        try:
            self.report = pickle.loads(asking.report(PATIENCE))
        except (subprocess.TimeoutExpired, EOFError, pickle.UnpicklingError):
            self.trouble = "envdoctor has ended early"

    def __str__(self) -> str:
        """The report as the terminal shows it."""
        if self.report is None:
            return f"no report: {self.trouble}"
        from envdoctor.api import render

        return render(self.report)

    def _repr_html_(self) -> str:
        """The page of the report, as a notebook shows it."""
        if self.report is None:
            return f"<pre>{escape(str(self))}</pre>"
        from envdoctor.api import render

        page = escape(render(self.report, "html"), quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="600" frameborder="0"></iframe>'


def watching(holders: bool = True) -> Watching:
    """Watch this process, and what it starts, in a `with`. Where memory grows, `holders` has
    processes look for who holds what grows. Raises UsageError outside of Linux.
    """
    if sys.platform != "linux":
        from envdoctor.errors import UsageError

        raise UsageError("watching() needs Linux: it reads what runs from /proc")
    return Watching(holders)


class _Own:
    """State that stays in this process between two runs: its hook, the journal's lines on
    instances that may be there still, and the run that is under way.
    """

    def __init__(self) -> None:
        self.hook: Hook | None = None
        self.lines: list[bytes] = []
        self.run: Watching | None = None


_own = _Own()


def figures() -> dict[str, float]:
    """Return the figures of the run that is under way in this process; empty without such a run."""
    return _own.run.figures() if _own.run is not None else {}


def _is_watched() -> bool:
    """Return whether a hook reports already: ours, or that of `envdoctor watch`."""
    hooks = [each for each in sys.meta_path if type(each).__module__ == BOOT]
    return _own.run is not None or (bool(hooks) and _own.hook is None)


def _arm(folder: str, code: str, hook_modules: dict[str, str]) -> None:
    """Arm this process. Frameworks that are imported already are armed now."""
    from envdoctor.probe.live import boot

    if _own.hook is not None:
        _own.hook.move(folder, code, _own.lines)
        return
    _own.hook = hook = boot.begin(folder, code, hook_modules)
    for name, hook_module in hook_modules.items():
        module = sys.modules.get(name)
        if module is not None:
            boot.arm(hook, hook_module, module)


def _leave() -> None:
    """Keep what a later run in this process needs."""
    _own.run = None
    if _own.hook is not None:
        with suppress(OSError):  # the doctor was killed, and its directory is removed
            lines = Path(_own.hook.journal).read_bytes().splitlines(keepends=True)
            _own.lines += [line for line in lines if _is_kept(line)]


def _is_kept(line: bytes) -> bool:
    from envdoctor.model.training_events import announced

    try:
        event = announced(json.loads(line))
    except (TypeError, ValueError, AttributeError, KeyError):
        return False
    return event.what in KEPT and event.pid == os.getpid()


def main(words: list[str]) -> None:
    """Watch a Python with these words, as `envdoctor watch` does, and end as it does."""
    from envdoctor.cli.start import main
    from envdoctor.watch.stand_in import stand_in

    folder = os.environ.get(FOLDER)
    try:
        options = reports(Path(folder), os.environ, os.getpid()) if folder else []
    except OSError as error:
        sys.stderr.write(f"envdoctor: {folder} cannot take a report: {error.strerror}\n")
        os.environ.pop(FOLDER)
        os.execv(sys.executable, [sys.executable, *words])  # noqa: S606
    main(["watch", "--in-front", str(stand_in()), *options, "--", sys.executable, *words])


def reports(folder: Path, variables: Mapping[str, str], pid: int) -> list[str]:
    """Return the options that keep the report of a rank in a folder, under a name of its own.
    Raises OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rank = next((variables[name] for name in RANKS if variables.get(name, "").isdigit()), "")
    name = f"rank-{rank}" if rank else f"pid-{pid}"
    # The same job may have been started before, and the folder may be that of several machines.
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    saved = next(path for each in names if _is_ours(path := folder / f"{each}.jsonl"))
    return ["--every", "0", "--save", str(saved), "--output", str(saved.with_suffix(".txt"))]


def _is_ours(path: Path) -> bool:
    """Make a file, and return whether there was none. Raises OSError where it cannot be made."""
    try:
        path.touch(exist_ok=False)
    except FileExistsError:
        return False
    return True
