"""Never comes back."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import threading
import time

LONG = 300  # seconds that a bounded hang lasts: longer than any patience


def wait(environment):
    threading.Event().wait(LONG)


def spin(environment):
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        pass


def interpreter_lock(environment):
    """In C, with the lock held: no other thread of Python runs any more."""
    ctypes.PyDLL(None).sleep(LONG)


def regular_expression(environment):
    """In C as well, and without end; looks for signals now and then."""
    signal.alarm(LONG)
    re.match(r"(a+)+$", "a" * 64 + "b")


def blocked_signals(environment):
    """Nearly uninterruptible."""
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))
    wait(environment)


def deaf(environment):
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    wait(environment)


def stubborn(environment):
    """Takes every exception for a reason to go on."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        try:
            wait(environment)
        except BaseException:
            continue


def stopped(environment):
    os.kill(os.getpid(), signal.SIGSTOP)


def lock_across_fork(environment):
    """The child inherits a lock that a thread of its parent holds, and the parent waits for the
    child.
    """
    lock = threading.Lock()
    lock.acquire()
    child = os.fork()
    if not child:
        lock.acquire(timeout=LONG)
        os._exit(0)
    os.waitpid(child, 0)


def empty_pipe(environment):
    reader, writer = os.pipe()
    os.read(reader, 1)
    os.close(writer)


def chatty(environment):
    """Hangs, and says so again and again."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        os.write(2, b"still waiting for the simulator\n" * 100)


def thread(environment):
    """Not itself: a thread that is no daemon, and which Python waits for at its end."""
    threading.Thread(target=wait, args=(None,)).start()
