"""A close() that hides the one of its base class, or that of what a wrapper wraps."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import PassOn, Release
from envdoctor.remedies.applying import changed, changes
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import FILE, applied, frame, source

LOGGING = """
class Base(Env):
    log = None
    def reset(self):
        {taking}
        return 0
    def close(self):
        {closing}

class Arm(Base):
    def close(self):
        {own}
"""
TAKING, CLOSING = "self.log = make_log()", "self.log.close()"


def hidden(taking: str = TAKING, closing: str = CLOSING, own: str = "end()") -> Source:
    return source(LOGGING.format(taking=taking, closing=closing, own=own))


def texts(aim: PassOn | Release, where: Source) -> list[str]:
    every = candidates(aim, where)
    return [changed(where.files[FILE], changes(edits, where)) for edits in every]


def taken(where: Source) -> Release:
    return Release("descriptor", (frame(where, "return 0"),))


def test_hidden_close_of_a_base_class_is_called() -> None:
    where = hidden()
    assert "        end()\n        super().close()\n" in applied(taken(where), where)


@pytest.mark.parametrize(
    "where",
    [
        hidden(own="super().close()"),
        hidden(closing="self.other.close()"),
        hidden(taking="make_log()"),
        source(LOGGING.partition("class Arm")[0].format(taking=TAKING, closing=CLOSING), "Base"),
    ],
    ids=["calls-it", "ends-another", "keeps-nothing", "overrides-nothing"],
)
def test_close_that_hides_nothing_of_use_is_left(where: Source) -> None:
    before = where.files[FILE].text.count("super().close()")
    assert all(text.count("super().close()") == before for text in texts(taken(where), where))


def test_wrapper_passes_on_and_what_it_wraps_gives_back() -> None:
    wrapper = "class Shell(Wrapper):\n    def close(self):\n        self.stats.close()\n"
    where = source(LOGGING.format(taking=TAKING, closing=CLOSING, own="end()") + wrapper)
    first, second = texts(PassOn("Shell", "super().close()", taken(where)), where)[:2]
    assert first.count("super().close()") == 1
    assert second.count("super().close()") == 2
    assert first.endswith("self.stats.close()\n        super().close()\n")


@pytest.mark.parametrize(
    ("line", "closing", "alone"),
    [
        ("self.log = open(PATH)", "self.log.close()", True),
        ("self.log = os.open(PATH, 0)", "os.close(self.log)", True),
        ("self.log = open(PATH)", "self._end()", True),
        ("self.log = open(PATH)", "self.log.flush()", False),
        ("self.log = open(PATH)", "pass", False),
    ],
)
def test_wrapper_passes_on_to_a_close_that_is_made_to_give_back(
    line: str, closing: str, alone: bool
) -> None:
    where = source(f"""
        class Arm(Env):
            def __init__(self):
                {line}

            def _end(self):
                self.log.close()

            def close(self):
                {closing}

        class Shell(Wrapper):
            def close(self):
                self.stats.close()
        """)
    inner = Release("descriptor", (frame(where, line),))
    first, *others = candidates(PassOn("Shell", "super().close()", inner), where)
    assert (len(first) == 1) is alone
    assert first[0].owner == "Shell"
    assert others
