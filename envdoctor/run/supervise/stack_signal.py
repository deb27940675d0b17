"""The signal on which a probe's processes write their stacks."""

from __future__ import annotations

import signal
import sys

STACK_SIGNAL: int = signal.SIGUSR2
if sys.platform == "linux":
    # Free: libraries use SIGUSR2, and the last real-time signals.
    STACK_SIGNAL = signal.SIGRTMAX - 3
