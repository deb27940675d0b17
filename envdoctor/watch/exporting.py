"""Samples of a training, handed to its exporters. Each has a thread of this process: a target that
is gone, slow or full costs samples, and nothing else waits for it.
"""

from __future__ import annotations

import signal
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from threading import Condition, Thread
from typing import TYPE_CHECKING

from envdoctor.errors import UsageError
from envdoctor.model.training import Training
from envdoctor.request import choices
from envdoctor.rules.evidence.training import of
from envdoctor.watch.exporters import Exporter, kinds, opener
from envdoctor.watch.following import Follower
from envdoctor.watch.outside import Outsides
from envdoctor.watch.samples import Sample, Sampler

if TYPE_CHECKING:
    from envdoctor.model.finding import Finding
    from envdoctor.watch.command import FollowedCommand

WAITING = 16  # samples that wait for a slow target
PATIENCE = 10.0  # seconds for all targets to take the last samples


class Target:
    """One target: `name` as the user wrote it, and what opens it. What fails is closed, and opened
    again for the next sample.
    """

    def __init__(self, name: str, open_it: Callable[[], Exporter]) -> None:
        self.name, self._open = name, open_it
        self.offered = self.written = 0
        self._trouble = ""
        self._exporter: Exporter | None = None
        self._samples: deque[Sample] = deque(maxlen=WAITING)
        self._changed = Condition()
        self._over = False
        self._thread = Thread(target=self._serve, daemon=True)

    def _start(self) -> None:
        """Start its thread, which gets no signal: they are the training's."""
        earlier = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        try:
            self._thread.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, earlier)

    def offer(self, sample: Sample) -> None:
        """Hand a sample on, without waiting. Where too many wait, the oldest is lost."""
        if not self._thread.ident:
            self._start()
        with self._changed:
            self.offered += 1
            self._samples.append(sample)
            self._changed.notify()

    def finish(self, deadline: float) -> None:
        """Wait for what was offered, until a moment of the clock of time.monotonic()."""
        with self._changed:
            self._over = True
            self._changed.notify()
        self._thread.join(max(0.0, deadline - time.monotonic()))

    @property
    def warning(self) -> str:
        """A sentence on what was lost; nothing where nothing was."""
        lost = self.offered - self.written
        if not lost:
            return ""
        why = self._trouble or "it is too slow"
        return f"warning: {lost:,} of {of(self.offered, 'sample')} lost for {self.name}: {why}"

    def _serve(self) -> None:
        while (sample := self._next()) is not None:
            try:
                if self._exporter is None:
                    self._exporter = self._open()
                self._exporter.write(sample)
                self.written += 1
            except Exception as error:
                self._trouble = reason(error)
                self._close()
        self._close()

    def _next(self) -> Sample | None:
        """The next sample; None once the last was taken."""
        with self._changed:
            while not self._samples and not self._over:
                self._changed.wait()
            return self._samples.popleft() if self._samples else None

    def _close(self) -> None:
        exporter, self._exporter = self._exporter, None
        with suppress(Exception):  # it failed already
            if exporter is not None:
                exporter.close()


def reason(error: Exception) -> str:
    """Return why something failed, in one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split()) or type(error).__name__


class Exports:
    """The targets of a training. As a display of it, it hands them a sample each `every` seconds.
    `time` is the clock of the world.
    """

    def __init__(self, targets: Sequence[Target], every: float) -> None:
        self.every, self._targets = every, targets
        self._sampler = Sampler(Outsides().look)

    def show(self, follower: FollowedCommand) -> None:
        """Hand on how it stands."""
        if isinstance(follower, Follower):  # it looks at its pages once a second
            follower.count()
        self._offer(follower.training(), ())

    def hide(self) -> None:
        """Leave what was handed on."""

    def finish(self, training: Training, findings: Iterable[Finding]) -> list[str]:
        """Hand on how it ended. Return warnings, a sentence for each target that lost samples."""
        self._offer(training, findings)
        deadline = time.monotonic() + PATIENCE
        for target in self._targets:
            target.finish(deadline)
        return [target.warning for target in self._targets if target.warning]

    def _offer(self, training: Training, findings: Iterable[Finding]) -> None:
        sample = self._sampler.sample(training, time.time(), findings)
        for target in self._targets:
            target.offer(sample)


def exports(texts: Sequence[str], every: float) -> Exports | None:
    """Return the targets that were asked for; None without any. Raises UsageError for what cannot
    be written to by any luck.
    """
    targets = [_target(text) for text in texts]
    return Exports(targets, every) if targets else None


def _target(text: str) -> Target:
    word, equals, where = text.partition("=")
    kind = choices.one_of("exporter", word.strip(), kinds())
    if not equals or not where.strip():
        raise UsageError(f"--export {text}: name the target, as in --export {kind}=TARGET")
    return Target(f"{kind}={where.strip()}", opener(kind, where.strip()))
