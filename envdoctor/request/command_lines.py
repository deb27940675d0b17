"""The user's words, quoted for a shell: for command lines that a report shows."""

from __future__ import annotations

import os
import shlex
import sys

from envdoctor.config.toml_text import toml
from envdoctor.model.subject import Subject
from envdoctor.request.argument_sets import spec_of


def command_of(subject: Subject, python: str) -> str:
    """The SPEC with the options that say what is built, where, and what is played:
    `arm.py:Arm -k size=3 --action 1`. `python` is the interpreter that owns it.
    """
    words = [spec_of(subject)]
    for name, value in subject.kwargs.items():
        words += ["-k", f"{name}={toml(value)}"]
    for module in subject.imports:
        words += ["--import", module]
    if subject.script:
        # Two levels of quotes: the file and its arguments are one word.
        words += ["--script", shlex.join([_near(subject), *subject.script_arguments])]
    if subject.action is not None:
        option, _, text = subject.action.option.partition(" ")
        words += [option, text]
    if os.path.abspath(python) != os.path.abspath(sys.executable):
        words += ["--python", python]
    return shlex.join(words)


def _near(subject: Subject) -> str:
    """The script by its path from where the user typed the command, if it lies below."""
    below = subject.directory.rstrip("/") + "/"
    return subject.script.removeprefix(below) if subject.directory else subject.script
