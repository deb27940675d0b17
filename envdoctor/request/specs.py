"""From the text on the command line to a subject. Text in, value out: whether the subject
exists, only the target can tell.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.model.subject import ATTRIBUTE, EITHER, FILE, ID, Subject

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
MAX_WHOLE = 1 << 1024  # as far as a float reaches; JSON has no longer ones
_NOTEBOOK = re.compile(r".*\.ipynb(:.*)?", re.DOTALL | re.IGNORECASE)
_FILE = re.compile(r"(?P<path>.*\.py)(?::(?P<name>.*))?", re.DOTALL)


def parse(
    text: str,
    kwargs: Mapping[str, object],
    imports: Iterable[str],
    directory: str,
    script: str = "",
    script_arguments: Iterable[str] = (),
) -> Subject:
    """The subject that a SPEC names. `directory` is where relative paths start; `script` is
    absolute. Raises UsageError.
    """
    if not text.strip():
        raise UsageError("a SPEC is empty; name an environment, for example CartPole-v1")
    subject = partial(
        Subject,
        text=text,
        kwargs=dict(kwargs),
        imports=tuple(imports),
        directory=directory,
        script=script,
        script_arguments=tuple(script_arguments),
    )
    if _NOTEBOOK.fullmatch(text):
        raise UsageError(
            f"{text} is a notebook, whose cells another process cannot import: write"
            " `%%writefile env.py` as the first line of the cell with the class, run it, and name"
            " env.py:YourEnv"
        )
    file = _FILE.fullmatch(text)
    if file is not None:
        path, name = file.groups()
        return _parse_file(text, path, name, directory, subject)
    if text.startswith((".", "/", "~")) or (directory and os.path.isdir(Path(directory, text))):
        raise UsageError(
            f"{text} is not a Python file; name one that ends in .py, or an id such as CartPole-v1"
        )
    module, colon, name = text.partition(":")
    if not colon:
        return subject(form=ID, name=text)
    if not _DOTTED.fullmatch(module):
        raise UsageError(
            f"{text}: {module!r} is not a module name; write package.module:callable_or_class or"
            " package:Id-v0"
        )
    if not name:
        raise UsageError(
            f"{text}: there is nothing after the colon; write {module}:callable_or_class or"
            f" {module}:Id-v0"
        )
    if not _DOTTED.fullmatch(name):
        return subject(form=ID, module=module, name=name)
    return subject(form=ATTRIBUTE if "." in name else EITHER, module=module, name=name)


def _parse_file(
    text: str, path: str, name: str | None, directory: str, subject: Callable[..., Subject]
) -> Subject:
    absolute = _absolute(path, directory)
    if not os.path.isfile(absolute):
        raise UsageError(f"no such file: {path}" + _nearest_file(absolute))
    if name is not None and not _DOTTED.fullmatch(name):
        raise UsageError(
            f"{text}: {name!r} is not a name of a class or function; write {path}:callable_or_class"
        )
    return subject(form=FILE, path=str(absolute.resolve()), name=name)


def parse_script(text: str | None, directory: str) -> tuple[str, tuple[str, ...]]:
    """The absolute path of a training script, or "" where none is named, and its arguments: words
    after the file, as a shell would read them. Raises UsageError.
    """
    if text is None:
        return "", ()
    absolute, arguments = _absolute(text, directory), tuple[str, ...]()
    if not os.path.exists(absolute):
        text, arguments = _command_line(text)
        absolute = _absolute(text, directory)
    if os.path.isdir(absolute):
        raise UsageError(f"--script {text} is a directory; name the Python file that trains")
    if not os.path.isfile(absolute):
        raise UsageError(f"--script {text}: no such file" + _nearest_file(absolute))
    return str(absolute.resolve()), arguments


def _command_line(text: str) -> tuple[str, tuple[str, ...]]:
    """`train.py` and `--seed`, `1` of `train.py --seed 1`. Raises UsageError."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--script {text}: its quotes are not closed") from error
    return (words[0], tuple(words[1:])) if words else (text, ())


def _absolute(path: str, directory: str) -> Path:
    """A path of the command line. os.path instead of Path: that one raises where a home, or so
    long a name, does not exist.
    """
    return Path(directory, os.path.expanduser(path))


def _nearest_file(absolute: Path) -> str:
    near = (
        [other.name for other in sorted(absolute.parent.glob("*.py"))]
        if os.path.isdir(absolute.parent)
        else []
    )
    return nearest_sentence(absolute.name, near)


def parse_kwargs(words: Iterable[str]) -> dict[str, object]:
    """`name=value` words, values in TOML. Raises UsageError that says what is wrong and how to
    write it.
    """
    import tomllib  # most runs have no argument

    kwargs: dict[str, object] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name.strip().isidentifier():
            raise UsageError(
                f"-k {word}: write name=value, for example -k 'render_mode=\"rgb_array\"'"
            )
        if name.strip() in kwargs:
            raise UsageError(f"-k {name.strip()} is given twice")
        try:
            (kwargs[name.strip()],) = tomllib.loads(f"value = {value}").values()
        except (ValueError, RecursionError) as error:
            hint = (
                f"; a text needs quotes: -k '{name}=\"{value}\"'"
                if re.fullmatch(r"[\w./-]+", value)
                else ""
            )
            raise UsageError(f"-k {word}: {value!r} is not a TOML value{hint}") from error
        if not is_plain(kwargs[name.strip()]):
            raise UsageError(
                f"-k {word}: dates, times and huge numbers cannot be handed to a constructor from"
                " here; write them as a text in quotes"
            )
    return kwargs


def check_kwargs(kwargs: Mapping[str, object]) -> dict[str, object]:
    """Arguments that another process can be handed. Raises UsageError."""
    for name, value in kwargs.items():
        if not (isinstance(name, str) and is_plain(value)):
            raise UsageError(
                f"the argument {name}={value!r} cannot be handed to another process; use texts,"
                " numbers, lists and tables"
            )
    return dict(kwargs)


def is_plain(value: object) -> bool:
    """Return True if a TOML value survives JSON, in which it is sent to the probe."""
    if isinstance(value, list):
        return all(is_plain(item) for item in value)
    if isinstance(value, dict):
        return all(is_plain(item) for item in value.values())
    return isinstance(value, (str, float, bool)) or (
        isinstance(value, int) and abs(value) < MAX_WHOLE
    )
