"""The stacks of a process from outside, by py-spy where it is installed: it reads the memory of the
process, which neither answers nor stops for it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace

from envdoctor.run.supervise.machine import machine

PATIENCE = 3.0  # seconds
#: The function, and its file, with which a worker of multiprocessing begins.
WORKER = "_bootstrap", "multiprocessing/process.py"
HOOK = "<envdoctor "  # what frames of the hook have in the place of a file


@cache
def program() -> str:
    """The path of py-spy, beside this interpreter or on PATH; nothing where there is none."""
    own = os.path.join(sysconfig.get_path("scripts"), "py-spy")
    return own if os.access(own, os.X_OK) else shutil.which("py-spy") or ""


def stacks(pid: int) -> str:
    """Stacks of all threads of a process, as faulthandler would write them, under a heading; or the
    reason why they are not known; nothing without py-spy.
    """
    if not program():
        return ""
    heading = f"Process {pid} ({machine.describe(pid)}):"
    words = [program(), "dump", "--json", "--nonblocking", "--full-filenames", "--pid", str(pid)]
    try:
        done = subprocess.run(
            words, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE, check=True
        )
        threads = json.loads(done.stdout, object_hook=lambda values: SimpleNamespace(**values))
    except subprocess.CalledProcessError as error:
        why = error.stderr.decode(errors="replace").strip().splitlines()
        return f"{heading}\npy-spy: {why[0] if why else error.returncode}"
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"{heading}\npy-spy: {type(error).__name__}"
    return "\n".join((heading, *written(pid, threads)))


def written(pid: int, threads: list[SimpleNamespace]) -> Iterator[str]:
    """Threads of py-spy's JSON as faulthandler writes them, the main thread as the current one. A
    forked worker has the frames of its parent below its own: they are left out.
    """
    for thread in threads:
        main = thread.os_thread_id == pid
        name = "Current thread" if main else "Thread"
        yield f"{name} 0x{thread.thread_id:016x} (most recent call first):"
        for frame in thread.frames:
            if frame.name.endswith(WORKER[0]) and frame.filename.endswith(WORKER[1]):
                break
            name = frame.name.rsplit(".", 1)[-1]  # py-spy has `Arm.step`, faulthandler `step`
            if not frame.filename.startswith(HOOK):
                yield f'  File "{frame.filename}", line {frame.line} in {name}'
