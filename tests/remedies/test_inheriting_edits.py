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


HELD = """
class Controller:
    def __init__(self):
        self.pair = socket.socketpair()
    def stop(self):
        self.pair[0].close()

class Base(Env):
    controller = None
    def reset(self):
        {condition}
            self.controller = Controller()
        return 0
    def close(self):
        {closing}

class Arm(Base):
    def close(self): self.closed = True
"""


@pytest.mark.parametrize("condition", ["if self.controller is None:", "if True:"])
def test_hidden_close_that_ends_what_a_base_class_holds_is_called(condition: str) -> None:
    where = source(HELD.format(condition=condition, closing="self.controller.stop()"))
    aim = Release("descriptor", (frame(where, "socketpair"),))
    first, *others = texts(aim, where)
    assert first.endswith("def close(self):\n        self.closed = True\n        super().close()\n")
    # There is no old one below "is None": nothing ends it before the next one.
    ends_old = any("is not None:\n                self.controller.stop" in text for text in others)
    assert ends_old is (condition == "if True:")


def test_hidden_close_that_ends_something_else_is_not_called() -> None:
    where = source(HELD.format(condition="if True:", closing="self.log.close()"))
    aim = Release("descriptor", (frame(where, "socketpair"),))
    assert not any("super().close()" in text for text in texts(aim, where))


@pytest.mark.parametrize(
    ("test", "ends_old"),
    [
        *[("self.log is None", False), ("not self.log and self.on", False), ("self.on", True)],
        *[('getattr(self, "log", None) is None', False), ("self.log is None or self.on", True)],
    ],
)
def test_nothing_is_ended_where_there_is_nothing(test: str, ends_old: bool) -> None:
    taking = f"if {test}:\n            self.log = open(PATH)"
    where = source(LOGGING.format(taking=taking, closing="pass", own="pass"))
    every = texts(Release("descriptor", (frame(where, "open("),)), where)
    assert (
        any("self.log.close()\n            self.log = open" in text for text in every) is ends_old
    )


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
