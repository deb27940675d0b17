"""A fix as bytes: encodings and line ends are kept, and git applies what is shown."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from envdoctor.analysis.undefined_names import text_of
from envdoctor.model.remedy import Change
from envdoctor.remedies.applying import NoPlaceError, changed, merged
from envdoctor.remedies.patching import digest, patched, unified
from envdoctor.remedies.source import File

TEXT = "class Arm:\n    def close(self):\n        self.log.close()\n"
CHANGES = (
    Change("arm.py", 3, 0, ("        # first",), "Arm.close()"),
    Change("arm.py", 3, 1, ("        if self.log:", "            self.log.close()"), "Arm.close()"),
    Change("arm.py", 4, 0, ("        self.log = None",), "Arm.close()"),
)
AFTER = (
    "class Arm:\n    def close(self):\n        # first\n        if self.log:\n"
    "            self.log.close()\n        self.log = None\n"
)
FILES = {"arm.py": File("arm.py", TEXT)}


def tried(data: bytes, changes: tuple[Change, ...] = CHANGES) -> str:
    """The digest of the text that a trial plays in the place of these bytes."""
    return digest(changed(File("arm.py", text_of(data)), changes).encode())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT.encode(), AFTER.encode()),
        (TEXT.replace("\n", "\r\n").encode(), AFTER.replace("\n", "\r\n").encode()),
        (TEXT.replace("\n", "\r").encode(), AFTER.replace("\n", "\r").encode()),
        (b"\xef\xbb\xbf" + TEXT.encode(), b"\xef\xbb\xbf" + AFTER.encode()),
        (TEXT.removesuffix("\n").encode(), AFTER.encode()),
    ],
    ids=["lf", "crlf", "cr", "bom", "no-last-line-feed"],
)
def test_line_ends_and_marks_are_kept(before: bytes, after: bytes) -> None:
    assert patched(before, CHANGES, tried(before)) == after


def test_encoding_of_the_file_is_kept() -> None:
    before = ("# -*- coding: latin-1 -*-\n# Größe\n" + TEXT).encode("latin-1")
    changes = tuple(Change(each.file, each.line + 2, each.deleted, each.lines) for each in CHANGES)
    after = patched(before, changes, tried(before, changes))
    assert after.decode("latin-1") == "# -*- coding: latin-1 -*-\n# Größe\n" + AFTER


def test_each_line_has_the_end_of_the_one_before_it() -> None:
    before = b"class Arm:\r\n    def close(self):\n        self.log.close()\r\nX = 1\n"
    assert patched(before, CHANGES, tried(before)) == (
        b"class Arm:\r\n    def close(self):\n        # first\n        if self.log:\n"
        b"            self.log.close()\n        self.log = None\r\nX = 1\n"
    )


def test_form_feed_ends_no_line() -> None:
    before = TEXT.replace("class", "\x0cclass").encode()
    assert patched(before, CHANGES, tried(before)) == AFTER.replace("class", "\x0cclass").encode()


def test_text_that_was_not_tried_is_refused() -> None:
    with pytest.raises(NoPlaceError, match="not be the text that was tried"):
        patched(TEXT.encode(), CHANGES[:1], tried(TEXT.encode()))


def test_character_that_the_encoding_lacks_is_refused() -> None:
    before = ("# coding: ascii\n" + TEXT).encode()
    change = (Change("arm.py", 2, 0, ("# Größe",)),)
    with pytest.raises(NoPlaceError, match="cannot be written in its encoding"):
        patched(before, change, tried(before, change))


def test_last_line_without_an_end_keeps_none_where_it_is_replaced() -> None:
    before = b"a = 1\nb = 2"
    change = (Change("arm.py", 2, 1, ("b = 3",)),)
    assert patched(before, change, tried(before, change)) == b"a = 1\nb = 3"


@pytest.mark.parametrize("name", ["arm.py", "my arm.py", 'an "arm".py', "bras-é.py", "deep/arm.py"])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT.encode(), AFTER.encode()),
        (TEXT.removesuffix("\n").encode(), AFTER.encode()),
        (TEXT.encode(), AFTER.removesuffix("\n").encode()),
        (TEXT.replace("\n", "\r\n").encode(), AFTER.replace("\n", "\r\n").encode()),
        (("# ü\n" + TEXT).encode("latin-1"), ("# ü\n" + AFTER).encode("latin-1")),
    ],
    ids=["lf", "gets-an-end", "loses-its-end", "crlf", "latin-1"],
)
def test_git_applies_what_is_shown(name: str, before: bytes, after: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn"],
        cwd=tmp_path,
        input=unified(before, after, name),
        check=True,
        timeout=60,
    )
    assert path.read_bytes() == after


def test_equal_files_have_no_difference() -> None:
    assert unified(b"a\n", b"a\n", "arm.py") == b""


def test_lines_before_a_replaced_line_stand_before_it() -> None:
    for order in (CHANGES, CHANGES[::-1]):
        assert changed(File("arm.py", TEXT), merged(order, FILES)) == AFTER


def test_lines_that_stand_in_a_place_are_not_put_there_again() -> None:
    first = Change("arm.py", 1, 0, ("import os", "import time"))
    assert merged([first, Change("arm.py", 1, 0, ("import time",))], FILES) == (first,)


@pytest.mark.parametrize(
    "other",
    [Change("arm.py", 3, 1, ("pass",), "Arm.close()"), Change("arm.py", 2, 2, ("pass",))],
)
def test_two_replacements_of_one_line_are_refused(other: Change) -> None:
    with pytest.raises(NoPlaceError, match="two changes of one line"):
        merged([CHANGES[1], other], FILES)


def test_equal_replacements_are_one() -> None:
    assert merged([CHANGES[1], CHANGES[1]], FILES) == (CHANGES[1],)
    removed = Change("arm.py", 1, 1, ())
    assert merged([removed, removed], FILES) == (removed,), "two findings remove one line"


@pytest.mark.parametrize("statement", ["pass", "..."])
def test_several_changes_fill_a_method_that_does_nothing(statement: str) -> None:
    text = f"class Arm:\n    def close(self):\n        {statement}\n"
    first, second = (
        Change("arm.py", 3, 1, (f"        self.{name}.close()",), "Arm.close()")
        for name in ("log", "db")
    )
    file = File("arm.py", text)
    assert changed(file, merged([first, second, first], {"arm.py": file})) == (
        "class Arm:\n    def close(self):\n        self.log.close()\n        self.db.close()\n"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("arm.py", b"a/arm.py"),
        ("my arm.py", b"a/my arm.py\t"),
        ('an "arm".py', b'"a/an \\"arm\\".py"'),
    ],
)
def test_names_are_written_as_git_writes_them(name: str, shown: bytes) -> None:
    first, _, _ = unified(b"a\n", b"b\n", name).partition(b"\n")
    assert first == b"--- " + shown


def test_last_line_without_an_end_is_marked() -> None:
    assert unified(b"a", b"b\n", "arm.py").splitlines()[3:] == [
        b"-a",
        b"\\ No newline at end of file",
        b"+b",
    ]
