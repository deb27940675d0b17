"""Saved runs without what only one machine has."""

from __future__ import annotations

import json
from typing import Any

from envdoctor.saved import lines_v1 as lines
from tests.recorded.portable import CHECKOUT, ROOT, places, portable

HEADER = {
    lines.MARK: 1,
    "command": ["envdoctor", "check", "x.py:X", "--save", "/tmp/r.jsonl", "--python", "p"],
    "platform": {"system": "Linux", "release": "6.18-of-this-machine"},
}


def values(text: str) -> list[dict[str, Any]]:
    return [lines.decode(line) for line in text.splitlines()]


def made_portable(*written: dict[str, Any]) -> list[dict[str, Any]]:
    return values(portable("".join(f"{lines.encode(line)}\n" for line in written)))


def test_header_names_neither_the_file_nor_the_kernel() -> None:
    (header,) = made_portable(HEADER)
    assert header["command"] == ["envdoctor", "check", "x.py:X", "--python", "p"]
    assert header["platform"] == {"system": "Linux", "release": "6.1"}


def test_paths_become_placeholders_and_checksums_fit() -> None:
    (line,) = made_portable({"file": f"{ROOT}/tests/envs/plain.py", "other": f"{ROOT}-2/x"})
    assert line["file"] == f"{CHECKOUT}/tests/envs/plain.py"
    assert str(ROOT) in dict(places())


def test_drawn_names_are_numbered_in_order_wherever_they_are() -> None:
    first, second, third = made_portable(
        {"a": "/tmp/envdoctor-0aeaf6b1/sk2j_d8fz/tmp/level-ab3d_f9h.bin"},
        {"b": "$TMPDIR/level-ab3d_f9h.bin", "files": {"level-ab3d_f9h.bin": "12 bytes"}},
        {"files": {"level-zb3d_f9h/level.txt": "5 bytes"}},
    )
    assert first["a"] == "/tmp/envdoctor-00000000/s00000001/tmp/level-00000002.bin"
    assert list(third["files"]) == ["level-00000003/level.txt"]
    assert (second["b"], list(second["files"])) == (
        "$TMPDIR/level-00000002.bin",
        ["level-00000002.bin"],
    )


def test_words_and_keys_are_not_mistaken_for_drawn_names() -> None:
    line = {"start_method": "fork", "file": "/lib/python3_11/threading.py", "n": "tmp_of_a_user"}
    (read,) = made_portable(line)
    assert {key: value for key, value in read.items() if key != "crc"} == line


def test_portable_text_stays_as_it_is() -> None:
    text = portable(lines.encode({"a": f"{ROOT}/x", "b": "/tmp/tmpab3d_f9h"}) + "\n")
    assert portable(text) == text
    assert json.loads(text.splitlines()[0])["b"] == "/tmp/tmp00000000"
