"""Saved runs without what only one machine has: its paths, and names that the system draws."""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from envdoctor.saved import lines_v1 as lines

ROOT = Path(__file__).parents[2]

#: What is written in place of paths of the machine that recorded. Rules read no file, so nothing
#: has to lie there.
CHECKOUT, PYTHON, TEMPORARY = "/checkout", "/python", "/tmp"

#: Names that are drawn at random, each with the part that stays.
_DRAWN = re.compile(
    r"(?P<kept>\b(?:envdoctor-|tmp|home-|company-|sem\.mp-|pymp-|listener-|psm_|mp-)"
    r"|envdoctor-0000000\d/s)(?P<drawn>[a-z0-9_]{8})\b"
)
_RELEASE = "6.1"


def portable(text: str) -> str:
    """A saved run as text, with placeholders, and checksums that fit them."""
    names: dict[str, str] = {}
    return "".join(f"{_portable_line(line, names)}\n" for line in text.splitlines())


def _portable_line(text: str, names: dict[str, str]) -> str:
    body = json.dumps(_without_checksum(lines.decode(text)), separators=(",", ":"))
    for path, placeholder in places():
        body = lines.with_home(body, "").replace(path, placeholder)
    for _ in range(2):  # a folder of a session lies in that of its run
        body = _DRAWN.sub(lambda match: match["kept"] + _numbered(match["drawn"], names), body)
    line = json.loads(body)
    if lines.MARK in line:
        line["command"] = without_save(line["command"])
        line["platform"]["release"] = _RELEASE
    return lines.encode(line)


def _without_checksum(line: lines.Line) -> lines.Line:
    return {key: value for key, value in line.items() if key != "crc"}


def _numbered(drawn: str, names: dict[str, str]) -> str:
    """Another name of eight letters, by the order in which they appear."""
    if re.fullmatch(r"0\d{7}", drawn):
        return drawn
    return names.setdefault(drawn, f"{len(names):08d}")


def without_save(command: list[str]) -> list[str]:
    """A command line without the file that it saves into."""
    at = command.index("--save")
    return [*command[:at], *command[at + 2 :]]


def places() -> list[tuple[str, str]]:
    """Paths of this machine and their placeholders, the longest first."""
    return sorted(dict(_places()).items(), key=lambda pair: -len(pair[0]))


def _places() -> Iterator[tuple[str, str]]:
    yield str(ROOT), CHECKOUT
    for folder in (ROOT / ".interpreters").glob("*"):
        yield str(folder.resolve()), f"{CHECKOUT}/.interpreters/{folder.name}"
    for prefix in {sys.base_prefix, str(Path(sys.base_prefix).resolve())}:
        yield prefix, PYTHON
    yield tempfile.gettempdir(), TEMPORARY
