"""Takes all there is, of one thing; bounded by what a machine can bear, or by limits that it
sets itself.
"""

from __future__ import annotations

import ctypes
import os
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time
from multiprocessing import shared_memory

KEPT = []

GIGABYTES = 3  # of memory, and no more


def memory(environment):
    for _ in range(GIGABYTES * 16):
        KEPT.append(b"x" * (1 << 26))
        time.sleep(0.02)
    threading.Event().wait(60)


def memory_at_once(environment):
    KEPT.append(bytearray(1 << 45))


def memory_under_limit(environment):
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        held = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + (64 << 20), hard))
    while True:
        KEPT.append(b"x" * (1 << 20))


def descriptors(environment):
    """Until there are none; and goes on as if nothing were."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    try:
        while True:
            KEPT.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        pass


def descriptors_for_good(environment):
    """Nobody can have more than these, but for the superuser."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
    descriptors(environment)


def threads(environment):
    for _ in range(200):
        threading.Thread(target=threading.Event().wait, args=(120,), daemon=True).start()


def zombies(environment):
    for _ in range(50):
        if not os.fork():
            os._exit(0)


def ports(environment):
    KEPT.extend(socket.create_server(("127.0.0.1", 0)) for _ in range(50))


def files(environment):
    folder = tempfile.mkdtemp()
    for number in range(2000):
        with open(os.path.join(folder, str(number)), "w"):
            pass


def odd_names(environment):
    folder = os.fsencode(tempfile.mkdtemp())
    for name in (
        b"\xff\xfe",
        b"new\nline",
        b"\x1b[31mred",
        b"-rf",
        b" ",
        b"[bold]",
        b"<img>",
        b"x" * 255,
    ):
        with open(os.path.join(folder, name), "w"):
            pass


def deep_folders(environment):
    """Deeper than Python's stack, and longer than any path may be."""
    if KEPT:
        return  # one in each process is enough: it takes long
    KEPT.append(tempfile.mkdtemp())
    here = os.open(KEPT[0], os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("deeper", dir_fd=here)
        deeper = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(here)


def locked_folders(environment):
    folder = tempfile.mkdtemp()
    os.mkdir(os.path.join(folder, "inner"))
    os.chmod(os.path.join(folder, "inner"), 0)
    os.chmod(folder, 0)


def disk(environment):
    """Where the temporary directory is a small disk, all of it."""
    with tempfile.NamedTemporaryFile(delete=False) as file:
        try:
            for _ in range(512):
                file.write(bytes(1 << 20))
        except OSError:
            pass


def file_size(environment):
    """No file may grow any more."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))


def shared_memory_named(environment):
    memory = shared_memory.SharedMemory(create=True, size=32 << 20)
    memory.buf[:] = bytes(32 << 20)
    KEPT.append(memory)


def system_v_memory(environment):
    library = ctypes.CDLL(None)
    library.shmat.restype = ctypes.c_void_p
    KEPT.append(library.shmat(library.shmget(0, 1 << 20, 0o1600), None, 0))


def stdout_flood(environment):
    for _ in range(100):
        os.write(1, b"[bold]a line that nobody reads\x1b[2J\n" * (1 << 15))


def stderr_flood(environment):
    for _ in range(100):
        os.write(2, b"Traceback (most recent call last):\n\x1b[2J \xff\xfe\n" * (1 << 15))


def one_long_line(environment):
    for _ in range(20):
        os.write(2, b"x" * (1 << 20))


def processes(environment):
    for _ in range(20):
        subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(60)"])
