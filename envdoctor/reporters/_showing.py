"""Turning what came out of an environment into text that is safe to show."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from envdoctor.model.errors import Frame, one_line, read_error, read_place
from envdoctor.model.evidence import Standing, read_evidence

MAX_SENTENCE = 600  # characters of one message; the JSON document has all of it
MAX_ITEMS = 3  # of one piece of evidence
MAX_STACK = 8  # lines of a stack
MAX_THREAD = 60  # of its first thread, which is shown whole
MAX_LINES = 12  # of all the evidence of a finding

#: What evidence is called on the screen, where its key would not be understood.
LABELS = {
    "held": "after close()",
    "dropped": "after the last reference went",
    "collected": "after garbage collection",
    "taken_at": "acquired at",
}

#: Evidence that the screen shows with the growth, or not at all.
OTHER_PARTS = (
    "records",
    "types",
    "holders",
    "caches",
    "blocks",
    "told_by",
    "cure",
    "cure_options",
    "cure_verified",
)

NOTHING: tuple[object, ...] = ("", {}, [], ())  # is not worth a word

# Controls, bidirectional marks, lone surrogates, line and paragraph separators, private and
# unassigned characters.
_UNSHOWABLE = {"Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn"}


def clean(text: str, unicode: bool) -> str:
    r"""One line in which nothing acts on the terminal: an escape sequence must not erase the
    report.

    Newlines and tabs become a space, other controls their escape (`\x1b`, `\\r`); without `unicode`
    all is ASCII.
    """
    folded = re.sub(r"(\r?\n|\t)+", " ", text)
    shown = "".join(
        escaped(character) if unicodedata.category(character) in _UNSHOWABLE else character
        for character in folded
    )
    return shown if unicode else shown.encode("ascii", "backslashreplace").decode()


def bounded(text: str) -> str:
    """A message of unknown length, cut where a reader would stop."""
    text = text.strip()
    return (
        text
        if len(text) <= MAX_SENTENCE
        else text[:MAX_SENTENCE].rstrip() + " ... (all of it with --format json)"
    )


def shorten(text: str, directory: str) -> str:
    """`text` with the paths below `directory` made relative to it: what the user would type
    there.
    """
    if not directory.strip("/"):
        return text
    return re.sub(r"(?<![\w./~-])" + re.escape(directory.rstrip("/") + "/"), "", text)


def escaped(character: str) -> str:
    """A character by its number, as Python writes it in a text."""
    return character.encode("unicode_escape").decode()


def evidence_lines(evidence: Mapping[str, object]) -> list[str]:
    """The proof in a few lines, not yet clean. Keys with equal values share a line; what is
    empty is left out.
    """
    groups: list[tuple[list[str], object]] = []
    for key, value in evidence.items():
        same = [keys for keys, other in groups if repr(other) == repr(value)]
        if same:
            same[0].append(key)
        elif key not in OTHER_PARTS and value is not None and value not in NOTHING:
            groups.append(([key], value))
    lines = [
        line
        for keys, value in groups
        for line in _entry(", ".join(LABELS.get(key, key) for key in keys).replace("_", " "), value)
    ]
    most = MAX_LINES + _first_thread(read_evidence(Standing, evidence).stacks.splitlines())
    more = len(lines) - most
    return lines[:most] + ([f"... {more} more lines with --format json"] if more > 0 else [])


def _entry(key: str, value: object) -> list[str]:
    """`key: value`, on further lines where the value has several."""
    lines = value.strip("\n").splitlines() if isinstance(value, str) else []
    if isinstance(value, str) and "\n" in value.strip():
        return [
            f"{key}:",
            *("  " + line for line in _first(lines, max(MAX_STACK, _first_thread(lines)))),
        ]
    if (
        isinstance(value, (list, tuple))
        and any(isinstance(item, Mapping) for item in value)
        and len(value) > 1
    ):
        return [
            f"{key}:",
            *("- " + line for line in _first([_flat(item) for item in value], MAX_ITEMS)),
        ]
    return [f"{key}: {_flat(value)}"]


def _first_thread(lines: list[str]) -> int:
    """Return the length of the first thread of a stack, which is shown in full; 0 where it is not a
    stack.
    """
    heads = [at for at, line in enumerate(lines) if "(most recent call first)" in line]
    return min(heads[1] if len(heads) > 1 else len(lines), MAX_THREAD) if heads else 0


def _flat(value: object) -> str:
    """A value on one line."""
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(_first([_flat(item) for item in value], MAX_ITEMS))
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
    return str(value)


def _mapping(value: Mapping[str, object]) -> str:
    if "type" in value and "frames" in value:
        error = read_error(value)
        if error is not None:
            frame = error.user_frame
            return one_line(error) + (f" at {_place(frame)}" if frame else "")
    place = read_place(value)
    if place is not None:
        return _place(place.frame) + (f": {place.target}" if place.target else "")
    values = {
        key: item for key, item in value.items() if item is not None and item not in NOTHING
    } or value
    return ", ".join(_first([f"{key} = {_flat(item)}" for key, item in values.items()], MAX_ITEMS))


def _place(frame: Frame) -> str:
    return f"{frame.file}:{frame.line}" + (f" in {frame.function}" if frame.function else "")


def _first(texts: list[str], most: int) -> list[str]:
    more = len(texts) - most
    return texts[:most] + ([f"and {more} more"] if more > 0 else [])
