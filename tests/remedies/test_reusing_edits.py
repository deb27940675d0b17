"""Instances reset what they hold, and keep what is their own: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    CloseReplaced,
    MakeEach,
    MakeOwn,
    OwnCounters,
    ReuseInner,
    SharedPlace,
    TakeLater,
)
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import applied, frame, source

LEVELS = """\
    class Plain(Env):
        def reset(self, *, seed=None): ...
        def step(self, action): ...


    class Arm(Wrapper):
        def __init__(self):
            super().__init__(Plain(3))

        def reset(self, *, seed=None):
            level = Plain({size})
            self.env.close()
            self.env = level
            return level.reset(seed=seed)
"""


def test_wrapper_resets_what_it_holds() -> None:
    text = applied(ReuseInner(), source(LEVELS.format(size="self.size")))
    assert "        level = self.env\n        return level.reset(seed=seed)\n" in text


def test_wrapper_that_chooses_a_level_makes_it() -> None:
    where = source(LEVELS.format(size="seed"))
    assert not list(candidates(ReuseInner(), where))


def test_wrapper_whose_level_changes_makes_it() -> None:
    text = LEVELS.format(size="self.size").replace(
        "            level =", "            self.size += 1\n            level ="
    )
    assert not list(candidates(ReuseInner(), source(text)))


def test_replaced_environment_is_closed_first() -> None:
    where = source(LEVELS.format(size="seed").replace("            self.env.close()\n", ""))
    text = applied(CloseReplaced(), where)
    assert "        self.env.close()\n        self.env = level\n" in text


FACTORY = """\
    from plain import Plain

    SHARED = Plain(3)
    {other}

    def make():
        return SHARED
"""


@pytest.mark.parametrize(("other", "is_left"), [("", False), ("print(SHARED)", True)])
def test_factory_makes_in_each_call(other: str, is_left: bool) -> None:
    where = source(FACTORY.format(other=other))
    text = applied(MakeEach(frame(where, "def make")), where)
    assert "    return Plain(3)\n" in text
    assert ("SHARED = Plain(3)" in text) == is_left


def test_factory_of_a_variable_that_is_set_twice_stays() -> None:
    where = source(FACTORY.format(other="SHARED = Plain(4)"))
    assert not list(candidates(MakeEach(frame(where, "def make")), where))


def test_counter_of_the_class_becomes_one_of_the_instance() -> None:
    where = source("""\
        class Arm(Env):
            steps = 0
            limit = 9

            def step(self, action):
                Arm.steps += 1
                return Arm.limit

            @classmethod
            def all(cls):
                Arm.steps = 0
    """)
    text = applied(OwnCounters(), where)
    assert "        self.steps += 1\n        return Arm.limit\n" in text
    assert "        self.steps = 0\n        super().__init__(*args, **kwargs)\n" in text
    assert "        Arm.steps = 0\n" in text


def test_number_of_the_instances_stays_with_the_class() -> None:
    where = source("""\
        class Arm(Env):
            made = 0

            def __init__(self):
                Arm.made += 1
                self.name = f"arm-{Arm.made}"

            def reset(self, *, seed=None):
                Arm.made = 0
    """)
    assert not list(candidates(OwnCounters(), where))


NAMES = """\
    import os

    NAME = {made}


    class Arm(Env):
        def reset(self, *, seed=None):
            self.file = open(NAME, "w")
    {other}
"""


MADE = 'f"/tmp/arm-{os.getpid()}"'


def named(made: str, other: str = "") -> Source:
    return source(NAMES.format(made=made, other=other))


def test_file_of_the_process_becomes_one_of_each_instance() -> None:
    text = applied(OwnCounters(), named(MADE))
    assert 'open(f"{NAME}-{os.getpid()}-{id(self)}", "w")' in text


@pytest.mark.parametrize(
    ("made", "other"), [("os.getpid()", ""), ('"/tmp/arm"', ""), (MADE, "print(NAME)")]
)
def test_other_names_of_a_module_stay(made: str, other: str) -> None:
    assert not list(candidates(OwnCounters(), named(made, other)))


TOOLKIT = """\
    TOOLKIT = Toolkit()


    class Arm(Env):
        def reset(self, *, seed=None):
            {start}

        def close(self):
            if self.window:
                TOOLKIT.quit()
"""
PLACE = MakeOwn((SharedPlace("module", "arm.TOOLKIT"),))


def test_last_user_quits_what_a_module_keeps() -> None:
    text = applied(PLACE, source(TOOLKIT.format(start="TOOLKIT.init()")))
    assert text.startswith("import weakref\n")
    assert "TOOLKIT_USERS = weakref.WeakSet()  # open instances\n\n\nclass Arm" in text
    assert "        TOOLKIT.init()\n        TOOLKIT_USERS.add(self)\n" in text
    assert (
        "            TOOLKIT_USERS.discard(self)\n"
        "            if not TOOLKIT_USERS:\n"
        "                TOOLKIT.quit()\n" in text
    )


def test_toolkit_that_nothing_starts_gets_no_code() -> None:
    where = source(TOOLKIT.format(start="TOOLKIT.draw()"))
    assert not list(candidates(PLACE, where))


CLIENT = """\
    def connect(): ...
    def disconnect({argument}): ...


    class Arm(Env):
        def __init__(self):
            self.client = {made}

        def close(self):
            disconnect()
"""


def client(argument: str = "client=0", made: str = "connect()") -> Source:
    return source(CLIENT.format(argument=argument, made=made))


def test_instance_gives_back_its_own_handle() -> None:
    assert "        disconnect(self.client)\n" in applied(PLACE, client())


@pytest.mark.parametrize(
    "where", [client(argument=""), client(argument="other=0"), client(made="open()")]
)
def test_call_that_takes_no_such_handle_stays(where: Source) -> None:
    assert not list(candidates(PLACE, where))


CONSTRUCTOR = """\
    class Arm(Env):
        def __init__(self):
            super().__init__()
            self.connect({argument})

        def reset(self, *, seed=None):
            self.connect()
"""


def test_constructor_leaves_to_reset_what_that_does_too() -> None:
    text = applied(TakeLater(()), source(CONSTRUCTOR.format(argument="")))
    assert text.count("self.connect()") == 1
    assert "super().__init__()\n\n" in text


def test_other_call_of_the_constructor_stays() -> None:
    where = source(CONSTRUCTOR.format(argument="3"))
    assert not list(candidates(TakeLater(()), where))
