"""The command that shows how a watched training stands: one that runs, or a saved one."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from envdoctor.watch.running import RunningTraining
    from envdoctor.watch.standing import TrainingStanding

EVERY = 1.0  # seconds
LEAST = 0.1


def run(target: str | None, interval: str | None) -> int:
    """Show it until it is over; the exit code. Raises UsageError."""
    from envdoctor.errors import UsageError
    from envdoctor.request import choices

    every = None if interval is None else choices.duration("--every", interval, LEAST)
    if sys.platform != "linux":
        raise UsageError("top needs Linux: it reads what runs from /proc")
    if target is not None and not (target.isascii() and target.isdigit()):
        _print(_saved(Path(target)))
        return 0
    folder, known = _chosen(None if target is None else int(target))
    shown = _followed(folder, known, every or EVERY)
    with suppress(KeyboardInterrupt):
        if sys.stdout.isatty():
            _draw(shown)
        else:
            for standing in shown:
                if not _print(standing) or every is None:
                    break
    return 0


def _draw(shown: Iterable[TrainingStanding]) -> None:
    from rich.live import Live

    from envdoctor.cli.training_view import view

    with Live(console=_console(), auto_refresh=False) as live:
        for standing in shown:
            console = live.console
            live.update(view(standing, console.width, console.height - 1), refresh=True)


def _chosen(pid: int | None) -> tuple[Path, RunningTraining]:
    from envdoctor.errors import UsageError
    from envdoctor.watch.running import running

    trainings = running()
    if pid is not None:
        trainings = [each for each in trainings if pid in (each[1].pid, each[1].doctor)]
    if not trainings:
        which = "no watched training is running" if pid is None else f"{pid} is not watched"
        raise UsageError(f"{which}: expected a PID of `envdoctor watch`, or a file of its --save")
    return trainings[0]


def _followed(folder: Path, known: RunningTraining, every: float) -> Iterator[TrainingStanding]:
    from envdoctor.run.supervise.machine import machine
    from envdoctor.watch.following import Follower
    from envdoctor.watch.standing import standing

    follower = Follower(folder, known.command, asks=False)
    follower.pid, follower.began = known.pid, known.began
    earlier: TrainingStanding | None = None
    try:
        while known.is_there and folder.is_dir():
            follower.look()
            training = follower.training()
            yield (earlier := standing(training, lambda pid: machine.resident([pid]), earlier))
            deadline = time.monotonic() + every
            while known.is_there and time.monotonic() < deadline:
                follower.wait(min(0.2, every))
                follower.look()
    finally:
        follower.close()


def _saved(path: Path) -> TrainingStanding:
    from envdoctor.errors import UsageError
    from envdoctor.model.training import training_in
    from envdoctor.saved.reading import read_runs
    from envdoctor.watch.standing import standing

    trainings = [
        training
        for saved in read_runs([path])
        for evidence in saved.evidence.values()
        for trace in evidence.traces
        if (training := training_in(trace))
    ]
    if not trainings:
        raise UsageError(f"{path} has no training: expected a file of `envdoctor watch --save`")
    return standing(trainings[-1], lambda _pid: 0, None)


def _print(shown: TrainingStanding) -> bool:
    """Write it; whether it is read."""
    from envdoctor.cli.training_view import view
    from envdoctor.cli.writing import write

    console = _console()
    with console.capture() as drawn:
        console.print(view(shown, console.width))
    return write(drawn.get())


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False, soft_wrap=False)
