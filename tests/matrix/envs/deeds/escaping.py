"""Leaves processes behind that do not want to be found. Each ends by itself after a while."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time

TMPDIR = os.environ.get("TMPDIR") or os.devnull  # never another one, that everybody shares
SLEEP = "import time; time.sleep(60)"
SLEEPER = [sys.executable, "-S", "-c", SLEEP]


def child(environment):
    subprocess.Popen(SLEEPER)


def session(environment):
    subprocess.Popen(SLEEPER, start_new_session=True)


def daemon(environment):
    """By the book: two forks, a session of its own, no descriptor."""
    if pid := os.fork():
        os.waitpid(pid, 0)
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 256)
    os.chdir("/")
    time.sleep(60)
    os._exit(0)


def nameless(environment):
    """Without a parent, a session or an environment that could tell whose it is."""
    if pid := os.fork():
        os.waitpid(pid, 0)
        return
    os.setsid()
    subprocess.Popen(SLEEPER, env={}, start_new_session=True, cwd="/")
    os._exit(0)


def stubborn(environment):
    """Ignores whatever can be ignored."""
    code = (
        "import signal\nfor number in range(1, 65):\n try: signal.signal(number, signal.SIG_IGN)\n"
        " except Exception: pass\n" + SLEEP
    )
    subprocess.Popen([sys.executable, "-c", code])


def holds_everything(environment):
    """Whoever waits for the end of a pipe waits for it."""
    for name in os.listdir("/proc/self/fd"):
        try:
            os.set_inheritable(int(name), True)
        except OSError:
            continue
    subprocess.Popen(SLEEPER, close_fds=False, start_new_session=True)


def stopped(environment):
    subprocess.Popen(SLEEPER).send_signal(signal.SIGSTOP)


def many_quick(environment):
    for _ in range(200):
        if not os.fork():
            os._exit(0)
        os.wait()


def hydra(environment):
    """A process that is another one every few milliseconds."""
    if os.fork():
        return
    until = time.monotonic() + 20
    while time.monotonic() < until:
        time.sleep(0.002)
        if os.fork():
            os._exit(0)
        os.setsid()
    os._exit(0)


def twin(environment):
    """Forgets to end the child that it forked: both go on."""
    os.fork()


def twin_in_reset_only(environment):
    """Both go on, and the child raises soon after."""
    if not os.fork():
        raise RuntimeError("I am the child")


def pool(environment):
    """Needs children, which a daemon may not have."""
    context = multiprocessing.get_context("fork")
    context.Process(target=time.sleep, args=(60,)).start()


def misleading_name(environment):
    """A name with parentheses, spaces, a line break and no letters."""
    code = (
        "import ctypes, time; ctypes.CDLL(None).prctl(15, b') Z 1 1\\n(', 0, 0, 0); time.sleep(60)"
    )
    subprocess.Popen([sys.executable, "-c", code, "\x1b[31m[bold]\n<img>\udcff"])


def holds_folder(environment):
    """Stands in the temporary directory, and goes on filling it."""
    code = (
        "import os, time, itertools\nfor number in itertools.count():\n open(str(number % 1000),"
        " 'w').close(); time.sleep(0.001)\n"
    )
    code = code.replace("itertools.count()", "range(60000)")
    subprocess.Popen([sys.executable, "-c", code], cwd=TMPDIR, start_new_session=True)
