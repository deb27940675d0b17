"""Illnesses that an environment of any shape can have: mixins before its class, which calls
_begin() in reset() and _moved() in step().
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import threading

KEPT: list[object] = []


class Healthy:
    """Takes a thread, a port, a descriptor and a temporary file, and gives all of them back, also
    where it does not get all of them.
    """

    taken = None

    def _begin(self):
        if self.taken is not None:
            return
        with contextlib.ExitStack() as taken:
            stop = threading.Event()
            thread = threading.Thread(target=stop.wait, daemon=True)
            thread.start()
            taken.callback(thread.join)
            taken.callback(stop.set)
            taken.enter_context(socket.create_server(("127.0.0.1", 0)))
            log, name = tempfile.mkstemp(suffix=".log")
            taken.callback(os.remove, name)
            taken.callback(os.close, log)
            self.taken = taken.pop_all()

    def _moved(self):
        """Nothing is kept of a step."""

    def close(self):
        if self.taken is not None:
            self.taken.close()
            self.taken = None


class Leaving(Healthy):
    """Takes a process, a thread, a port, a descriptor and a temporary file. Its close() fails
    before it gives any of them back.
    """

    def _begin(self):
        if self.taken is None:
            self.child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        super()._begin()

    def close(self):
        raise RuntimeError("the door is stuck")


class Growing(Healthy):
    """Keeps something of each step."""

    def _begin(self):
        """Takes nothing."""

    def _moved(self):
        KEPT.append([len(KEPT)])


class Unseeded(Healthy):
    """Draws what it shows from a generator that no seed reaches."""

    def _begin(self):
        self.random.seed(os.urandom(8))


class Taking:
    """Takes one thing at its first reset(). Its close() forgets it."""

    taken = None

    def _begin(self):
        if self.taken is None:
            self.taken = self._take()

    def _moved(self):
        """Nothing is kept of a step."""

    def _take(self):
        stop = threading.Event()
        threading.Thread(target=stop.wait, daemon=True).start()
        return stop

    def close(self):
        """Ends nothing."""


class Thread(Taking):
    """A thread."""


class Process(Taking):
    def _take(self):
        return subprocess.Popen([sys.executable, "-ISc", "import time; time.sleep(600)"])


class Descriptor(Taking):
    def _take(self):
        return os.open(os.devnull, os.O_RDONLY)


class Port(Taking):
    def _take(self):
        return socket.create_server(("127.0.0.1", 0))


class File(Taking):
    def _take(self):
        descriptor, name = tempfile.mkstemp(suffix=".log")
        os.close(descriptor)
        return name


class Raising(Taking):
    def close(self):
        raise RuntimeError("the door is stuck")


class Hanging(Taking):
    def close(self):
        threading.Event().wait()


class Held(Taking):
    """Keeps itself in a list of its module."""

    def _take(self):
        KEPT.append(self)
        return True


class Missing:
    """Takes a thread, and has no close()."""

    taken = None
    _begin, _moved, _take = Taking._begin, Taking._moved, Taking._take


ONE_BY_ONE = (Thread, Process, Descriptor, Port, File, Raising, Hanging, Held, Missing, Growing)


def twins(module, healthy):
    """Give a module a class for each illness: `healthy` with that one."""
    for illness in ONE_BY_ONE:
        bases = (illness, healthy)
        module[illness.__name__] = type(illness.__name__, bases, {"__module__": module["__name__"]})
