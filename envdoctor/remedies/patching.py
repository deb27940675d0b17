"""A fix as bytes: the file with its changes made, in its own encoding and with its own line ends,
and the difference as `git apply` takes it.
"""

from __future__ import annotations

import difflib
import hashlib
import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence

from envdoctor.model.remedy import Change
from envdoctor.remedies.applying import NoPlaceError, in_order

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_END = re.compile(r"\r\n|\n|\r")
_QUOTED = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def digest(data: bytes) -> str:
    """SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def patched(data: bytes, made: Iterable[Change], tried: str) -> bytes:
    """The bytes of a file with its changes made. Raises NoPlaceError where that is not the text
    that was tried, by its digest.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        lines = _LINE.findall(data.decode(encoding))
        text = "".join(_spliced(lines, made))
        after = text.encode(encoding)
    except (SyntaxError, ValueError) as error:
        raise NoPlaceError(f"its text cannot be written in its encoding: {error}") from error
    normal = _END.sub("\n", text).removesuffix("\n") + "\n"
    if digest(normal.encode("utf-8")) != tried:
        raise NoPlaceError("it would not be the text that was tried")
    return after


def _spliced(lines: Sequence[str], made: Iterable[Change]) -> list[str]:
    """Lines with their ends, with the changes made. New lines end as the one before them does."""
    result, common = list(lines), _end_of(lines[0]) if lines else "\n"
    for change in reversed(in_order(made)):
        at = change.line - 1
        if at and at == len(result) and not _end_of(result[-1]):
            result[-1] += common or "\n"
        end = (_end_of(result[at - 1]) if at else "") or common or "\n"
        last = at + change.deleted
        new = [line + end for line in change.lines]
        if new and change.deleted > 0 and last == len(result) and not _end_of(result[-1]):
            new[-1] = change.lines[-1]
        result[at:last] = new
    return result


def _end_of(line: str) -> str:
    ends = _END.findall(line)
    return str(ends[-1]) if ends else ""


def unified(before: bytes, after: bytes, path: str) -> bytes:
    """The difference of one file, which lies at this path below where it is applied."""
    names = (_header(f"a/{path}"), _header(f"b/{path}"))
    lines = difflib.diff_bytes(difflib.unified_diff, _rows(before), _rows(after), *names)
    return b"".join(_ended(lines))


def _header(name: str) -> bytes:
    """The name as git writes it: quoted where it holds what would end it."""
    odd = any(character in _QUOTED for character in name)
    text = "".join(_QUOTED.get(character, character) for character in name)
    quoted = f'"{text}"' if odd else f"{text}\t" if " " in text else text
    return quoted.encode("utf-8", "surrogateescape")


def _rows(data: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def _ended(lines: Iterable[bytes]) -> Iterator[bytes]:
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"
