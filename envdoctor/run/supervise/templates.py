"""The template processes of one interpreter: each has imported what some scenarios need, and forks
their probes.

A fork takes 10 ms where a new process takes 0.5 s, and 3 s with PyTorch. It is like a new process
where the template says so (`probe/system/fork_safety.py`): no thread, no child, no open file, no
shared memory, no timer since the imports; random generators are seeded anew. The subject's own
modules are never imported in a template, so each probe imports them as a new process would.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from envdoctor.model.template_request import ForkRequest, Readiness
from envdoctor.run.supervise.probe_process import Guard, ProbeProcess

ANSWER = 10.0  # seconds for a template to fork
IMPORTS = 120.0  # seconds for it to import, beyond which probes are started without it
LOOK_EVERY = 0.1
MORE = 40  # modules that are worth a template of their own
MOST = 3  # templates that live at the same time
MOST_STARTS = 3  # times that one is started: environments may kill it
MESSAGE = 1 << 16

#: A template looks at itself in /proc, and its guards are held by descriptors.
POSSIBLE = hasattr(os, "pidfd_open") and os.path.exists("/proc/self/fdinfo")


class ForkedGuard:
    """A guard that is not a child of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode = 1  # not known: what it guarded may have killed it
        self._handle = os.pidfd_open(pid)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end. Raises subprocess.TimeoutExpired."""
        if self._handle < 0:
            return self.returncode
        ended = select.poll()
        ended.register(self._handle, select.POLLIN)
        if not ended.poll(None if timeout is None else timeout * 1000):
            raise subprocess.TimeoutExpired("guard", timeout or 0.0)
        os.close(self._handle)
        self._handle = -1
        return self.returncode

    def kill(self) -> None:
        """End it."""
        with suppress(OSError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)


class TemplateProcess:
    """One template process, from which probes and templates are forked."""

    def __init__(self, process: ProbeProcess, modules: frozenset[str]) -> None:
        self.process = process
        self.modules = modules
        self.readiness = Readiness(f"it did not import within {IMPORTS:.0f} s")
        self._control = process.control()

    @property
    def changed(self) -> tuple[str, ...]:
        """The sensors that read otherwise since the imports."""
        return self.readiness.changed

    def wait_until_ready(self, is_stopped: Callable[[], bool]) -> None:
        """Wait for the imports; `readiness` says how they ended."""
        deadline = time.monotonic() + IMPORTS
        self._control.settimeout(LOOK_EVERY)
        while self.process.alive and not is_stopped() and time.monotonic() < deadline:
            with suppress(TimeoutError):
                data = self._control.recv(MESSAGE)
                self.readiness = Readiness("it ended while it imported")
                with suppress(ValueError, TypeError, KeyError):
                    self.readiness = Readiness.decode(data)
                return
            self.process.wait(0)

    def fork(self, request: ForkRequest, descriptors: tuple[int, ...]) -> Guard:
        """Fork a child; its guard. Raises OSError where the template does not answer."""
        self._control.settimeout(ANSWER)
        socket.send_fds(self._control, [request.encoded()], list(descriptors))
        data = self._control.recv(MESSAGE)
        if not data:
            raise ConnectionResetError("the template has ended")
        return ForkedGuard(int(json.loads(data)))

    def end(self) -> None:
        """End it; what was forked from it has ended before."""
        self._control.close()
        self.process.end()


class Templates:
    """The templates of one interpreter; for one thread. `directory` is where they live, and
    `orphan` the directory of the run.
    """

    def __init__(self, python: str, bundle: Path, directory: Path, orphan: Path) -> None:
        self.python = python
        self._bundle = bundle
        self._directory = directory
        self._orphan = orphan
        self._running: list[TemplateProcess] = []
        self._refused: dict[frozenset[str], str] = {}
        self._started: Counter[frozenset[str]] = Counter()

    def close(self) -> None:
        """End all of them. May be called twice."""
        for template in self._running:
            template.end()
        self._running.clear()

    def template_for(
        self, modules: frozenset[str], imports: Path, is_stopped: Callable[[], bool]
    ) -> TemplateProcess | str:
        """A template that has imported these modules, or most of them and no others; or the reason
        why there is none. `imports` is the file that names them.
        """
        self._forget_dead()
        best = max(
            (template for template in self._running if template.modules <= modules),
            key=lambda template: len(template.modules),
            default=None,
        )
        if best is not None and len(modules - best.modules) < MORE:
            return best
        refusal = self._refusal(modules)
        if refusal:
            return best or refusal
        made = self._make(modules, imports, best, is_stopped)
        if made.readiness.objection:
            self._refused[modules] = made.readiness.objection
            return best or made.readiness.objection
        return made

    def forget(self, template: TemplateProcess) -> None:
        """End one that did not answer."""
        if template in self._running:
            self._running.remove(template)
            template.end()

    def _refusal(self, modules: frozenset[str]) -> str:
        """The reason why no template is made for these modules, or nothing."""
        if self._started[modules] >= MOST_STARTS:
            return f"the template was ended {MOST_STARTS} times"
        if len(self._running) >= MOST:
            return f"{MOST} templates live already"
        return next((why for less, why in self._refused.items() if less <= modules), "")

    def _make(
        self,
        modules: frozenset[str],
        imports: Path,
        base: TemplateProcess | None,
        is_stopped: Callable[[], bool],
    ) -> TemplateProcess:
        self._started[modules] += 1
        home = self._directory / f"t{self._started.total()}"
        process = ProbeProcess(
            self.python, self._bundle, home, self._orphan, template=base, imports=imports
        )
        template = TemplateProcess(process, modules)
        try:
            template.wait_until_ready(is_stopped)
        except BaseException:
            template.end()
            raise
        if template.readiness.objection:
            template.end()
        else:
            self._running.append(template)
        return template

    def _forget_dead(self) -> None:
        for template in list(self._running):
            template.process.wait(0)
            if not template.process.alive:
                self.forget(template)
