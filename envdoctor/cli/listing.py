"""The contents of a project, for people and for programs; and folders in the place of SPECs."""

from __future__ import annotations

import json
import os
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from envdoctor.cli import streams
from envdoctor.discovery.contents import ID, NOTEBOOK, Contents, Environment, Training, contents_of
from envdoctor.discovery.files import MOST, source_files
from envdoctor.errors import NothingToCheck, UsageError
from envdoctor.reporters._showing import clean
from envdoctor.request.options import Words
from envdoctor.request.settings import Settings
from envdoctor.request.specs import parse_kwargs

VERSION = 1  # of the JSON
FEW = 10  # rows, where the list was not asked for
IMPORTED = {".", "src"}  # roots in which modules are found without more
INDENTED = " " * 6


def contents(folder: Path) -> Contents:
    """Look through a folder, or a file. Raises UsageError where it is not there."""
    if not folder.exists():
        raise UsageError(f"no such folder: {folder}")
    return contents_of(source_files(folder, Path.cwd()))


def examinable(folder: Path) -> Contents:
    """The same. Raises NothingToCheck where no environment is there."""
    project = contents(folder)
    if not project.examined:
        raise NothingToCheck(f"no environment found in {folder}")
    return project


def as_json(project: Contents) -> str:
    """The list for programs."""
    return json.dumps({"version": VERSION, **asdict(project)}, indent=2) + "\n"


def as_text(project: Contents, folder: Path, width: int, most: int = MOST) -> str:
    """The list for people, with so many rows of a kind at most, and the commands to type next."""
    lines = [
        *_titled("environments", map(_environment, project.environments), width, most),
        *_titled("trainings", map(_training, project.trainings), width, most),
    ]
    if not lines:
        return f"no environment and no training found in {folder}\n"
    if project.files == MOST:
        lines.append(f"only the first {MOST:,} files were read")
    examined = sum(not each.needs for each in project.examined)
    if examined:
        number = "one" if examined == 1 else str(examined)
        lines += ["", f"envdoctor check {folder}  # examines {number} of these"]
    lines += [f"envdoctor watch -- python {each.file}" for each in project.trainings[:1]]
    return "".join(f"{clean(line, unicode=True)}\n" for line in lines)


def greeting(folder: Path, help_page: str, width: int) -> str:
    """The answer to a command line without a word: what is in the folder and what to type, or else
    how envdoctor is used.
    """
    project = contents(folder)
    if not project.environments and not project.trainings:
        return f"{help_page}\n"
    return as_text(project, folder, width, FEW) + "envdoctor --help  # all commands\n"


def without_folders(
    settings: Settings, words: Words, kwarg: Words
) -> tuple[Words, tuple[str, ...]]:
    """The SPECs of what named folders hold, in their place, and where their modules are imported
    from. Without words and without `specs` in the configuration, this folder is looked through.
    Raises NothingToCheck for a folder without an environment that can be examined.
    """
    named = tuple(words or ())
    if not named and settings.pick("specs", ()):
        return words, ()
    given = parse_kwargs(kwarg or ())
    specs: list[str] = []
    roots: list[str] = []
    for word in named or (".",):
        if not os.path.isdir(os.path.expanduser(word)):
            specs.append(word)
            continue
        ready = list(_ready(settings, Path(os.path.expanduser(word)), given))
        if not ready and not named:
            return words, ()  # which says how environments are named
        if not ready:
            raise NothingToCheck(f"no environment found in {word} that can be examined as it is")
        number = "one environment" if len(ready) == 1 else f"{len(ready)} environments"
        _say(f"{number} of {word}; `envdoctor list {word}` names them")
        specs += [each.spec for each in ready]
        roots += [os.path.abspath(each.root) for each in ready]
    return tuple(dict.fromkeys(specs)), tuple(dict.fromkeys(roots))


def _ready(settings: Settings, folder: Path, given: Iterable[str]) -> Iterator[Environment]:
    """The environments of a folder that need no more arguments; the others are named on stderr."""
    for each in contents(folder).examined:
        missing = [
            name
            for name in each.needs
            if name not in given and name not in settings.kwargs_of(each.spec)
        ]
        if missing:
            _say(f"not judged: {each.spec}: {_without_default(missing)}")
        else:
            yield each


def _say(sentence: str) -> None:
    streams.say(f"envdoctor: {clean(sentence, unicode=False)}\n")


def _without_default(names: Iterable[str]) -> str:
    """`size has no default: -k size=...`"""
    names = tuple(names)
    verb = "has" if len(names) == 1 else "have"
    return f"{', '.join(names)} {verb} no default: " + " ".join(f"-k {name}=..." for name in names)


def _environment(each: Environment) -> tuple[str, str, str]:
    """Its SPEC, its place, and what it is."""
    words = [each.kind, *([each.framework] if each.framework else [])]
    if each.kind == NOTEBOOK:
        words.append("write `%%writefile env.py` into its cell")
    elif each.root not in IMPORTED and not each.spec.startswith(each.file):
        words.append(f"imported from {each.root}")
    if each.needs and each.kind != ID:
        words.append(_without_default(each.needs))
    return each.spec, f"{each.file}:{each.line}", ", ".join(words)


def _training(each: Training) -> tuple[str, str]:
    return f"{each.file}:{each.line}", ", ".join((*each.managers, *each.trainers))


def _titled(title: str, cells: Iterable[tuple[str, ...]], width: int, most: int) -> Iterator[str]:
    """Rows below their title; nothing without rows."""
    rows = list(cells)
    if rows:
        yield title
        yield from _table(rows[:most], width)
    if len(rows) > most:
        yield f"  ... and {len(rows) - most} more: `envdoctor list` shows all"


def _table(rows: Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """A line for each row; where that does not fit, its first cell has a line, and the rest is
    below it.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [("  " + "  ".join(map(str.ljust, row, widths))).rstrip() for row in rows]
    if max(map(len, lines)) <= width:
        yield from lines
        return
    for first, *rest in rows:
        yield f"  {first}"
        yield from textwrap.wrap(
            "  ".join(rest),
            max(width, 2 * len(INDENTED)),
            initial_indent=INDENTED,
            subsequent_indent=INDENTED,
            break_long_words=False,
            break_on_hyphens=False,
        )
