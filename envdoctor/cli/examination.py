"""One examination of a sweep: `check` in a process of its own, which ends when its driver does.

    python -P -m envdoctor.cli.examination DRIVER PROCESSORS MORE WORD...

DRIVER is the process id of the driver, PROCESSORS the numbers of those to run on (0,1 or -), MORE
the number of words that are the driver's own: reports do not show them.
"""

from __future__ import annotations

import os
import sys

PR_SET_PDEATHSIG, SIGTERM = 1, 15


def main() -> None:
    """Bind the process, then check."""
    driver, processors, more = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    words = sys.argv[4:]
    end_with(driver)
    if processors != "-":
        os.sched_setaffinity(0, {int(number) for number in processors.split(",")})
    sys.argv = ["envdoctor", *words[: len(words) - more]]
    from envdoctor.cli.start import main as check

    check(words)


def end_with(driver: int) -> None:
    """Be asked to end when the driver is killed, so that nothing goes on for which no driver waits.
    Elsewhere than on Linux, the next driver ends it.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0)
        if os.getppid() != driver:  # it was killed before
            sys.exit(130)


if __name__ == "__main__":
    main()
