"""What a project holds, for people and for programs; and folders in the place of SPECs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from envdoctor.discovery.contents import ID, NOTEBOOK, Contents, Found, contents_of
from envdoctor.discovery.files import MOST, source_files
from envdoctor.errors import NothingToCheck, UsageError
from envdoctor.reporters._showing import clean
from envdoctor.request.options import Words
from envdoctor.request.settings import Settings
from envdoctor.request.specs import parse_kwargs

VERSION = 1  # of the JSON
FEW = 10  # rows, where the list was not asked for
IMPORTED = {".", "src"}  # roots in which modules are found without more


def contents(folder: Path) -> Contents:
    """What a folder, or a file, holds. Raises UsageError where it is not there."""
    if not folder.exists():
        raise UsageError(f"no such folder: {folder}")
    return contents_of(source_files(folder, Path.cwd()))


def examinable(folder: Path) -> Contents:
    """The same. Raises NothingToCheck where no environment is there."""
    found = contents(folder)
    if not found.examined:
        raise NothingToCheck(f"no environment found in {folder}")
    return found


def as_json(found: Contents) -> str:
    """The list for programs."""
    return json.dumps({"version": VERSION, **asdict(found)}, indent=2) + "\n"


def as_text(found: Contents, folder: Path, most: int = MOST) -> str:
    """The list for people, with so many rows of a kind at most, and the commands to type next."""
    lines = [*_environments(found.environments, most), *_trainings(found, most)]
    if not lines:
        return f"no environment and no training found in {folder}\n"
    if found.files == MOST:
        lines.append(f"only the first {MOST:,} files were read")
    examined = [each for each in found.examined if not each.needs]
    if examined:
        lines += ["", f"envdoctor check {folder}  # examines {_number(len(examined))} of these"]
    lines += [f"envdoctor watch -- python {each.file}" for each in found.trainings[:1]]
    return "".join(f"{clean(line, unicode=True)}\n" for line in lines)


def greeting(folder: Path, help_page: str) -> str:
    """What a command line without a word says: what is there and what to type, or else how
    envdoctor is used.
    """
    found = contents(folder)
    if not found.environments and not found.trainings:
        return f"{help_page}\n"
    return as_text(found, folder, FEW) + "envdoctor --help  # all commands\n"


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
        found = list(_examined(settings, Path(os.path.expanduser(word)), given))
        if not found and not named:
            return words, ()  # which says how environments are named
        if not found:
            raise NothingToCheck(f"no environment found in {word} that can be examined as it is")
        specs += [each.spec for each in found]
        roots += [os.path.abspath(each.root) for each in found]
    return tuple(dict.fromkeys(specs)), tuple(dict.fromkeys(roots))


def _examined(settings: Settings, folder: Path, given: Iterable[str]) -> Iterator[Found]:
    """What a folder holds and needs no more arguments; what needs some is named on stderr."""
    for each in contents(folder).examined:
        missing = [
            name
            for name in each.needs
            if name not in given and name not in settings.kwargs_of(each.spec)
        ]
        if missing:
            sentence = f"not judged: {each.spec}: {_without_default(missing)}"
            sys.stderr.write(f"envdoctor: {clean(sentence, unicode=False)}\n")
        else:
            yield each


def _without_default(names: Iterable[str]) -> str:
    """`size has no default: -k size=...`"""
    names = tuple(names)
    verb = "has" if len(names) == 1 else "have"
    return f"{', '.join(names)} {verb} no default: " + " ".join(f"-k {name}=..." for name in names)


def _environments(environments: Iterable[Found], most: int) -> Iterator[str]:
    rows = [(each.spec, f"{each.file}:{each.line}", _about(each)) for each in environments]
    if rows:
        yield "environments"
        yield from _table(rows, most)


def _trainings(found: Contents, most: int) -> Iterator[str]:
    rows = [
        (f"{each.file}:{each.line}", ", ".join((*each.managers, *each.trainers)))
        for each in found.trainings
    ]
    if rows:
        yield "trainings"
        yield from _table(rows, most)


def _about(each: Found) -> str:
    words = [each.kind, *([each.framework] if each.framework else [])]
    if each.kind == NOTEBOOK:
        words.append("write `%%writefile env.py` into its cell")
    if each.root not in IMPORTED and not each.spec.startswith(each.file) and each.kind != NOTEBOOK:
        words.append(f"imported from {each.root}")
    if each.needs and each.kind != ID:
        words.append(_without_default(each.needs))
    return ", ".join(words)


def _table(rows: Sequence[tuple[str, ...]], most: int) -> Iterator[str]:
    shown = rows[:most]
    widths = [max(len(cell) for cell in column) for column in zip(*shown, strict=True)]
    for row in shown:
        cells = (cell.ljust(size) for cell, size in zip(row, widths, strict=True))
        yield ("  " + "  ".join(cells)).rstrip()
    if len(rows) > most:
        yield f"  ... and {len(rows) - most} more: `envdoctor list` shows all"


def _number(count: int) -> str:
    return "one" if count == 1 else str(count)
