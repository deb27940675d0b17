"""What keeps an instance lets go of it: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import Forget
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, source

AT_EXIT = source("""\
    import atexit

    class Arm(Base):
        def __init__(self):
            atexit.register(self.stop)

        def stop(self):
            self.motor.stop()

        def close(self):
            self.stop()
""")

CACHED = """\
    import functools

    class Arm(Base):
        def __init__(self):
            self.scale = 2

        @functools.lru_cache(maxsize=None)
        def table(self, number):
            return [%s] * number
"""


def test_callback_is_taken_back_in_close() -> None:
    text = applied(Forget("atexit.register(arm.Arm.stop).__self__"), AT_EXIT)
    assert (
        "    def close(self):\n        atexit.unregister(self.stop)\n        self.stop()\n" in text
    )


def test_method_that_needs_no_instance_is_static() -> None:
    text = applied(Forget("arm.Arm.table.<lru_cache>.<key>[0]"), source(CACHED % "0"))
    assert (
        "    @staticmethod\n    @functools.lru_cache(maxsize=None)\n    def table(number):\n"
        in text
    )


def test_instance_has_a_cache_of_its_own_until_it_is_closed() -> None:
    text = applied(Forget("arm.Arm.table.<lru_cache>.<key>[0]"), source(CACHED % "self.scale"))
    assert "\n    def table(self, number):\n" in text
    assert (
        "        self.scale = 2\n        self.table = functools.lru_cache(maxsize=None)(self.table)\n"
        in text
    )
    assert "    def close(self):\n        super().close()\n        self.table = None\n" in text


@pytest.mark.parametrize(
    "chain",
    [
        "atexit.register(arm.clean)",  # a function of the module
        "atexit.register(arm.Arm.__init__.<locals>.<lambda>).__closure__[0].cell_contents",
        "arm.Arm.other.<lru_cache>.<key>[0]",
        "arm.table.<lru_cache>.<key>[0]",
    ],
)
def test_nothing_is_guessed(chain: str) -> None:
    text = (CACHED % "0").replace("@functools", "@another\n        @functools")
    assert not list(candidates(Forget(chain), source(text)))
