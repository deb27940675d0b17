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

#: Names that are drawn at random: those of the standard library, of the doctor's folders, and of
#: files in the temporary directory.
_DRAWN = re.compile(
    r"(?:\b(?:envdoctor-|tmp|home-|company-|mended-|sem\.mp-|pymp-|listener-|psm_|mp-)"
    r"|(?<=\benvdoctor-\w{8}/s)"
    r"|(?:TMPDIR|/tmp|/shm)/[\w.-]*?(?:-|(?=[a-z0-9_]*[0-9_]))"
    r"|\"[\w.-]*?(?:-|(?=[a-z0-9_]*[0-9_]))(?=\w{8}(?:[./][\w./-]*)?\":\"\d+ bytes\"))"
    r"([a-z0-9_]{8})(?![a-z0-9_])"
)
_RELEASE = "6.1"


def portable(text: str) -> str:
    """A saved run as text, with placeholders, and checksums that fit them."""
    body = "\n".join(map(_body, text.splitlines()))
    for path, placeholder in places():
        body = body.replace(path, placeholder)
    names = {name: f"{at:08d}" for at, name in enumerate(dict.fromkeys(_drawn(body)))}
    if names:
        body = re.sub("|".join(names), lambda match: names[match[0]], body)
    return "".join(f"{lines.encode(_header(json.loads(line)))}\n" for line in body.splitlines())


def _body(text: str) -> str:
    """The JSON of a line without its checksum."""
    line = lines.decode(text)
    return json.dumps(
        {key: value for key, value in line.items() if key != "crc"}, separators=(",", ":")
    )


def _drawn(text: str) -> Iterator[str]:
    """Every name once for each place; one may lie in a folder that has another one."""
    at = 0
    while match := _DRAWN.search(text, at):
        yield match[1]
        at = match.start() + 1


def _header(line: lines.Line) -> lines.Line:
    if lines.MARK in line:
        line["command"] = without_save(line["command"])
        line["platform"]["release"] = _RELEASE
    return line


def without_save(command: list[str]) -> list[str]:
    """A command line without the file that it saves into."""
    if "--save" not in command:
        return command
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
