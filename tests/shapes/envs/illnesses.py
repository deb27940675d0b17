"""Illnesses that an environment of any shape can have: mixins before its class, which calls
begin() in reset() and moved() in step().
"""

import os
import socket
import subprocess
import sys
import tempfile
import threading

KEPT: list[object] = []


class Healthy:
    """Takes a thread, a port, a descriptor and a temporary file, and gives all of them back."""

    stop = None

    def begin(self):
        if self.stop is None:
            self.stop = threading.Event()
            self.thread = threading.Thread(target=self.stop.wait, daemon=True)
            self.thread.start()
            self.server = socket.create_server(("127.0.0.1", 0))
            self.log, self.name = tempfile.mkstemp(suffix=".log")

    def moved(self):
        """Nothing is kept of a step."""

    def close(self):
        if self.stop is not None:
            self.stop.set()
            self.thread.join()
            self.server.close()
            os.close(self.log)
            os.remove(self.name)
            self.stop = None


class Leaving(Healthy):
    """Takes a process, a thread, a port, a descriptor and a temporary file. Its close() fails
    before it gives any of them back.
    """

    def begin(self):
        if self.stop is None:
            self.child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        super().begin()

    def close(self):
        raise RuntimeError("the door is stuck")


class Growing(Healthy):
    """Keeps something of each step."""

    def begin(self):
        """Takes nothing."""

    def moved(self):
        KEPT.append([len(KEPT)])


class Unseeded(Healthy):
    """Draws what it shows from a generator that no seed reaches."""

    def begin(self):
        self.random.seed(os.urandom(8))
