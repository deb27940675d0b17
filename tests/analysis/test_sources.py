"""Undefined names, by small texts."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from envdoctor.analysis.undefined_names import UndefinedNames, undefined
from envdoctor.model.facts import Sources

KNOWN = {"known", "print", "range", "NameError"}


def names(text: str) -> list[str]:
    return [
        f"{one.name}:{one.line} {one.function}" for one in undefined("env.py", dedent(text), KNOWN)
    ]


def test_a_name_that_is_never_defined() -> None:
    text = """\
    class Env:
        def close(self):
            return [gc.collect() for _ in range(2)]
    """
    assert names(text) == ["gc:3 Env.close"]


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return known",
        (
            "def f():\n    for n in range(2):\n        if n:\n            print(last)\n       "
            " last = n"
        ),
        "def f():\n    try:\n        return missing\n    except NameError:\n        return None",
        (
            "def f():\n    try:\n        return missing\n    except (KeyError, Exception):\n       "
            " return None"
        ),
        "import contextlib\ndef f():\n    with contextlib.suppress(NameError):\n        missing",
        "from elsewhere import *\ndef f():\n    return missing",
        "def f():\n    globals()['missing'] = 1\n    return missing",
        "def f():\n    exec('missing = 1')\n    return missing",
        "def f():\n    global missing\n    missing = 1\ndef g():\n    return missing",
        (
            "from __future__ import annotations\ndef f(x: Missing) -> Other:\n    y: Another = 1\n "
            "   return y"
        ),
        "def f(x: 'Missing'):\n    return x",
        "def f():\n    del here",
        "def f():\n    return __file__, __name__, __spec__",
        "class A:\n    def f(self):\n        return __class__",
        "import sys\ndef f():\n    return unicode if sys.version_info[0] < 3 else print",
        "if known:\n    missing",
    ],
)
def test_defined_and_guarded_names_are_not_reported(text: str) -> None:
    assert names(text) == []


def test_the_cure_is_an_import_or_a_known_name() -> None:
    found = undefined("env.py", "def f():\n    return gc, np, knwon, quux", KNOWN)
    assert [(one.name, one.cure, one.nearest) for one in found] == [
        ("gc", "import gc", ""),
        ("np", "import numpy as np", ""),
        ("knwon", "", "known"),
        ("quux", "", ""),
    ]


def test_newer_syntax_is_a_reason(tmp_path: Path) -> None:
    file = tmp_path / "newer.py"
    file.write_text("def f():\n    select x from y\n")
    files = Sources.decode({"modules": [{"file": str(file), "names": []}]})
    told = UndefinedNames(files).knowledge()
    assert list(told) == ["unjudged"]
    assert "newer.py cannot be read as Python" in told["unjudged"]["source"]


def test_no_source_is_a_reason() -> None:
    assert "no source" in UndefinedNames(Sources()).knowledge()["unjudged"]["source"]


def test_search_is_over_once_its_result_is_known() -> None:
    search = UndefinedNames({})
    search.knowledge()
    assert search.is_over
