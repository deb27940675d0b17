"""Exceptions as values."""

from __future__ import annotations

import importlib.util
import linecache
from collections.abc import Callable
from pathlib import Path

import pytest

from envdoctor.model.errors import ErrorValue
from envdoctor.probe.errors import error_value
from envdoctor.rules.engine.examples import direct_view
from envdoctor.rules.registration.reg002_import_fails import cure
from tests.probe.test_travelling import OWN


@pytest.mark.parametrize("text", ["x = 1\nx = (\n", "x = 1\n  y = 2\n"])
def test_a_line_that_cannot_be_parsed_is_where_it_is(text: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        compile(text, "/home/ana/lab/arm.py", "exec")
    error = error_value(caught.value, OWN)
    frame = ErrorValue.decode(error).user_frame
    assert frame is not None
    assert (frame.file, frame.line, frame.function) == ("/home/ana/lab/arm.py", 2, "")
    text, _ = cure(direct_view(), ErrorValue.decode(error))
    assert text == (
        "repair that line; where a newer Python knows what it says, name one with --python."
    )


def raising() -> None:
    raise RuntimeError("no")


def early() -> None:
    raising()
    OPEN.clear()


def late() -> None:
    OPEN.clear()
    if not OPEN:
        raising()


def looping() -> None:
    for _ in range(2):
        raising()


OPEN: list[object] = []


@pytest.mark.parametrize(("close", "last"), [(early, False), (late, True), (looping, False)])
def test_error_knows_if_it_was_raised_by_the_last_line(
    close: Callable[[], None], last: bool
) -> None:
    with pytest.raises(RuntimeError) as caught:
        close()
    told = caught.value
    assert told.__traceback__ is not None
    told.__traceback__ = told.__traceback__.tb_next  # without this test's own frame
    assert error_value(told, OWN)["last"] is last


def test_a_file_alone_is_in_no_package() -> None:
    error = {
        "type": "builtins.ImportError",
        "message": "attempted relative import with no known parent package",
        "frames": [],
    }
    text, _ = cure(direct_view(), ErrorValue.decode(error))
    assert text.startswith("a file alone is in no package: name it as package.module:Name")


def test_the_lines_of_a_file_that_raised_are_not_kept(tmp_path: Path) -> None:
    """Each is an object, and the meters count them."""
    file = tmp_path / "arm.py"
    file.write_text("def reset():\n    raise ValueError('no level 90')\n")
    spec = importlib.util.spec_from_file_location("arm", file)
    assert spec is not None
    assert spec.loader is not None
    arm = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(arm)
    known = set(linecache.cache)
    with pytest.raises(ValueError, match="no level 90") as raised:
        arm.reset()
    value = error_value(raised.value, OWN)
    assert value["frames"][-1]["text"] == "raise ValueError('no level 90')"
    assert set(linecache.cache) == known
