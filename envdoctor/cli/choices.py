"""Words of the command line checked against what there is. Every function raises UsageError with the nearest spelling."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from envdoctor.errors import UsageError
from envdoctor.model.managers import CONSTRUCTIONS
from envdoctor.model.scenario import DIRECT
from envdoctor.rules.registry import Rule
from envdoctor.specs import nearest_sentence

START_METHODS = ("fork", "forkserver", "spawn")


def managers() -> tuple[str, ...]:
    """The managers that there are."""
    return (DIRECT, *CONSTRUCTIONS)


def words(texts: Iterable[str]) -> tuple[str, ...]:
    """An option that may be repeated and may hold commas, as its words."""
    return tuple(dict.fromkeys(word.strip() for text in texts for word in text.split(",") if word.strip()))


def one(noun: str, word: str, known: Iterable[str]) -> str:
    """`word`, if it is one of `known`."""
    known = tuple(known)
    if word not in known:
        hint = nearest_sentence(word.lower(), known) or f"; there are {', '.join(known)}"
        raise UsageError(f"no {noun} is called {word!r}{hint}")
    return word


def several(noun: str, texts: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The words of an option, all of them known. No word means no choice."""
    known = tuple(known)
    return tuple(one(noun, word, known) for word in words(texts))


def rule(word: str, known: Mapping[str, Rule]) -> Rule:
    """The rule of a code or a name, in any case."""
    by_word = {**known, **{each.name: each for each in known.values()}}
    found = by_word.get(word.upper()) or by_word.get(word.lower())
    if found is None:
        padded = re.sub(r"\d+$", lambda digits: digits[0].zfill(3), word.upper())  # CLS6 is nearer to CLS006 than to CLS016
        near = nearest_sentence(padded, known) or nearest_sentence(word.lower(), by_word)
        raise UsageError(f"no rule is called {word!r}{near or '; `envdoctor rules` lists them'}")
    return found


def interpreter(path: str | None) -> str | None:
    """A path to a Python, or the name of one on PATH, as an absolute path. Links stay: a virtual environment is one."""
    if path is None:
        return None
    if Path(path).expanduser().is_dir():
        raise UsageError(f"--python {path} is a directory; did you mean {Path(path, 'bin', 'python')}?")
    found = shutil.which(str(Path(path).expanduser()) if "/" in path else path)
    if found is None:
        raise UsageError(f"--python {path}: there is no program of that name that may be run")
    return str(Path(found).absolute())
