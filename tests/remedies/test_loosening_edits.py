"""Reference cycles are cut, and registries hold weakly: the text after the edits, and look-alikes."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import BreakCycle, Clear
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import applied, frame, source


def wrapper(line: str) -> Source:
    return source(f"""
        class Arm:
            def step(self, action):
                info = self.look()
                {line}
                return info
        """)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('info["last"] = info', 'info["last"] = dict(info)'),
        ('info["last"] = self.final(info)', 'info["last"] = self.final(dict(info))'),
    ],
)
def test_dict_holds_a_copy_of_itself(line: str, text: str) -> None:
    where = wrapper(line)
    assert text in applied(BreakCycle(frame(where, line)), where)


@pytest.mark.parametrize(
    "line", ['info["last"] = info["first"]', 'info["last"] = 1', "last = info"]
)
def test_dict_without_itself_is_left(line: str) -> None:
    where = wrapper(line)
    assert not list(candidates(BreakCycle(frame(where, line)), where))


def frames(use: str = "pass") -> Source:
    return source(f"""
        import gc

        class Frame:
            def __init__(self, before):
                self.before = before
                self.after = None

        class Arm:
            def step(self, action):
                gc.collect()
                self.frame.after = Frame(self.frame)
                {use}
        """)


def test_reference_that_nothing_reads_becomes_weak() -> None:
    where = frames()
    text = applied(BreakCycle(frame(where, "self.after = None")), where)
    assert "        self._before = None if before is None else weakref.ref(before)\n" in text
    assert "    @property\n    def before(self):\n" in text


def test_reference_is_looked_for_by_the_chain_where_no_line_is_known() -> None:
    text = applied(BreakCycle(chain="arm.Frame.after.before"), frames())
    assert "        self._before = None if before is None else weakref.ref(before)\n" in text


def test_collection_goes_with_the_cycle() -> None:
    where = frames()
    aim = BreakCycle(chain="arm.Frame.after.before", removes=(frame(where, "gc.collect()"),))
    text = applied(aim, where)
    assert "weakref.ref(before)" in text
    assert "gc.collect()" not in text


@pytest.mark.parametrize("use", ["old = self.frame.before", "self.frame.before = None"])
def test_reference_that_is_read_or_set_elsewhere_is_left(use: str) -> None:
    where = frames(use)
    assert not list(candidates(BreakCycle(frame(where, "self.after = None")), where))


def registry(made: str, entered: str) -> Source:
    return source(f"""
        OBJECTS = {made}

        class Order:
            def __init__(self):
                OBJECTS[self.id] = {entered}

        class Arm:
            pass
        """)


@pytest.mark.parametrize("made", ["{}", "dict()"])
def test_registry_of_objects_that_enter_themselves_is_weak(made: str) -> None:
    text = applied(Clear("arm.OBJECTS"), registry(made, "self"))
    assert "OBJECTS = weakref.WeakValueDictionary()\n" in text


@pytest.mark.parametrize(
    ("made", "entered"), [("{}", "make()"), ("{}", "[self]"), ("{1: 2}", "self"), ("[]", "self")]
)
def test_registry_that_owns_its_objects_is_left(made: str, entered: str) -> None:
    assert not list(candidates(Clear("arm.OBJECTS"), registry(made, entered)))


def speaker(name: str, use: str = 'self.log.info("started")') -> Source:
    return source(f"""
        import logging

        class Arm:
            def __init__(self, number):
                self.log = logging.getLogger({name})
                {use}
        """)


LOGGERS = "logging.Logger.manager.loggerDict"


def test_instances_share_a_logger() -> None:
    where = speaker('f"arm.{number}"')
    text = applied(Clear(LOGGERS), where)
    adapter = 'logging.LoggerAdapter(logging.getLogger("arm"), {"instance": number})'
    assert f"        self.log = {adapter}\n" in text


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ('f"arm.{number}"', "self.log.addHandler(handler)"),
        ('f"arm.{number}"', "other.log = self.log"),
        ('f"{number}.arm"', "pass"),
        ('f"{number}"', "pass"),
        ('"arm"', "pass"),
        ("name", "pass"),
    ],
)
def test_logger_that_is_used_for_more_is_left(name: str, use: str) -> None:
    where = speaker(name, use)
    assert not list(candidates(Clear(LOGGERS), where))
