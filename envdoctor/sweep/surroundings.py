"""Values that the process of an examination gets and its parent lacks, or has otherwise."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, field
from pathlib import Path

from envdoctor.model.fast_dataclass import dataclass

OOM_SCORE = "/proc/self/oom_score_adj"


@dataclass(frozen=True)
class Surroundings:
    """`environment` are variables to set; those with None are removed. `oom_score` is the process's
    own, None to leave it. With `signals`, no signal stays blocked or ignored.
    """

    environment: Mapping[str, str | None] = field(default_factory=dict)
    oom_score: int | None = None
    signals: bool = False

    def as_text(self) -> str:
        """One word of a command line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Surroundings:
        """The inverse of `as_text`."""
        return cls(**json.loads(text))

    def apply(self) -> None:
        """Give them to this process and to all that it starts."""
        for name, value in self.environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if self.oom_score is not None:
            with suppress(OSError):  # a lower one than an administrator set is refused
                Path(OOM_SCORE).write_text(str(self.oom_score), encoding="ascii")
        if self.signals:
            signal.pthread_sigmask(signal.SIG_SETMASK, ())
            signal.signal(signal.SIGINT, signal.default_int_handler)
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_DFL)
