"""A Ray cluster of this process alone. It is begun with the framework, before the first lifecycle
is measured, keeps its files in the probe's own folder, and ends with the probe.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib
import os
import signal
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Collection, Dict, List, Optional, Sequence

from envdoctor.probe.system import family, workers

if TYPE_CHECKING:
    from types import ModuleType

PROCESSORS = 0  # Ray starts a worker ahead for each; actors here ask for none
STORE_BYTES = 80 << 20  # the least that Ray accepts is 75 MiB
STARTS = 3
END_SECONDS = 3.0  # that its processes get to end by themselves
PAUSE = 0.02  # seconds
FOLDER = "ray"
STARTED_AS = "spawn"  # which workers of actors are like
SOCKET = len("/session_2026-01-01_00-00-00_000000_1234567/sockets/plasma_store")
LONGEST = 107  # characters in the path of a socket

#: What a cluster of ours is started with: no report to Ray's authors, nothing of the user's own
#: cluster, and workers that hash as any other process does.
VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ADDRESS": None,
    "PYTHONHASHSEED": workers.HASH_SEEDS[STARTED_AS],
}


class NotStarted(BaseException):
    """Without its cluster nothing can be played. Not an Exception, which would be taken for an
    error of the environment. Its text is a sentence.
    """


def begin() -> ModuleType:
    """Ray with its cluster, started where it does not run yet. Raises NotStarted."""
    ray = importlib.import_module("ray")
    if not ray.is_initialized():
        before = {name: os.environ.get(name) for name in VARIABLES}
        _set(VARIABLES)
        try:
            _start_patiently(ray)
        finally:
            _set(before)
    return ray


def _set(variables: Dict[str, Optional[str]]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _start_patiently(ray: ModuleType) -> None:
    """On a busy machine Ray's processes need longer than the 30 seconds that it gives them."""
    before = set(family.below(os.getpid()))  # what the subject's import began, for one
    for left in reversed(range(STARTS)):
        try:
            _start(ray, before)
            break
        except Exception as error:
            _end(ray, [pid for pid in family.below(os.getpid()) if pid not in before])
            if not left:
                text = str(error).partition(". ")[0] or type(error).__name__
                raise NotStarted("Ray's cluster did not start: %s" % text) from error


def _start(ray: ModuleType, before: Collection[int]) -> None:
    from ray.job_config import JobConfig

    ray.init(
        address="local",
        num_cpus=PROCESSORS,
        num_gpus=0,
        include_dashboard=False,
        configure_logging=False,
        log_to_driver=False,
        object_store_memory=STORE_BYTES,
        job_config=JobConfig(_py_driver_sys_path=list(sys.path)),
        _temp_dir=folder(tempfile.gettempdir()),
    )
    started = [process.pid for process in family.family() if process.pid not in before]
    for pid in started:
        family.spare(pid)
    atexit.register(_end, ray, started)


def _end(ray: ModuleType, started: Sequence[int]) -> None:
    """End the cluster, and wait until its processes have gone: those that were `started`, and what
    is below them now. Ray leaves its agents to notice it themselves.
    """
    processes = [*started, *(each for pid in started for each in family.below(pid))]
    ray.shutdown()
    deadline = time.monotonic() + END_SECONDS
    for pid in dict.fromkeys(processes):
        while family.runs(pid) and time.monotonic() < deadline:
            time.sleep(PAUSE)
        if family.runs(pid):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def folder(temporary: str) -> str:
    """Path of its files: beside the probe's temporary directory, whose files are counted. Raises
    NotStarted.
    """
    path = os.path.join(os.path.dirname(os.path.realpath(temporary)), FOLDER)
    if len(path) + SOCKET > LONGEST:
        raise NotStarted(
            "Ray's sockets need a shorter path than %s: set TMPDIR to a short folder, such as /tmp"
            % path
        )
    os.makedirs(path, exist_ok=True)
    return path


class Worker:
    """The process of an actor, as multiprocessing would show it. Ray does not say how one ended."""

    exitcode: Optional[int] = None

    def __init__(self, pid: int) -> None:
        self.pid = pid

    def join(self, _seconds: float) -> None:
        """Not its parent."""


def listed(pids: List[int]) -> None:
    """These are the workers from now on."""
    workers.others[:] = [Worker(pid) for pid in pids]
