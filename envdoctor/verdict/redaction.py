"""Redaction of a report: the home directory always, and on demand all else that names a person or a
machine. Applied to the report as a whole, so that every format, and every file that a report is
kept in, has it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from envdoctor.model.actions import FIELDS
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.report import Report, SubjectReport

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Thing = TypeVar("Thing")
Retell = Callable[[str], str]
PLAIN = (int, float, bool)

USER, HOST, HIDDEN, HIDDEN_PATH = "[user]", "[host]", "[hidden]", "[path]"
LEAST = 3  # characters of a name or a value that is looked for in every text
#: Names that many have, and that are words of other texts.
COMMON = (
    "root",
    "user",
    "admin",
    "test",
    "home",
    "runner",
    "ubuntu",
    "debian",
    "vagrant",
    "jovyan",
    "vscode",
    "docker",
    "localhost",
    "host",
    "python",
)
#: Places that are the same on every machine.
EVERYWHERE = ("/dev/", "/proc/", "/sys/", "/SYSV")
#: Where libraries live: what stands before it is the machine's, what follows is the library's.
_LIBRARY = re.compile(r"^.*?/(?=(?:site-packages|dist-packages|lib/python\d[\d.]*)/)")
_PATH = re.compile(r"(?:(?<=file://)|(?<![\w.\]/-]))~?/(?:[\w.+@%=~-]+/)*[\w.+@%=~-]+/?")
#: What an environment prints, which may be anything.
SPOKEN = ("stderr", "stdout", "printed", "first")
#: Keys and fields that hold paths.
PATHS = ("file", "path", "folder", "directory", "executable", "python")
#: Options after which a word of the user's own follows.
PRIVATE_OPTIONS = (
    "-k",
    "--kwarg",
    "--python",
    "--script",
    "--import",
    "--action",
    "--actions",
    "--output",
    "--report",
    "--save",
    "--baseline",
    "--config",
    "--save-memray",
)


@dataclass(frozen=True)
class ReportOwner:
    """The author and the machine of a report: absolute paths without a slash at the end; `values`
    are those of -k.
    """

    home: str = ""
    project: str = ""
    user: str = ""
    host: str = ""
    values: tuple[str, ...] = ()


def discreet(report: Report, owner: ReportOwner) -> Report:
    """The report with `~` for the home directory."""
    return retold(report, without_home(owner.home)) if owner.home.strip("/") else report


def anonymous(report: Report, owner: ReportOwner) -> Report:
    """The report without the names of user and machine, paths outside the project, values of the
    command line, and what the environment printed.
    """
    tell = _in_turn(
        without_option_values(subject.command for subject in report.subjects),
        without_project(owner.project),
        without_known_paths(paths_in(report)),
        without_home(owner.home),
        without_names(owner),
        without_paths,
    )
    silent = replace(
        report,
        command=command_without_values(report.command),
        subjects=tuple(map(_without_actions, report.subjects)),
    )
    return retold(retold(silent, tell), str, SPOKEN)


def _without_actions(subject: SubjectReport) -> SubjectReport:
    """The subject without the actions that the user gave, by value or by a function."""
    actions = subject.actions
    if actions is None or actions.kind == FIELDS:
        return subject
    return replace(subject, actions=replace(actions, text=HIDDEN, example=HIDDEN))


def without_home(home: str) -> Retell:
    """`/home/ada/x.py` as `~/x.py`, `/home/adam` as it is."""
    if not home.strip("/"):
        return str
    # What colours a text ends with a letter, and is not part of the path; the full stop of a
    # sentence is none, either.
    pattern = re.compile(rf"(\x1b\[[\d;]*m|(?<![\w.~-])){re.escape(home)}(?![\w-]|\.\w)")
    return lambda text: pattern.sub(r"\1~", text) if home in text else text


def without_project(project: str) -> Retell:
    """Paths below the project as they are called there."""
    if not project.strip("/"):
        return str
    pattern = re.compile(rf"(?<![\w.~-]){re.escape(project)}(?:/|(?![\w.-]))")
    return lambda text: (
        pattern.sub(lambda match: "" if match[0].endswith("/") else ".", text)
        if project in text
        else text
    )


def without_names(owner: ReportOwner) -> Retell:
    """Texts without the names of user and machine, and without the values."""
    names = dict.fromkeys(owner.values, HIDDEN) | {
        owner.host: HOST,
        owner.host.partition(".")[0]: HOST,
        owner.user: USER,
    }
    steps = [
        _without_word(name, instead)
        for name, instead in names.items()
        if len(name) >= LEAST and name.lower() not in COMMON
    ]
    return _in_turn(*steps)


def without_paths(text: str) -> str:
    """Absolute paths by their last part, or from the library on that they are in; those of
    every machine stay.
    """
    return _PATH.sub(lambda match: _place(match[0]), text) if "/" in text else text


def paths_in(value: object, name: str = "") -> set[str]:
    """The absolute paths that a value names as such: under a key or in a field for paths."""
    if isinstance(value, str):
        return {value} if name in PATHS and value.startswith("/") else set()
    if isinstance(value, Mapping):
        return {text for key, entry in value.items() for text in paths_in(entry, str(key))}
    if isinstance(value, (list, tuple, set, frozenset)):
        return {text for item in value for text in paths_in(item, name)}
    if is_dataclass(value) and not isinstance(value, type):
        return {text for key in _names(type(value)) for text in paths_in(getattr(value, key), key)}
    return set()


def without_known_paths(paths: Iterable[str]) -> Retell:
    """Texts without these paths, with any characters in them: their folders too, the longest
    first.
    """
    everything = sorted({path for path in paths if _is_odd(path)}, key=len, reverse=True)

    def tell(text: str) -> str:
        for path in everything if "/" in text else ():
            if path in text:
                text = text.replace(path, _place(path))
        return text

    return tell


def _is_odd(path: str) -> bool:
    """Return True if a path has characters that also occur in the text around paths."""
    return _PATH.fullmatch(path) is None


def command_without_values(words: Iterable[str]) -> tuple[str, ...]:
    """The command line with what follows the options that take a word of the user's own hidden."""
    texts: list[str] = []
    for word in words:
        option, equals, _ = word.partition("=")
        if texts and texts[-1] in PRIVATE_OPTIONS:
            texts.append(HIDDEN)
        elif option in PRIVATE_OPTIONS and equals:
            texts.append(f"{option}={HIDDEN}")
        elif word.startswith("-k") and word != "-k":
            texts.append(f"-k{HIDDEN}")
        else:
            texts.append(word)
    return tuple(texts)


def without_option_values(commands: Iterable[str]) -> Retell:
    """Texts without what follows the private options of these command lines, wherever such an
    option is repeated with its word.
    """
    result = {text: instead for command in commands for text, instead in _repeated(command)}
    return _in_turn(*(_without_word(text, result[text]) for text in sorted(result, key=len)[::-1]))


def _repeated(command: str) -> Iterator[tuple[str, str]]:
    """Each private option with its word, as a shell reads them, and what is shown instead."""
    try:
        words = shlex.split(command)
    except ValueError:  # of a saved run that was written by hand
        yield command, HIDDEN
        return
    for option, word in pairwise(words):
        if option in PRIVATE_OPTIONS:
            yield shlex.join((option, word)), shlex.join((option, HIDDEN))


def retold(thing: Thing, tell: Retell, unsaid: tuple[str, ...] = ()) -> Thing:
    """A value with every text in it told anew, keys too; what stands under a key or in a field
    of `unsaid` is hidden.
    """
    return _retold(thing, tell, unsaid)  # type: ignore[no-any-return]


def _retold(value: Any, tell: Retell, unsaid: tuple[str, ...]) -> Any:
    kind: Any = type(value)
    if kind is str:
        return tell(value)
    if value is None or kind in PLAIN:
        return value
    if kind is dict or isinstance(value, Mapping):
        values = {
            name: tell(entry) if type(entry) is str else _retold(entry, tell, unsaid)
            for name, entry in value.items()
        }
        values |= {name: _hidden(value[name]) for name in unsaid if name in value}
        return (
            values
            if all(map(_is_name, values))
            else {tell(str(name)): entry for name, entry in values.items()}
        )
    if isinstance(value, (list, tuple, set, frozenset)):
        # A named tuple takes no list.
        return getattr(kind, "_make", kind)([_retold(item, tell, unsaid) for item in value])
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value,
            **{name: _field(getattr(value, name), name, tell, unsaid) for name in _names(kind)},
        )
    return value


def _is_name(key: object) -> bool:
    """Return True if a key is one of the format's, and not a measured one."""
    return isinstance(key, str) and key.isidentifier()


def _field(value: object, name: str, tell: Retell, unsaid: tuple[str, ...]) -> object:
    return _hidden(value) if name in unsaid else _retold(value, tell, unsaid)


@lru_cache
def _names(kind: type[DataclassInstance]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.init)


def _hidden(value: object) -> object:
    return (
        HIDDEN
        if value and isinstance(value, str)
        else [HIDDEN]
        if value and isinstance(value, list)
        else value
    )


def _without_word(name: str, instead: str) -> Retell:
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return lambda text: pattern.sub(instead, text) if name in text else text


def _place(path: str) -> str:
    if path.startswith(EVERYWHERE):
        return path
    library = _LIBRARY.sub("", path)
    return f"{HIDDEN_PATH}/{library if library != path else path.rstrip('/').rpartition('/')[2]}"


def _in_turn(*steps: Retell) -> Retell:
    def tell(text: str) -> str:
        for step in steps:
            text = step(text)
        return text

    return tell
