"""A headless Chromium, driven through the pipe of its DevTools protocol. Every wait is bounded."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PROGRAM = next((found for name in NAMES if (found := shutil.which(name))), None)
WHY_NOT = "there is no Chromium on PATH; `apt-get install -y chromium` enables this test"
TIMEOUT = 600  # seconds for one answer: a busy machine takes long to start a browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)

#: The protocol speaks on descriptors 3 and 4 of the browser, whatever numbers the pipes have here.
LAUNCH = """
import fcntl, os, sys
reads, writes = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(reads, 3)
os.dup2(writes, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page of a browser."""

    def __init__(self, reads: int, writes: int) -> None:
        self._reads, self._writes = reads, writes
        self._waiting = b""
        self._number = 0
        self._session = ""
        self.events: list[dict[str, Any]] = []

    def open(
        self, page: Path | str, width: int = 1280, height: int = 900, dark: bool = False
    ) -> None:
        """Load a file or an address in a new window of that size, and wait until it is drawn."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = ""
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network", "DOM"):
            self.call(f"{domain}.enable")
        self.resize(width, height)
        self.emulate("screen", dark)
        self.visit(page)

    def visit(self, page: Path | str) -> None:
        """Load a file or an address in the same window, and wait until it is drawn."""
        self.events.clear()
        self.call("Page.navigate", url=page.as_uri() if isinstance(page, Path) else page)
        self._wait_for("Page.loadEventFired")

    def resize(self, width: int, height: int = 900) -> None:
        """Give the window another size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )

    def emulate(self, media: str, dark: bool = False) -> None:
        """Show the page as on a screen, or as in print."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])

    def complaints(self) -> list[str]:
        """The lines of the console since the page was loaded, and exceptions of its scripts."""
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [json.dumps(event["params"]) for event in self.events if event["method"] in kinds]

    def evaluate(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key, down and up."""
        code, text = {"Tab": (9, ""), "Enter": (13, "\r")}[key]
        for kind, typed in (("keyDown", text), ("keyUp", "")):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                text=typed,
                windowsVirtualKeyCode=code,
            )

    def photograph(self, file: Path, top: int = 0, height: int = 0) -> None:
        """A screenshot of the window, or of a part of the page."""
        width = self.evaluate("innerWidth")
        clip = (
            {
                "clip": {"x": 0, "y": top, "width": width, "height": height, "scale": 1},
                "captureBeyondViewport": True,
            }
            if height
            else {}
        )
        file.write_bytes(
            b64decode(self.call("Page.captureScreenshot", format="png", **clip)["data"])
        )

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events that come before it are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params} | (
            {"sessionId": self._session} if self._session else {}
        )
        os.write(self._writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def _wait_for(self, method: str) -> None:
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + TIMEOUT
        while b"\0" not in self._waiting:
            ready, _, _ = select.select([self._reads], [], [], max(0.0, until - time.monotonic()))
            assert ready, "the browser did not answer"
            part = os.read(self._reads, 1 << 20)
            assert part, "the browser is gone"
            self._waiting += part
        message, _, self._waiting = self._waiting.partition(b"\0")
        answer: dict[str, Any] = json.loads(message)
        return answer


@contextmanager
def browsing() -> Iterator[Browser]:
    """A browser with a new, empty profile, ended on leaving."""
    assert PROGRAM
    to_browser, from_us = os.pipe()
    from_browser, to_us = os.pipe()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            sys.executable,
            "-c",
            LAUNCH,
            str(to_browser),
            str(to_us),
            PROGRAM,
            *FLAGS,
            f"--user-data-dir={profile}",
            "about:blank",
        ]
        nothing = subprocess.DEVNULL
        process = subprocess.Popen(
            command,
            pass_fds=(to_browser, to_us),
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(to_us)
        try:
            yield Browser(from_browser, from_us)
        finally:
            os.close(from_us)  # the browser ends with its pipe
            os.close(from_browser)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                process.wait(10)
