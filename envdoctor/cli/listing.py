"""The contents of a project, for people and for programs; and folders in the place of SPECs."""

from __future__ import annotations

import json
import os
import shlex
import textwrap
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from envdoctor.cli import streams
from envdoctor.cli.initializing import home_of, needing
from envdoctor.discovery.contents import (
    ID,
    NOTEBOOK,
    Contents,
    Environment,
    TrainingScript,
    contents_of,
    latest_first,
)
from envdoctor.discovery.files import MOST, source_files
from envdoctor.discovery.git import recent_changes
from envdoctor.errors import NothingToCheck, UsageError
from envdoctor.reporters._showing import clean
from envdoctor.request.argument_sets import spec_of
from envdoctor.request.options import Words
from envdoctor.request.settings import Settings
from envdoctor.request.specs import parse_kwargs

if TYPE_CHECKING:
    from envdoctor.cli.since import Since
    from envdoctor.model.subject import Subject

VERSION = 1  # of the JSON
FEW = 10  # rows, where the list was not asked for
IMPORTED = {".", "src"}  # roots in which modules are found without more
INDENTED = " " * 6


def contents(folder: Path) -> Contents:
    """Look through a folder, or a file; what changed last comes first. Raises UsageError where it
    is not there.
    """
    if not folder.exists():
        raise UsageError(f"no such folder: {folder}")
    here = Path.cwd()
    project = contents_of(source_files(folder, here))
    recent = recent_changes(here) if len(project.environments) > 1 else None
    if recent is None:
        return project
    ranks = {path: rank for rank, path in enumerate(recent.paths)}
    files = {each.file for each in project.environments}
    files |= {each.file for each in project.trainings}
    inside = {file: recent.inside(file, here) for file in files}
    return latest_first(project, {file: ranks.get(inside[file], len(ranks)) for file in files})


def changes(ref: str | None) -> Since | None:
    """The changes since a commit, where that is asked for. Raises UsageError."""
    if ref is None:
        return None
    from envdoctor.cli.since import Since

    return Since(ref, Path.cwd())


def still_concerned(
    since: Since, subjects: Sequence[Subject], known: Collection[str]
) -> tuple[Subject, ...]:
    """The environments that have changed, of those that were named; those of folders are `known`
    to have.
    """
    named = tuple(each for each in subjects if spec_of(each) not in known)
    concerned = {each.text for each in named if since.concerns(each)}
    if len(concerned) < len(named):
        some = f"{len(concerned)} of {len(named)} named environments"
        _say(f"{some} are examined: the others have not changed since {since.ref}")
    return tuple(each for each in subjects if spec_of(each) in known or each.text in concerned)


def only_changed(project: Contents, since: Since) -> Contents:
    """Those of a project's environments that have changed."""
    changed = tuple(each for each in project.environments if since.touches(each))
    return replace(project, environments=changed, trainings=())


def with_arguments(project: Contents, settings: Settings) -> Contents:
    """A project whose environments need no more what the configuration gives them."""
    return replace(
        project,
        environments=tuple(
            replace(each, needs=tuple(_missing(each, settings))) for each in project.environments
        ),
    )


def examinable(folder: Path) -> Contents:
    """Look through a folder. Raises NothingToCheck where no environment is there."""
    project = contents(folder)
    if not project.examined:
        raise NothingToCheck(f"no environment found in {folder}")
    return project


def as_json(project: Contents) -> str:
    """The list for programs."""
    return json.dumps({"version": VERSION, **asdict(project)}, indent=2) + "\n"


def as_text(
    project: Contents, folder: Path, width: int, most: int = MOST, since: str | None = None
) -> str:
    """The list for people, with so many rows of a kind at most, and the commands to type next.
    `since` is the commit since which all of it has changed, where that was asked for.
    """
    lines = [
        *_titled("environments", map(_environment, project.environments), width, most),
        *_titled("trainings", map(_training, project.trainings), width, most),
    ]
    if not lines:
        nothing = "no environment and no training found in"
        nothing = nothing if since is None else f"no environment changed since {since} in"
        return f"{clean(f'{nothing} {folder}', unicode=True)}\n"
    if project.files == MOST:
        lines.append(f"only the first {MOST:,} files were read")
    lines += [f"{file} has ids that are not listed: it has too many" for file in project.unfinished]
    examined = sum(not each.needs for each in project.examined)
    if examined:
        number = "one" if examined == 1 else str(examined)
        words = ["envdoctor", "check", str(folder), *(["--since", since] if since else [])]
        lines += ["", f"{shlex.join(words)}  # examines {number} of these"]
    watch = ("envdoctor", "watch", "--", "python")
    lines += [shlex.join([*watch, each.file]) for each in project.trainings[:1]]
    return "".join(f"{clean(line, unicode=True)}\n" for line in lines)


def greeting(folder: Path, settings: Settings, help_page: str, width: int) -> str:
    """The answer to a command line without a word: what is in the folder and what to type, or else
    how envdoctor is used.
    """
    project = with_arguments(contents(folder), settings)
    if not project.environments and not project.trainings:
        return f"{help_page}\n"
    return as_text(project, folder, width, FEW) + "envdoctor --help  # all commands\n"


def without_folders(
    settings: Settings, words: Words, kwarg: Words, since: Since | None = None
) -> tuple[Words, tuple[str, ...]]:
    """The SPECs of what named folders hold, in their place, and where their modules are imported
    from. Without words and without `specs` in the configuration, this folder is looked through.
    With `since`, folders hold only what has changed; there may be nothing then. Raises
    NothingToCheck for a folder without an environment that can be examined.
    """
    named = tuple(words or ())
    if not named and settings.named_in_file():
        return words, ()
    arguments = parse_kwargs(kwarg or ())
    specs: list[str] = []
    roots: list[str] = []
    for word in named or (".",):
        if not os.path.isdir(os.path.expanduser(word)):
            specs.append(word)
            continue
        folder = Path(os.path.expanduser(word))
        every = contents(folder).examined
        changed = [each for each in every if since is None or since.touches(each)]
        ready = list(_ready(settings, changed, arguments))
        if not ready and (changed or not every):
            if changed:
                _say_arguments(changed[0])
            if not named:
                return words, ()  # which says how environments are named
            raise NothingToCheck(f"no environment found in {word} that can be examined as it is")
        if len(ready) < len(changed):
            path, table = home_of(Path())
            heading = next(needing(changed[0], table))
            _say(f"to examine these as well, list them in {path}: {heading} with spec and kwargs")
        _say(
            _sentence_on(word, len(ready), (since.ref, len(changed), len(every)) if since else None)
        )
        specs += [each.spec for each in ready]
        roots += [os.path.abspath(each.root) for each in ready]
    return tuple(dict.fromkeys(specs)), tuple(dict.fromkeys(roots))


def _sentence_on(word: str, ready: int, changed: tuple[str, int, int] | None) -> str:
    """The sentence on how many environments of a folder are examined, and the command that names
    them. `changed` is since when how many of how many have changed.
    """
    command = ["envdoctor", "list", word]
    if changed is None:
        number = "one environment" if ready == 1 else f"{ready} environments"
        return f"{number} of {word}; `{shlex.join(command)}` names them"
    ref, some, every = changed
    says = f"{some} of {every} environments of {word} changed since {ref}"
    return f"{says}; `{shlex.join([*command, '--since', ref])}` names them" if some else says


def _ready(
    settings: Settings, environments: Iterable[Environment], arguments: Iterable[str]
) -> Iterator[Environment]:
    """The environments that need no more arguments; the others are named on stderr."""
    for each in environments:
        missing = [name for name in _missing(each, settings) if name not in arguments]
        if missing:
            _say(f"not judged: {each.spec}: {_without_default(missing)}")
        else:
            yield each


def _say_arguments(first: Environment) -> None:
    """Say how an environment that cannot be made without arguments is given them: the command, and
    the lines of the configuration.
    """
    path, table = home_of(Path())
    options = (word for name in first.needs for word in ("-k", f"{name}=..."))
    command = " ".join(("envdoctor", "check", shlex.quote(first.spec), *options))
    _say(f"`{command}` examines one; or write this into {path}, once for each:")
    lines = "\n".join(clean(line, unicode=False) for line in needing(first, table))
    streams.say(f"\n{lines}\n\n")


def _missing(environment: Environment, settings: Settings) -> list[str]:
    """The arguments without a default that the configuration does not give."""
    sets = map(settings.kwargs_of, settings.titles(environment.spec, {}))
    missing = [[name for name in environment.needs if name not in each] for each in sets]
    return min(missing, key=len)


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


def _training(each: TrainingScript) -> tuple[str, str]:
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
