"""Each episode takes a sandbox of a service, and the last is ended; a file stands for the service."""

from __future__ import annotations

import os
import tempfile

from plain import Plain

ARGUMENTS = ["--managers", "direct", "--service-count", "wc -l < $TMPDIR/sandboxes"]
COMMAND = "leak"
SERVICE = os.path.join(tempfile.gettempdir(), "sandboxes")
open(SERVICE, "a").close()


def sandboxes():
    with open(SERVICE) as file:
        return file.read().split()


def keep(names):
    with open(SERVICE, "w") as file:
        file.writelines(f"{name}\n" for name in names)


class Sick(Plain):
    ends = False
    _sandbox = ""

    def reset(self, *, seed=None, options=None):
        if self.ends:
            self._end()
        self._sandbox = os.urandom(4).hex()
        keep([*sandboxes(), self._sandbox])
        return super().reset(seed=seed, options=options)

    def close(self):
        self._end()
        super().close()

    def _end(self):
        keep(name for name in sandboxes() if name != self._sandbox)


class Healthy(Sick):
    ends = True
