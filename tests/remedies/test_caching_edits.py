"""What keeps an instance lets go of it: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import Clear, Forget
from envdoctor.model.failure_aims import BoundCache
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


MODULE_CACHE = """\
    {imported}

    {decorator}
    def value(place):
        return [place] * 8

    class Arm(Env):
        def step(self, action):
            return value(action)
"""


@pytest.mark.parametrize("kind", [BoundCache, Clear])
@pytest.mark.parametrize(
    ("imported", "decorator", "bounded"),
    [
        ("import functools", "functools.lru_cache(maxsize=None)", "functools.lru_cache"),
        ("import functools", "functools.cache", "functools.lru_cache"),
        ("from functools import lru_cache", "lru_cache(None)", "lru_cache"),
        ("from functools import cache", "cache", "functools.lru_cache"),
    ],
)
def test_cache_of_a_function_gets_a_bound(
    kind: type[BoundCache | Clear], imported: str, decorator: str, bounded: str
) -> None:
    where = source(MODULE_CACHE.format(imported=imported, decorator=f"@{decorator}"))
    text = applied(kind("arm.value"), where)
    assert f"\n@{bounded}(maxsize=1024)\ndef value(place):\n" in text
    assert "import functools\n" in text or "import lru_cache\n" in text


@pytest.mark.parametrize(
    "decorator",
    [
        "functools.lru_cache(maxsize=64)",
        "functools.lru_cache()",
        "functools.lru_cache",
        "functools.lru_cache(maxsize=None, typed=True)",
        "cached",
    ],
)
def test_cache_that_has_a_bound_or_is_not_known_stays(decorator: str) -> None:
    where = source(MODULE_CACHE.format(imported="import functools", decorator=f"@{decorator}"))
    assert list(candidates(BoundCache("arm.value"), where)) == []
    assert list(candidates(BoundCache("arm.other"), where)) == []
