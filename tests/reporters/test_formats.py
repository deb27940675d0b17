"""The list of formats."""

from __future__ import annotations

import subprocess
import sys

import pytest

from envdoctor.reporters import formats, reporter
from tests.reporters.reports import healthy


def test_every_format_renders_with_the_same_options() -> None:
    assert formats()[0] == "terminal"
    assert "json" in formats()
    for name in formats():
        assert reporter(name)(
            healthy, width=80, colour=False, unicode=True, verbosity=0, directory="/x"
        ).endswith("\n")


def test_an_unknown_format_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        reporter("yaml")


def test_json_comes_without_rich() -> None:
    code = (
        "import sys; from envdoctor.reporters import reporter; reporter('json'); sys.exit('rich' in"
        " sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=600).returncode == 0
