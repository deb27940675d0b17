"""Handlers that constructors add to a logger are taken out in close(): the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import Clear, Release, TakeLater
from envdoctor.model.errors import Frame
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import FILE, applied, frame, source

GROWS = Clear("logging.getLogger('arm').handlers")
ARM = """\
    import logging

    LOG = logging.getLogger(__name__)

    class Arm(Base):
        def __init__(self, name):
            self.log = logging.getLogger("arm")
            log = logging.getLogger("arm")
            named = logging.getLogger(name)
            %s

        def close(self):
            pass
"""


@pytest.mark.parametrize(
    ("adds", "keeps", "logger"),
    [
        (
            "h = logging.FileHandler(name); self.log.addHandler(h)",
            "h = self._handler = logging.FileHandler(name)",
            "self.log",
        ),
        (
            "h = logging.StreamHandler(); log.addHandler(h)",
            "h = self._handler = logging.StreamHandler()",
            'logging.getLogger("arm")',
        ),
        (
            "LOG.addHandler(logging.StreamHandler())",
            "self._handler = logging.StreamHandler()\n        LOG.addHandler(self._handler)",
            "LOG",
        ),
    ],
)
def test_handler_is_kept_and_taken_out(adds: str, keeps: str, logger: str) -> None:
    text = applied(GROWS, source(ARM % adds.replace("; ", "\n            ")))
    assert f"        {keeps}\n" in text
    lines = (f"{logger}.removeHandler(self._handler)", "self._handler.close()")
    assert "    def close(self):\n        " + "\n        ".join(lines) + "\n" in text


def test_handler_of_a_logger_that_a_module_keeps_is_taken_out() -> None:
    where = source(ARM % "LOG.addHandler(logging.StreamHandler())")
    assert "LOG.removeHandler(self._handler)" in applied(Clear("arm.LOG.handlers"), where)
    assert not any("remove" in str(edits) for edits in candidates(Clear("arm.LOG.lines"), where))


@pytest.mark.parametrize(
    "adds",
    [
        "h = logging.StreamHandler(); named.addHandler(h)",  # which logger is not written there
        "log.addHandler(name)",  # another's handler
        "h = logging.StreamHandler(); h = wrapped(h); log.addHandler(h)",
        "log.setLevel(10)",
    ],
)
def test_nothing_is_guessed(adds: str) -> None:
    sick = source(ARM % adds.replace("; ", "\n            "))
    assert not any("removeHandler" in str(each) for each in candidates(GROWS, sick))


def test_file_of_a_handler_is_closed_with_it() -> None:
    sick = source(
        ARM
        % 'h = logging.FileHandler("arm.log"); log.addHandler(h)'.replace("; ", "\n            ")
    )
    text = applied(Release("descriptor", (Frame(FILE, 10),)), sick)
    assert "        self._handler.close()\n" in text


OPENS = """\
    import logging
    import logging.handlers

    class Arm(Base):
        def __init__(self, path):
            self.name = "arm"
            self.handler = {made}
"""


@pytest.mark.parametrize("place", ["self.handler", ""])
@pytest.mark.parametrize(
    ("made", "after"),
    [
        ("logging.FileHandler(path)", "logging.FileHandler(path, delay=True)"),
        (
            "logging.handlers.RotatingFileHandler(path, maxBytes=9)",
            "logging.handlers.RotatingFileHandler(path, maxBytes=9, delay=True)",
        ),
    ],
)
def test_file_of_a_log_is_opened_when_something_is_written(
    place: str, made: str, after: str
) -> None:
    where = source(OPENS.format(made=made))
    aim = TakeLater((frame(where, place),) if place else ())
    assert f"self.handler = {after}\n" in applied(aim, where)


@pytest.mark.parametrize(
    "made",
    [
        "logging.FileHandler(path, delay=True)",
        'logging.FileHandler(path, "w", None, True)',
        "logging.StreamHandler()",
        "FileHandler(path)",
    ],
)
def test_handler_that_opens_nothing_is_left(made: str) -> None:
    assert not [*candidates(TakeLater(()), source(OPENS.format(made=made)))]
