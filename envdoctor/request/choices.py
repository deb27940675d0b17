"""Words of the command line checked against what there is; UsageError with the nearest spelling
where there is none.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.frameworks import MANAGERS, STORAGES
from envdoctor.model.scenario import DIRECT
from envdoctor.model.subject import FILE, FUNCTION, ID, Subject
from envdoctor.plugins import plugins
from envdoctor.rules.engine.registry import Rule
from envdoctor.verdict.triage import padded

if TYPE_CHECKING:
    from envdoctor.plan.leak_session import Effort
    from envdoctor.plan.replay_buffers import StorageRequest

START_METHODS = ("fork", "forkserver", "spawn")
ALL = "all"

POWERS = {"K": 10, "M": 20, "G": 30, "T": 40}
LEAST_MEMORY = 64 << 20  # bytes; a probe that examines nothing takes half of it
# Twelve days; and waits that are much longer than that mean something else to the operating system.
MOST_SECONDS = 1e6


def managers() -> tuple[str, ...]:
    """The managers that there are: our own, and those of plug-ins."""
    return (*MANAGERS, *(name for name in plugins("managers") if name not in MANAGERS))


def chosen_managers(texts: Iterable[str] | None, python: str | None) -> tuple[str, ...]:
    """The managers of an option. Another interpreter may have plug-ins that this one has not:
    it is asked itself.
    """
    if python is None:
        return several("manager", texts, managers())
    known = (
        *managers(),
        *(word for word in words(texts) if word != ALL and not nearest_sentence(word, managers())),
    )
    return several("manager", texts, known)


def storages() -> tuple[str, ...]:
    """The replay storages that there are."""
    return STORAGES


def words(texts: Iterable[str] | None) -> tuple[str, ...]:
    """An option that may be repeated and may hold commas, as its words."""
    return tuple(
        dict.fromkeys(
            word.strip() for text in texts or () for word in text.split(",") if word.strip()
        )
    )


def one_of(noun: str, word: str, known: Iterable[str]) -> str:
    """`word`, if it is one of `known`."""
    known = tuple(known)
    if word not in known:
        hint = nearest_sentence(word.lower(), known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no {noun} is called {word!r}{hint}")
    return word


def several(noun: str, texts: Iterable[str] | None, known: Iterable[str]) -> tuple[str, ...]:
    """The words of an option, all of them known; `all` means each of them. No word means no
    choice.
    """
    known = tuple(known)
    if ALL in words(texts):
        return known
    return tuple(one_of(noun, word, known) for word in words(texts))


def storage_request(
    names: Iterable[str] | None, capacity: int | None, seconds: float
) -> StorageRequest | None:
    """Return the storages to fill, or None. Raises UsageError."""
    if not words(names):
        if capacity is not None:
            raise UsageError(
                f"--capacity {capacity} is for a replay storage: name one, --storage"
                f" {' or --storage '.join(storages())}"
            )
        return None
    from envdoctor.plan.replay_buffers import StorageRequest

    return StorageRequest(several("storage", names, storages()), capacity or 0, seconds)


def function(subject: Subject, storage: StorageRequest | None, managers: Iterable[str]) -> Subject:
    """The subject of --callable. Raises UsageError for what names no function, and beside options
    that are about environments.
    """
    if subject.form == ID or (subject.form == FILE and not subject.name):
        raise UsageError(
            f"--callable {subject.text}: name a function, as package.module:function or"
            " path/to/file.py:function"
        )
    if storage is not None:
        raise UsageError("--callable and --storage do not go together: a function fills its own")
    if set(managers) - {DIRECT}:
        raise UsageError("--callable and --managers do not go together: a function has no workers")
    return replace(subject, kind=FUNCTION)


def effort(
    cycles: int | None,
    seconds: float,
    thorough: bool,
    save: Path | None,
    stored: StorageRequest | None,
) -> Effort:
    """Return the effort of the leak check: a quick one, where replay storages are named and no
    option is about the environment itself.
    """
    from envdoctor.plan.leak_session import QUICK, Effort

    if stored and not (cycles or thorough or save):
        return QUICK
    return Effort(cycles or 0, seconds, thorough, save=str(save.absolute()) if save else "")


def folder(option: str, path: Path | None) -> Path | None:
    """A folder that is there or can be made. Raises UsageError."""
    if path is None:
        return None
    there = next((each for each in (path, *path.absolute().parents) if each.exists()), path)
    if not there.is_dir():
        raise UsageError(f"{option} {path}: {there} is not a directory")
    if not os.access(there, os.W_OK):
        raise UsageError(f"{option} {path}: {there} may not be written")
    return path


def size(option: str, text: str | None) -> int:
    """Bytes: `4G`, `1.5GiB`, `512M`; 0 where nothing was said."""
    if text is None:
        return 0
    match = re.fullmatch(
        r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([KMGT])(?:i?B)?\s*", text, re.IGNORECASE | re.ASCII
    )
    if match is None:
        raise UsageError(f"{option} {text!r} is not a size; write it like 4G, 1.5G or 512M")
    number = int(float(match[1]) * 2 ** POWERS[match[2].upper()])
    if number < LEAST_MEMORY:
        raise UsageError(
            f"{option} {text} is less than Python and its libraries take; 64M is the least, and 1G"
            " is a good beginning"
        )
    return number


def budget(option: str, text: str | None) -> float:
    """Seconds: `60s`, `5m`, `1h`, `90`; 0 where nothing was said."""
    return 0.0 if text is None else duration(option, text)


def duration(option: str, text: str, least: float = 0.0, zero: str = "") -> float:
    """Seconds, of which at least so many: `60s`, `5m`, `1h`, `90`. What 0 means, where it means
    something, is `zero`: it is allowed then.
    """
    match = re.fullmatch(
        r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([smh]?)\s*", text, re.IGNORECASE | re.ASCII
    )
    if match is None or not (float(match[1]) or zero):
        more = f", or 0 {zero}" if zero else ""
        raise UsageError(
            f"invalid {option} {text!r}: expected a number with s, m or h, such as 60s or 5m{more}"
        )
    number = float(match[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[match[2].lower()]
    if not number:
        return number
    if number < least:
        raise UsageError(f"invalid {option} {text!r}: expected at least {least:g}s")
    return seconds(option, number)


def seconds(option: str, number: float) -> float:
    """A number of seconds that can be waited for."""
    if not 0 < number <= MOST_SECONDS:
        raise UsageError(
            f"{option} {number:g}: it has to be a number of seconds up to {MOST_SECONDS:,.0f}, as"
            " 30 or 0.5"
        )
    return number


def rule(word: str, known: Mapping[str, Rule]) -> Rule:
    """The rule of a code or a name, in any case."""
    by_word = {**known, **{each.name: each for each in known.values()}}
    rule = by_word.get(word.upper()) or by_word.get(word.lower())
    if rule is None:
        near = nearest_sentence(padded(word.upper()), known) or nearest_sentence(
            word.lower(), by_word
        )
        raise UsageError(f"no rule is called {word!r}{near or '; `envdoctor rules` lists them'}")
    return rule


def interpreter(path: str | None) -> str | None:
    """A path to a Python, or the name of one on PATH, as an absolute path. Links stay: a
    virtual environment is one.
    """
    if path is None:
        return None
    if os.path.isdir(os.path.expanduser(path)):
        raise UsageError(
            f"--python {path} is a directory; did you mean {Path(path, 'bin', 'python')}?"
        )
    # A Path would take the ./ from ./python, which means another thing then.
    text = shutil.which(os.path.expanduser(path))
    if text is None:
        raise UsageError(f"--python {path}: no executable of that name")
    return str(Path(text).absolute())
