"""The proof of a finding as a reader wants it: places, errors, tables and text, instead of
nested brackets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from envdoctor.model.errors import ErrorValue, Frame, one_line, read_error, read_place
from envdoctor.reporters._showing import LABELS, OTHER_PARTS
from envdoctor.reporters._verdict import number
from envdoctor.reporters.html.chains import chain
from envdoctor.reporters.html.markup import Node, clipped, tag
from envdoctor.reporters.json_v1 import plain

MAX_DEPTH = 4
MAX_ENTRIES = 12  # of one mapping or list
MAX_COLUMNS = 6  # of a table; records with more keys are lists of their entries
MAX_LINES = 40  # of a stack or of what was printed
MAX_WORDS = 600  # characters of one value on a line
OPEN_LINES = 20  # a longer text is folded

CHAINS = ("held_by", "chain", "holders")  # keys whose texts are chains of references
EMPTY: tuple[object, ...] = (None, "", {}, [], ())


def proof(evidence: Mapping[str, object]) -> Node:
    """A list of terms. Keys with equal values share one; what is empty, or drawn elsewhere in
    the page, is left out.
    """
    groups: list[tuple[list[str], object]] = []
    for key, value in plain(evidence).items():
        same = [keys for keys, other in groups if other == value]
        if same:
            same[0].append(key)
        elif key not in OTHER_PARTS and value not in EMPTY:
            groups.append(([key], value))
    shown = groups[:MAX_ENTRIES]
    terms = [(tag("dt", _label(keys)), tag("dd", _named(keys[0], value))) for keys, value in shown]
    return (
        tag("dl", terms, _more(len(groups) - len(shown), "dd"), class_="proof") if terms else None
    )


def _label(keys: Iterable[str]) -> str:
    return ", ".join(LABELS.get(key, key) for key in keys).replace("_", " ")


def _named(key: str, value: object) -> Node:
    if key in CHAINS and isinstance(value, (str, list)):
        texts = value if isinstance(value, list) else [value]
        if all(isinstance(text, str) for text in texts):
            return [chain(text) for text in texts[:MAX_ENTRIES]]
    return _value(value, MAX_DEPTH)


def _value(value: object, depth: int) -> Node:
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    if isinstance(value, list):
        return _list(value, depth)
    if isinstance(value, str):
        return text(value)
    return _scalar(value)


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def text(words: str) -> Node:
    """A text: code on its own lines where it has several, folded where there are many."""
    lines = clipped(words, 20_000).strip("\n").splitlines()
    if len(lines) <= 1:
        return clipped(words, MAX_WORDS)
    kept = lines[:MAX_LINES] + (
        [f"... {len(lines) - MAX_LINES} more lines"] if len(lines) > MAX_LINES else []
    )
    block = tag("pre", "\n".join(kept), tabindex="0")
    if len(kept) <= OPEN_LINES:
        return block
    return tag(
        "details", tag("summary", f"{len(lines)} lines: ", tag("code", lines[0][:80])), block
    )


def _mapping(value: Mapping[str, object], depth: int) -> Node:
    error = read_error(value) if "type" in value and "frames" in value else None
    if error is not None:
        return _error(error)
    place = read_place(value)
    if place is not None:
        return _place(place.frame, target=place.target)
    if depth <= 0:
        return clipped(str(value), MAX_WORDS)
    shown = [(key, entry) for key, entry in value.items() if entry not in EMPTY][:MAX_ENTRIES]
    rows = [
        tag("tr", tag("th", key, scope="row"), tag("td", _value(entry, depth - 1)))
        for key, entry in shown
    ]
    return tag("table", rows, class_="pairs"), (
        _more(len(value) - len(shown), "p") if len(value) > MAX_ENTRIES else None
    )


def _list(values: Sequence[Any], depth: int) -> Node:
    if depth <= 0:
        return clipped(str(values), MAX_WORDS)
    if all(not isinstance(value, (Mapping, list)) and "\n" not in str(value) for value in values):
        more = f" and {len(values) - MAX_ENTRIES} more" if len(values) > MAX_ENTRIES else ""
        return (
            ", ".join(clipped(_scalar(value), MAX_WORDS) for value in values[:MAX_ENTRIES]) + more
        )
    shown = values[:MAX_ENTRIES]
    if _is_table(shown):
        return _table(shown), _more(len(values) - len(shown), "p")
    if len(values) == 1:
        return _value(values[0], depth - 1)
    items = [tag("li", _value(value, depth - 1)) for value in shown]
    return tag("ul", items, _more(len(values) - len(shown), "li"))


def _is_table(values: Sequence[Any]) -> bool:
    """Return whether these are records with the same few keys and plain values."""
    first = values[0]
    if not isinstance(first, Mapping) or not 0 < len(first) <= MAX_COLUMNS or "file" in first:
        return False
    same = all(isinstance(value, Mapping) and value.keys() == first.keys() for value in values)
    return same and not any(
        isinstance(entry, (Mapping, list)) for value in values for entry in value.values()
    )


def _table(values: Sequence[Mapping[str, object]]) -> Node:
    keys = [key for key in values[0] if any(value[key] not in EMPTY for value in values)]
    head = tag("tr", [tag("th", str(key).replace("_", " "), scope="col") for key in keys])
    rows = [
        tag("tr", [tag("td", clipped(_scalar(value[key]), MAX_WORDS)) for key in keys])
        for value in values
    ]
    return tag("table", tag("thead", head), tag("tbody", rows), class_="records")


def _place(frame: Frame, before: str = "", target: str = "") -> Node:
    """`arm.py:12 in reset`, the text of the line, what it took, and where it was called from."""
    return tag(
        "div",
        before,
        tag("code", f"{frame.file}:{frame.line}", class_="path"),
        [" in ", tag("code", f"{frame.function}()")] if frame.function else None,
        [": ", target] if target else None,
        tag("pre", frame.text.strip(), tabindex="0") if frame.text else None,
        _place(frame.caller, "called from ") if frame.caller else None,
    )


def _error(error: ErrorValue) -> Node:
    """The error on a line, and its frames folded, the user's own marked."""
    element = tag("code", clipped(one_line(error), MAX_WORDS))
    if not error.frames:
        return element
    lines = [
        tag(
            "li",
            f"{frame.file}:{frame.line} in {frame.function}",
            class_="own" if at == error.user else None,
        )
        for at, frame in enumerate(error.frames)
    ]
    summary = tag("summary", number(len(lines), "frame"))
    return element, tag("details", summary, tag("ol", lines[-MAX_LINES:], class_="frames"))


def _more(number: int, name: str) -> Node:
    return (
        tag(name, f"and {number:,} more, with --format json", class_="quiet")
        if number > 0
        else None
    )


def code(commands: Iterable[str]) -> Iterator[Node]:
    """Lines to paste; a click selects them all."""
    lines = "\n".join(commands)
    if lines.strip():
        yield tag("pre", tag("code", clipped(lines, MAX_WORDS * 4)), class_="paste", tabindex="0")
