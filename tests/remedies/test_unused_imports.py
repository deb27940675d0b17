"""Imports that an edit leaves without a use go with it, and no others: the text after the edit."""

from __future__ import annotations

import pytest

from envdoctor.model.remedy import INSTEAD, TOP, Edit
from envdoctor.remedies.applying import changed, changes
from envdoctor.remedies.source import File, Source

FILE, OTHER = "/own/arm.py", "/own/leg.py"
LINE = "os._exit(0)"


def without_line(head: str, rest: str = "", other: str = "", path: str = FILE) -> str:
    """The head of a file, without its line that ends the process."""
    file = File(path, f"{head}\n\ndef close():\n    {LINE}\n{rest}")
    number = file.lines.index(f"    {LINE}") + 1
    files = {path: file, OTHER: File(OTHER, other)}
    edits = [Edit(path, INSTEAD, ("pass",), line=number)]
    text = changed(file, changes(edits, Source(files, "", path)))
    return text.partition("def close")[0].removesuffix("\n\n")


@pytest.mark.parametrize(
    ("head", "after"),
    [
        ("import os\nimport sys\n", "import sys\n"),
        ("import sys\nimport os\n", "import sys\n"),
        ("import os, sys\n", "import sys\n"),
        ('"""Arms."""\n\nimport os\n\nimport numpy\n', '"""Arms."""\n\nimport numpy\n'),
        ("import os\n\nimport numpy\n", "import numpy\n"),
        ("import os\n", ""),
        (
            "import os\nfrom own import (\n    os as fake,\n)\n",
            "from own import (\n    os as fake,\n)\n",
        ),
    ],
)
def test_import_goes_with_its_last_use(head: str, after: str) -> None:
    rest = "print(sys.argv)\n" if "sys" in head else ""
    assert without_line(head, rest) == after


@pytest.mark.parametrize(
    ("head", "rest"),
    [
        ("import os\n", "print(os.getcwd())\n"),
        ("import os\n", "__all__ = ['os']\n"),
        ("import os  # for scripts\n", ""),
        ("import os\nimport sys\n", "print(sys.argv)\nprint(os)\n"),
        ("try:\n    import os\nexcept ImportError:\n    pass\n", ""),
        ("import os.path\n", ""),
        ("from . import os\n", ""),
        ("import own as os\n", ""),
    ],
    ids=["used", "named", "comment", "others", "condition", "part", "relative", "own"],
)
def test_import_that_may_have_a_use_stays(head: str, rest: str) -> None:
    assert without_line(head, rest) == head


def test_import_that_was_unused_before_stays() -> None:
    assert without_line("import os\nimport json\n") == "import json\n"


def test_import_that_another_file_takes_stays() -> None:
    assert without_line("import os\n", other="from arm import os\n") == "import os\n"
    assert without_line("import os\n", other="from leg import os\n") == ""
    assert without_line("import os\n", path="/own/__init__.py") == "import os\n"


def test_import_that_an_edit_replaces_is_changed_once() -> None:
    file = File(FILE, "import os\nimport sim\n\nos._exit(0)\n")
    edits = [
        Edit(FILE, INSTEAD, ("import atexit",), line=1),
        Edit(FILE, INSTEAD, ("atexit.register(sim.end)",), line=4),
    ]
    made = changes(edits, Source({FILE: file}, "", FILE))
    assert changed(file, made) == "import atexit\nimport sim\n\natexit.register(sim.end)\n"


def test_name_of_several_goes_alone_beside_an_import_that_is_added() -> None:
    text = "from os import _exit, getcwd\n\nprint(getcwd())\n_exit(0)\n"
    file = File(FILE, text)
    edits = [
        Edit(FILE, INSTEAD, ("atexit.register(print)",), line=4),
        Edit(FILE, TOP, ("import atexit",)),
    ]
    after = changed(file, changes(edits, Source({FILE: file}, "", FILE)))
    assert after == (
        "import atexit\nfrom os import getcwd\n\nprint(getcwd())\natexit.register(print)\n"
    )
    only = File(FILE, "import os\n\nos._exit(0)\n")
    edits = [
        Edit(FILE, INSTEAD, ("atexit.register(print)",), line=3),
        Edit(FILE, TOP, ("import atexit",)),
    ]
    after = changed(only, changes(edits, Source({FILE: only}, "", FILE)))
    assert after == "import atexit\n\natexit.register(print)\n"


@pytest.mark.parametrize(
    ("head", "after"),
    [
        ("import abc\nimport sys\n", "import abc\nimport os\nimport sys\n"),
        ("import abc\n\nimport numpy\n", "import abc\nimport os\n\nimport numpy\n"),
        ("from sys import argv\n", "import os\nfrom sys import argv\n"),
        ("import numpy\n", "import os\n\nimport numpy\n"),
        ("import sim\nimport abc\n", "import sim\nimport abc\nimport os\n"),
        (
            "from __future__ import annotations\n\nimport sim\n",
            "from __future__ import annotations\n\nimport os\n\nimport sim\n",
        ),
        ('"""Arms."""\n', '"""Arms."""\n\nimport os\n'),
        ("", "import os\n"),
    ],
)
def test_import_is_added_to_those_of_the_standard_library(head: str, after: str) -> None:
    file = File(FILE, f"{head}print(1)\n")
    edits = [Edit(FILE, TOP, ("import os",))]
    assert changed(file, changes(edits, Source({FILE: file}, "", FILE))) == f"{after}print(1)\n"


def test_imports_of_several_edits_are_in_their_order() -> None:
    file = File(FILE, "import sim\n")
    edits = [Edit(FILE, TOP, (f"import {name}",)) for name in ("os", "atexit", "os")]
    text = changed(file, changes(edits, Source({FILE: file}, "", FILE)))
    assert text == "import atexit\nimport os\n\nimport sim\n"
