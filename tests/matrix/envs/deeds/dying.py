"""Ends the process, or another one."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading

MARK = os.environ.get("MATRIX_MARK") or "none"


def segfault(environment):
    ctypes.string_at(0)


def abort(environment):
    os.abort()


def bus(environment):
    os.kill(os.getpid(), signal.SIGBUS)


def illegal(environment):
    os.kill(os.getpid(), signal.SIGILL)


def kill(environment):
    os.kill(os.getpid(), signal.SIGKILL)


def terminate(environment):
    os.kill(os.getpid(), signal.SIGTERM)


def interrupt_group(environment):
    """As Ctrl-C in a terminal does."""
    os.killpg(os.getpgrp(), signal.SIGINT)


def kill_group(environment):
    os.killpg(os.getpgrp(), signal.SIGKILL)


def kill_parent(environment):
    os.kill(parent(), signal.SIGKILL)


def stop_parent(environment):
    os.kill(parent(), signal.SIGSTOP)


def parent():
    """The parent, if it is of the same cell of the matrix: where that has ended, it is somebody
    who has nothing to do with it.
    """
    with open(f"/proc/{os.getppid()}/environ", "rb") as file:
        if os.fsencode("MATRIX_MARK=" + MARK) not in file.read().split(b"\0"):
            raise PermissionError("the parent is not ours to harm")
    return os.getppid()


def exit_three(environment):
    os._exit(3)


def exit_zero(environment):
    os._exit(0)


def exit_in_thread(environment):
    threading.Thread(target=os._exit, args=(4,)).start()
    threading.Event().wait(60)


def execute(environment):
    """Another program takes the place of this one."""
    os.execv("/bin/true", ["true"])


def python_stack(environment):
    """Without a limit on it."""
    sys.setrecursionlimit(1 << 30)

    class Endless:
        def __getattr__(self, name):
            return getattr(self, name + "x")

    return Endless().x


def c_stack(environment):
    """Through callbacks of C."""
    sys.setrecursionlimit(1 << 30)
    callback = ctypes.CFUNCTYPE(None)(lambda: callback())  # noqa: PLW0108
    callback()


def double_free(environment):
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    block = library.malloc(4096)
    library.free(block)
    library.free(block)


def corrupted_object(environment):
    """The counter of references of None, overwritten."""
    ctypes.memset(id([]) if environment is None else id(environment), 255, 64)


def end_of_processor_time(environment):
    """As a batch system does."""
    os.kill(os.getpid(), signal.SIGXCPU)
