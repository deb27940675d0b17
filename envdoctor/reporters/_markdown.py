"""Foreign text as Markdown that cannot be markup.

Services that show Markdown link more than its rules say: names after @, numbers after #, addresses,
hashes of commits. None of them touches code, so all but plain words goes there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

from envdoctor.reporters._showing import clean

# A plain word, a small number, the code of a rule; a longer one may be the hash of a commit, and so
# may seven letters up to f.
_WORD = r"(?!(?i:[a-f]{7,}\b))[^\W\d_]+(?:[-'][^\W\d_]+)*|x?\d{1,6}(?:\.\d{1,6})?%?|[A-Z]{3}\d{3}"
_PLAIN = re.compile(rf"[('\"]?(?:{_WORD})[)'\"]?[.,;:]?")
_ITEM = re.compile(r"\d+[.)]+")  # at the start of a line it begins a list
_STOPS = ".,;:"


def prose(text: str) -> str:
    """One line in which plain words stand as they are and all else is code: ``close() leaves``
    becomes `` `close()` leaves``.
    """
    words = clean(text, unicode=True).split()
    lists = {words[0]} if words and _ITEM.fullmatch(words[0]) else set()
    pieces = groupby(
        words, key=lambda word: _PLAIN.fullmatch(word) is not None and word not in lists
    )
    return " ".join(
        " ".join(group) if plain else _stopped(" ".join(group)) for plain, group in pieces
    )


def _stopped(text: str) -> str:
    """Code, with the stops and the bracket of the sentence around it, not in it."""
    body = text.rstrip(_STOPS)
    before, after = "", text[len(body) :]
    if body.endswith(")") and body.count(")") > body.count("("):
        body, after = body[:-1], ")" + after
    if body.startswith("(") and body.count("(") > body.count(")"):
        before, body = "(", body[1:]
    return before + code(body) + after if body else code(text)


def code(text: str) -> str:
    """One line of code, with any ticks in it."""
    text = clean(text, unicode=True).strip() or " "
    ticks = "`" * (_longest_run(text) + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def fenced(lines: Iterable[str]) -> str:
    """Lines to paste, as a block."""
    text = "\n".join(clean(line, unicode=True) for line in lines)
    fence = "`" * max(3, _longest_run(text) + 1)
    return f"{fence}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)
