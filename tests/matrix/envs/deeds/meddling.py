"""Changes what belongs to the whole process, or to everybody, and goes on as if nothing were."""

from __future__ import annotations

import atexit
import builtins
import faulthandler
import gc
import io
import json
import locale
import logging
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
import warnings

KEPT = []
PLACE = os.environ.get("MATRIX_PLACE") or os.devnull
TMPDIR = os.environ.get("TMPDIR", "")  # as it is now: another deed clears the variables


# Descriptors


def close_standard(environment):
    for number in range(3):
        os.close(number)


def close_all(environment):
    os.closerange(0, 4096)


def reopen_standard(environment):
    for number in range(3):
        os.dup2(os.open(os.devnull, os.O_RDWR), number)


def replace_all(environment):
    """Each becomes the end of a socket on which nobody ever speaks."""
    KEPT.extend(socket.socketpair())
    for name in os.listdir("/proc/self/fd"):
        if int(name) not in {one.fileno() for one in KEPT}:
            os.dup2(KEPT[0].fileno(), int(name))


def unblock_all(environment):
    """No read waits any more."""
    for name in os.listdir("/proc/self/fd"):
        try:
            os.set_blocking(int(name), False)
        except OSError:
            continue


# Signals


def ignore_signals(environment):
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue


def raise_on_signals(environment):
    def shout(number, frame):
        raise RuntimeError(f"signal {number}")

    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, shout)
        except (OSError, ValueError):
            continue


def block_signals(environment):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, signal.NSIG))


def alarm(environment):
    """Death, in a moment."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, 0.001)


def alarm_that_raises(environment):
    """A time limit that its owner forgot to lift."""

    def late(number, frame):
        raise TimeoutError("too late")

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)


# Folders and files


def lost_directory(environment):
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    os.rmdir(folder)


def lost_temporary_directory(environment):
    shutil.rmtree(own(TMPDIR), ignore_errors=True)


def lost_run_directory(environment):
    """Of whoever runs it, if that keeps its things around the temporary directory."""
    shutil.rmtree(own(os.path.dirname(os.path.dirname(TMPDIR))), ignore_errors=True)


def scribbles(environment):
    """Writes into every file that it finds around the temporary directory."""
    for place, _, names in os.walk(own(os.path.dirname(os.path.dirname(TMPDIR)))):
        for name in names:
            if not name.endswith(".pyz"):
                with open(os.path.join(place, name), "ab") as file:
                    file.write(
                        b'\xff\n{"event": "verb"}\n{"event": 5}\n[1]\n{"event": "reading", "life":'
                        b' {}, "point": [], "sensors": 3}\n\0'
                    )


def read_only_temporary_directory(environment):
    os.chmod(own(TMPDIR), 0)


def own(folder):
    """The folder, if it is strictly inside the directory that this cell of the matrix was given;
    else nothing is done to it.

    Never ask tempfile.gettempdir(): once $TMPDIR is gone, it answers with the directory that
    everybody shares.
    """
    given = os.path.realpath(PLACE)
    real = os.path.realpath(folder)
    if not os.path.isfile(os.path.join(given, "cell-of-the-matrix")) or not real.startswith(
        os.path.join(given, "")
    ):
        raise PermissionError(f"{folder} is not ours to harm")
    return real


def umask(environment):
    os.umask(0o777)


# The process's environment and limits


def no_variables(environment):
    os.environ.clear()


def odd_variables(environment):
    os.environ["ARM"] = "\x1b[31m\udcff[bold]" + "x" * 100_000


def few_descriptors(environment):
    """None, to be exact."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))


def no_processes(environment):
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))


def little_processor_time(environment):
    resource.setrlimit(resource.RLIMIT_CPU, (1, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    until = time.process_time() + 5
    while time.process_time() < until:
        pass


def undumpable(environment):
    import ctypes

    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)


def nice(environment):
    os.nice(19)


def one_core(environment):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def change_locale(environment):
    for name in ("C.UTF-8", "C"):
        locale.setlocale(locale.LC_ALL, name)


# Modules of the standard library, replaced


def fail(*arguments, **keywords):
    raise RuntimeError("replaced")


def patch_os(environment):
    for name in (
        "open",
        "write",
        "close",
        "read",
        "fork",
        "getpid",
        "getcwd",
        "listdir",
        "stat",
        "readlink",
        "kill",
        "_exit",
    ):
        setattr(os, name, fail)


def patch_json(environment):
    json.dumps = json.loads = fail


def patch_time(environment):
    time.time = time.monotonic = time.perf_counter = lambda: 0.0
    time.sleep = lambda seconds: None


def patch_time_to_fail(environment):
    time.time = time.monotonic = time.perf_counter = time.sleep = fail


def patch_gc(environment):
    gc.collect = gc.get_objects = gc.disable = gc.enable = gc.isenabled = fail


def patch_builtins(environment):
    builtins.open = builtins.print = builtins.input = fail


def patch_threading(environment):
    threading.enumerate = threading.current_thread = fail


def patch_import(environment):
    builtins.__import__ = fail


def patch_numpy(environment):
    import numpy as np

    np.asarray = np.array = np.array_equal = fail


def shadow(environment):
    """Its folder holds modules with names of the standard library, and comes first."""
    folder = os.path.join(tempfile.mkdtemp(), "")
    for name in (
        "ast",
        "base64",
        "ctypes",
        "hashlib",
        "inspect",
        "queue",
        "random",
        "socket",
        "string",
        "token",
        "types",
    ):
        with open(f"{folder}{name}.py", "w") as file:
            file.write("raise RuntimeError('I am no part of the standard library')\n")
        if name != "types":
            sys.modules.pop(name, None)
    sys.path.insert(0, folder)


def no_module_path(environment):
    sys.path.clear()
    sys.meta_path.clear()
    sys.path_importer_cache.clear()


def forgotten_modules(environment):
    """As some reloaders do: every module that came later than itself."""
    for name in list(sys.modules):
        if "." in name and not name.startswith(
            ("importlib", "os.", "encodings", "deeds", "gymnasium", "numpy", "multiprocessing")
        ):
            del sys.modules[name]


# The interpreter


def gc_off(environment):
    gc.disable()


def gc_frozen(environment):
    gc.collect()
    gc.freeze()


def gc_callbacks(environment):
    gc.callbacks.append(fail)


def trace(environment):
    def follow(frame, event, argument):
        raise RuntimeError("traced")

    sys.settrace(follow)


def profile(environment):
    """Hears of every call, and never wants to hear less."""

    def follow(frame, event, argument):
        follow.heard += 1

    follow.heard = 0
    sys.setprofile(follow)
    threading.setprofile(follow)


def recursion_limit(environment):
    depth, frame = 0, sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    sys.setrecursionlimit(depth + 15)


def stdout_replaced(environment):
    sys.stdout = sys.stderr = sys.stdin = None


def stdout_closed(environment):
    sys.stdout.close()
    sys.stderr.close()


def stdout_captured(environment):
    sys.stdout = sys.stderr = io.StringIO()


def hooks(environment):
    sys.excepthook = sys.unraisablehook = threading.excepthook = sys.displayhook = fail


def audit(environment):
    """An audit hook, once there, stays, and may forbid anything."""

    def forbid(event, arguments):
        if event in ("subprocess.Popen", "os.listdir", "os.scandir", "socket.bind"):
            raise RuntimeError(f"{event} is forbidden")

    sys.addaudithook(forbid)


def warnings_as_errors(environment):
    warnings.simplefilter("error")
    warnings.warn("the arm is old", DeprecationWarning, stacklevel=1)


def warnings_become_errors(environment):
    """Without one of its own."""
    warnings.simplefilter("error")


def no_logging(environment):
    logging.disable(logging.CRITICAL)
    logging.raiseExceptions = False
    logging.root.handlers[:] = []


def faulthandler_off(environment):
    faulthandler.disable()


def fork_handlers(environment):
    os.register_at_fork(before=fail, after_in_parent=fail, after_in_child=fail)


def forgotten_exits(environment):
    atexit._clear()


def switch_interval(environment):
    sys.setswitchinterval(1000)


def start_method(environment):
    import multiprocessing

    multiprocessing.set_start_method("spawn", force=True)


def subreaper(environment):
    """Whatever loses its parent becomes its own child."""
    import ctypes

    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def terminal(environment):
    """Reaches for the terminal of whoever runs it."""
    import termios

    for path in ("/dev/tty", f"/proc/{os.getppid()}/fd/2", f"/proc/{os.getppid()}/fd/0"):
        try:
            with open(path, "r+b", buffering=0) as file:
                attributes = termios.tcgetattr(file)
                attributes[3] &= ~(termios.ECHO | termios.ICANON)
                termios.tcsetattr(file, termios.TCSANOW, attributes)
                file.write(b"\x1b[?25l\x1b[31m")
        except (OSError, termios.error):
            continue


def default_signals_of_python(environment):
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # Children are reaped before anybody can ask for them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
