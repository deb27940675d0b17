"""close() forgets its client, and the server, which has room for four sessions, refuses the fifth."""

from __future__ import annotations

import sys
import types

from plain import Plain

ARGUMENTS = ["--managers", "direct"]
ALSO = ["ASY003", "API001"]

ROOM = 4
NUMBERS = iter(range(1 << 30))
sessions: set[int] = set()  # of the server


class EnvClient:
    """A client of OpenEnv's kind, without OpenEnv: it holds a session while it is connected."""

    _ws = None

    def __init__(self):
        self.reader = self.connect  # it is held by what reads for it

    def connect(self):
        if len(sessions) >= ROOM:
            raise RuntimeError(
                f"Server error: Server at capacity: {ROOM}/{ROOM} (code: CAPACITY_REACHED)"
            )
        self._ws = next(NUMBERS)
        sessions.add(self._ws)

    def close(self):
        sessions.discard(self._ws)
        self._ws = None


module = sys.modules.setdefault(
    "openenv.core.env_client", types.ModuleType("openenv.core.env_client")
)
module.EnvClient = EnvClient


class Sick(Plain):
    client = None

    def reset(self, *, seed=None, options=None):
        if self.client is None:
            self.client = EnvClient()
            self.client.connect()
        return super().reset(seed=seed, options=options)

    def close(self):
        self.client = None
        super().close()


class Healthy(Sick):
    def close(self):
        if self.client is not None:
            self.client.close()
            self.client = None
        Plain.close(self)
