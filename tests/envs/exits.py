"""Ways to end badly, and one to end well, when nobody closes."""

from __future__ import annotations

import atexit
import ctypes
import threading
import time

from plain import Plain


class HalfMade(Plain):
    """Its constructor fails before close() has what it needs."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        raise FileNotFoundError("no map")
        self._map = {}

    def close(self):
        self._map.clear()

    def __del__(self):
        self.close()


class Registered(Plain):
    """Has atexit call what needs a reset."""

    _map = None

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        atexit.register(self._save)

    def _save(self):
        if self._steps == 3:
            self._map["steps"] = self._steps

    def close(self):
        atexit.unregister(self._save)


class Crashing(Plain):
    """Its finalizer follows a null pointer, unless it was closed."""

    closed = False

    def close(self):
        self.closed = True

    def __del__(self):
        if not self.closed and self._steps == 3 and self._last:
            ctypes.string_at(0)

    _last = False

    def step(self, action):
        Crashing._last = True
        return super().step(action)


class Listening(Plain):
    """Has a thread that fails when it is told to stop."""

    _listener = None

    def reset(self, *, seed=None, options=None):
        if self._listener is None:
            self._over, self._socket = threading.Event(), None
            self._listener = threading.Thread(target=self._listen, name="listener", daemon=True)
            self._listener.start()
        return super().reset(seed=seed, options=options)

    def _listen(self):
        self._over.wait(60.0)
        self._socket.shutdown()

    def close(self):
        if self._listener is not None:
            self._over.set()
            self._listener.join()
            self._listener = None

    def __del__(self):
        self.close()


class Staying(Listening):
    """Has a thread that Python waits for; it was never told to stop."""

    def reset(self, *, seed=None, options=None):
        if self._listener is None:
            self._over = threading.Event()
            self._listener = threading.Thread(target=self._over.wait, args=(60.0,))
            self._listener.start()
        return super().reset(seed=seed, options=options)


class Talkative(Plain):
    """Says what it thinks of the end, in the words of an error that is not its own."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        atexit.register(
            print,
            "Exception ignored in: <function Window.__del__ at 0x1>\nTraceback (most recent call"
            " last):",
            flush=True,
        )


class Tidying(Plain):
    """Works for more than a second while Python exits, as large libraries do."""

    def __init__(self, render_mode=None):
        super().__init__(render_mode)
        atexit.unregister(_work)
        atexit.register(_work)


def _work():
    until = time.process_time() + 1.5
    while time.process_time() < until:
        pass
