"""One examination of a sweep: `check` in a process of its own, which ends when its driver does.

    python -P -m envdoctor.cli.examination DRIVER PROCESSORS SURROUNDINGS MORE WORD...

DRIVER is the process id of the driver, PROCESSORS the numbers of those to run on (0,1 or -),
SURROUNDINGS what else the process gets (`envdoctor.sweep.surroundings`), MORE the number of words
that are the driver's own: reports do not show them.

    python -P -m envdoctor.cli.examination DRIVER ANSWERS

With one word more, the process imports what every examination needs and forks one for each order
that it reads (`envdoctor.sweep.examiner`): to import it for each costs a fifth of a short one.
ANSWERS is the descriptor of the pipe on which it answers.
"""

from __future__ import annotations

import os
import sys

from envdoctor.sweep.surroundings import Surroundings

PR_SET_PDEATHSIG, SIGTERM = 1, 15
#: What a check imports as it goes.
NEEDED = (
    "envdoctor.cli.configuring",
    "envdoctor.cli.main",
    "envdoctor.cli.progress",
    "envdoctor.cli.recording",
    "envdoctor.cli.writing",
    "envdoctor.reporters.html",
    "envdoctor.request.building",
    "envdoctor.run.examine",
    "envdoctor.run.supervise.head_start",
    "envdoctor.saved.writing",
)


def main() -> None:
    """Bind the process, then check."""
    driver, words = int(sys.argv[1]), sys.argv[2:]
    end_with(driver)
    if len(words) == 1:
        import_ahead()
        words = ordered(int(words[0]))
    check(words)


def ordered(answers: int) -> list[str]:
    """The words of an order, each time in another process, which has just begun."""
    from envdoctor.sweep.examiner import serve

    above = os.getpid()
    words = serve(answers)
    end_with(above)
    return words


def check(words: list[str]) -> None:
    """Bind this process as the first three words say, and run `check` with the rest."""
    processors, surroundings, more, *rest = words
    Surroundings.from_text(surroundings).apply()
    if processors != "-":
        os.sched_setaffinity(0, {int(number) for number in processors.split(",")})
    sys.argv = ["envdoctor", *rest[: len(rest) - int(more)]]
    from envdoctor.cli.start import main as start

    start(rest)


def import_ahead() -> None:
    """Import what every examination needs. Rules of other packages are left to each of them."""
    import importlib

    from envdoctor.rules.engine.registry import catalogue

    for name in NEEDED:
        importlib.import_module(name)
    for entry in catalogue():
        if entry.module.startswith("envdoctor."):
            entry.load()


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
