"""Raises, in every way that makes trouble for whoever has to tell of it."""

from __future__ import annotations

import os
import sys
import threading


def plain(environment):
    raise RuntimeError("the arm is stuck")


class Doom(BaseException):
    """No Exception."""


def base(environment):
    raise Doom("the arm is lost")


def keyboard(environment):
    raise KeyboardInterrupt


def system_exit(environment):
    sys.exit(3)


def generator_exit(environment):
    raise GeneratorExit


class ArmError(Exception):
    """Cannot be built again from its text."""

    def __init__(self, joint, angle):
        super().__init__(f"joint {joint} is at {angle}")


def many_arguments(environment):
    raise ArmError(3, 0.5)


class Locked(Exception):
    """Keeps what cannot be sent."""

    def __init__(self):
        super().__init__("the arm does not answer")
        self.lock = threading.Lock()


def unpicklable(environment):
    raise Locked


class Unreduced(Exception):
    def __reduce__(self):
        raise Doom("nobody sends me")


def pickling_raises(environment):
    raise Unreduced("the arm")


class Mute(Exception):
    def __str__(self):
        raise ValueError("I have no words")

    __repr__ = __str__


def str_raises(environment):
    raise Mute


class Leaving(Exception):
    def __str__(self):  # noqa: PLE0307
        sys.exit(5)

    __repr__ = __str__


def str_exits(environment):
    raise Leaving


class Wordless(Exception):
    def __str__(self):
        return 5  # noqa: PLE0307

    __repr__ = __str__


def str_returns_number(environment):
    raise Wordless


def recursive_repr(environment):
    error = RuntimeError()
    error.args = ([error],)
    raise error


def endless_cause(environment):
    first, second = RuntimeError("first"), RuntimeError("second")
    first.__cause__, second.__cause__ = second, first
    first.__context__, second.__context__ = second, first
    raise first


def huge_message(environment):
    raise RuntimeError("x" * 50_000_000)


def terminal_escapes(environment):
    raise RuntimeError(
        "\x1b[2J\x1b[31m\x1b]0;owned\x07\x1b[?25l\x9b31m red \u202e desrever \r overwritten \x08"
    )


def markup(environment):
    raise RuntimeError("[bold red]arm[/] [link=https://example.org]here[/link] [/nothing] \\[x]")


def html(environment):
    raise RuntimeError("</script><img src=x onerror=alert(1)>&amp;<!--")


def nul(environment):
    raise RuntimeError("before\0after\x01\x7f")


def surrogates(environment):
    raise RuntimeError("half a pair: \ud800, a byte: \udcff")


def deep_traceback(environment):
    def down(left):
        if not left:
            raise RuntimeError("at the bottom")
        down(left - 1)

    down(min(500, sys.getrecursionlimit() // 3))


def recursion(environment):
    recursion(environment)


def group(environment):
    if sys.version_info >= (3, 11):
        raise ExceptionGroup(
            "two arms", [RuntimeError("left"), ExceptionGroup("fingers", [ValueError("right")])]
        )
    raise RuntimeError("two arms")


class Nameless(Exception):
    pass


Nameless.__module__, Nameless.__qualname__ = None, "<b>\x1b[31m"


def nameless(environment):
    raise Nameless("who")


def memory_error(environment):
    raise MemoryError


def warning(environment):
    raise DeprecationWarning("the arm is old")


def in_thread(environment):
    thread = threading.Thread(target=plain, args=(None,), name="\x1b[31mgripper")
    thread.start()
    thread.join()


def missing_file(environment):
    with open(os.path.join("nowhere", "\x1b[31m.xml")):
        pass
