"""Errors, converted to sentences and exit codes."""

from __future__ import annotations

import errno
import os
import select
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import typer
from typer.core import TyperGroup

from envdoctor.cli.parameters import validate_when_needed
from envdoctor.cli.streams import give_up, say
from envdoctor.errors import EnvdoctorError, ExitCode, UsageError

if TYPE_CHECKING:
    from typer._click.core import Context, Parameter

DEBUG = "ENVDOCTOR_DEBUG"  # 1: show the traceback of our own bugs


#: What is not a bug of ours.
FULL = {
    errno.ENOSPC: (
        "no space is left on the device for the report or for what a run needs; free some, or point"
        " TMPDIR or --output elsewhere"
    ),
    errno.EDQUOT: "the disk quota is used up; free some, or point TMPDIR or --output elsewhere",
    errno.EFBIG: "files may not be as large as a run needs; see `ulimit -f`",
    errno.EIO: "a device failed while it was read or written (input/output error)",
}


class ErrorHandlingGroup(TyperGroup):
    """The group of all commands. It never shows a user a traceback that they did not ask for."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Those that there are, and --help."""
        return validate_when_needed(super().get_params(ctx))

    def make_context(
        self, info_name: str | None, args: list[str], parent: Context | None = None, **extra: object
    ) -> Context:
        """Parse the words before the command."""
        with _errors_as_sentences():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Context) -> object:
        """Run the command. What it raises ends as typer's own exits and usage errors do."""
        with _errors_as_sentences():
            return super().invoke(ctx)


@contextmanager
def _errors_as_sentences() -> Iterator[None]:
    try:
        yield
    except typer.TyperException as error:
        error.message = _shown(error.message)
        raise
    except (typer.Exit, typer.Abort):
        raise
    except EnvdoctorError as error:
        _say(str(error))
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt as error:
        _say("interrupted before there was anything to report")
        raise typer.Exit(ExitCode.INTERRUPTED) from error
    except Exception as error:
        if isinstance(error, BrokenPipeError) and not _has_reader(sys.stdout):  # `--help | head`
            give_up(sys.stdout)
            raise typer.Exit(ExitCode.OK) from error
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            _say("a file is named whose name is longer than any may be here")
            raise typer.Exit(ExitCode.USAGE) from error
        _report_internal_error(error)
        try:
            sys.stdout.flush()
        except OSError:
            give_up(sys.stdout)
        raise typer.Exit(ExitCode.BUG) from error


def _has_reader(stream: TextIO) -> bool:
    """Return whether the other end of a pipe is open; of anything but a pipe, True."""
    poll = select.poll()
    poll.register(stream, 0)
    return not any(event & select.POLLERR for _, event in poll.poll(0))


def _say(sentence: str) -> None:
    say(f"envdoctor: {_shown(sentence)}\n")


def _shown(sentence: str) -> str:
    """Escape names that users and environments chose, so that they do not act on a terminal."""
    from envdoctor.reporters._showing import clean

    return clean(sentence, unicode=(sys.stderr.encoding or "").lower().startswith("utf"))


def _report_internal_error(error: Exception) -> None:
    if isinstance(error, OSError) and error.errno in FULL:
        _say(FULL[error.errno])
        return
    if isinstance(error, OSError) and _is_temporary(error.filename):
        _say(
            f"{error.strerror}: {error.filename}: a run needs this file, and another program may"
            " have removed it"
        )
        return
    shown = " ".join(f"{type(error).__name__}: {error}".split())
    if os.environ.get(DEBUG) == "1":
        traceback.print_exception(error)
        _say(f"this is a bug in envdoctor, not in your environment ({shown})")
    else:
        _say(
            f"this is a bug in envdoctor, not in your environment ({shown}); {DEBUG}=1 shows where."
            " Please report it."
        )


def _is_temporary(path: object) -> bool:
    """Return whether a path is below the folder of a run."""
    import tempfile

    return str(path).startswith(os.path.join(tempfile.gettempdir(), "envdoctor-"))


def refuse(system: str) -> None:
    """Refuse a system on which nothing can be examined, by its `sys.platform`. Raises
    UsageError.
    """
    if system == "win32":
        from envdoctor.run.supervise._windows import SENTENCE

        raise UsageError(SENTENCE)
