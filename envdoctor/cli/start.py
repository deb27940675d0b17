"""The console script: begins what takes long, then reads the command line.

To import typer and to parse with it takes a sixth of a second, as long as a probe needs to import
what it will be asked for. So where the first word says that a probe will be wanted, one starts
first.
"""

from __future__ import annotations

import gc
import os
import sys

from envdoctor.starting import FOLDER

# As `typing` has it, which takes long to import: Ctrl-C in here would be a traceback.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import ExitStack

    from typer import Typer

    from envdoctor.run.supervise.head_start import HeadStart

EXAMINING = ("check", "leak")
#: Words after which this interpreter's probe would start for nothing.
WITHOUT_HEAD_START = ("--help", "--python")

#: Objects between two looks for garbage: imports make many that live as long as the process, and to
#: walk through them again and again takes a tenth of the start.
GARBAGE = 200_000


def main(words: list[str] | None = None) -> None:
    """Run envdoctor with the words of the command line, or with others."""
    words = sys.argv[1:] if words is None else words
    gc.set_threshold(GARBAGE)
    os.environ.pop(FOLDER, None)  # Pythons that we start are not to be watched for it
    open_missing_streams()
    try:
        from contextlib import ExitStack

        with ExitStack() as begun:
            ahead = head_start(begun, words)
            from envdoctor.cli.main import app

            with_command(app, words)(words, obj=ahead)
    except KeyboardInterrupt:  # before the commands were there to say more
        sys.exit(130)
    finally:
        gc.freeze()  # the process ends: nothing that is there is worth a last look


def with_command(app: Typer, words: list[str]) -> Typer:
    """The app with no other command than the first word, where that is one: to build the options of
    all takes six times as long.
    """
    import copy

    from typer.main import get_command_name

    asked = [
        command
        for command in app.registered_commands
        if command.callback is not None
        and get_command_name(command.name or command.callback.__name__) in words[:1]
    ]
    if not asked:
        return app
    alone = copy.copy(app)
    alone.registered_commands = asked
    return alone


def open_missing_streams() -> None:
    """Open standard streams that the caller closed (`>&-`): otherwise the next pipe would get their
    numbers, and be written to.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            while os.open(os.devnull, os.O_RDWR) < number:
                continue
            mode = "w" if number else "r"
            stream = open(number, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def head_start(begun: ExitStack, words: list[str]) -> HeadStart | None:
    """A head start that `begun` ends, for a command line that will want one; None where that
    cannot be had.
    """
    if (
        not words
        or words[0] not in EXAMINING
        or sys.platform == "win32"
        or any(word.split("=")[0] in WITHOUT_HEAD_START for word in words)
    ):
        return None
    from envdoctor.run.supervise.head_start import HeadStart

    try:
        return begun.enter_context(HeadStart(os.getcwd()))
    except OSError:  # no space for it, or no process: the examination will say so in a sentence
        return None
