"""What a native library has made goes back to it: the text after the edits, and look-alikes."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import EndHeld
from envdoctor.remedies.native_blocks import free_native
from envdoctor.remedies.renewing import build_anew
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import applied, source

LIBRARY = """\
    import ctypes

    import numpy as np

    library = ctypes.CDLL("library.so")
    library.vector_free.argtypes = [ctypes.c_void_p]
    library.pages_unmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.free.argtypes = [ctypes.c_void_p]


    def allocate(size):
        block = library.malloc(size)
        ctypes.memset(block, 0, size)
        return block


"""
READER = (
    LIBRARY
    + """\
    class Arm(Env):
        def look(self):
            address = library.vector_read(9)
            view = (ctypes.c_double * 9).from_address(address)
            {last}
"""
)
HOLDER = (
    LIBRARY
    + """\
    class Arm(Env):
        def __init__(self):
            self.frame = None
            self.blocks = [allocate(7)]

        def {method}(self):
            self.frame = library.pages_{taking}(SIZE)

        def close(self):
            self.ready = False
"""
)


def count(where: Source) -> int:
    return len({*free_native(where)} - {()})


def test_block_is_freed_after_its_last_use() -> None:
    copied = source(READER.format(last="seen = np.array(view)\n            return seen, {}"))
    assert "seen = np.array(view)\n        library.vector_free(address)\n        return seen" in (
        applied(EndHeld(), copied)
    )
    returned = source(READER.format(last="return np.array(view)"))
    assert applied(EndHeld(), returned).endswith(
        "        result = np.array(view)\n        library.vector_free(address)\n"
        "        return result\n"
    )


@pytest.mark.parametrize(
    "last",
    [
        "return view",
        "self.view = view\n            return np.array(view)",
        "seen = np.array(view)\n            library.vector_free(address)\n            return seen",
        "if view:\n                return np.array(view)",
    ],
    ids=["a view is returned", "a view is kept", "freed already", "a branch"],
)
def test_block_that_may_be_used_later_stays(last: str) -> None:
    assert count(source(READER.format(last=last))) == 0


def test_block_of_an_attribute_is_freed_in_close_and_before_the_next() -> None:
    text = applied(EndHeld(), source(HOLDER.format(method="reset", taking="map")))
    guarded = "if self.frame is not None:\n            library.pages_unmap(self.frame, SIZE)\n"
    assert f"        {guarded}        self.frame = library.pages_map(SIZE)\n" in text
    assert f"        {guarded}            self.frame = None\n        self.ready = False\n" in text


def test_each_block_of_a_list_is_freed_in_close() -> None:
    where = source(HOLDER.format(method="reset", taking="count"))
    (candidate,) = {*free_native(where)} - {()}
    assert candidate[0].lines == (
        "for block in self.blocks:",
        "    library.free(block)",
        "self.blocks = []",
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("library.pages_unmap.argtypes", "library.pages_count.argtypes"),
        ("self.ready = False", "library.pages_unmap(self.frame, SIZE)"),
        ("pages_map(SIZE)", "pages_map(SIZE, 1, 2)"),
        ("pages_map(SIZE)", "pages_map(size=SIZE)"),
        ("pages_map(SIZE)", "words_map(SIZE)"),
    ],
    ids=["no counterpart", "given back already", "other arguments", "by keyword", "of another"],
)
def test_attribute_without_a_sure_counterpart_stays(old: str, new: str) -> None:
    text = HOLDER.format(method="reset", taking="map").replace("self.blocks = [allocate(7)]", "")
    assert count(source(text)) == 1
    assert count(source(text.replace(old, new))) == 0


SIMULATION = """\
    class Arm(Env):
        def __init__(self):
            self.client = Client()
            self.build()

        def build(self):
            self.plane = self.client.load("plane")
            self.load()

        def load(self):
            self.robot = self.client.load("robot")

        def clear(self):
            self.client.removeBody(self.robot)
            self.load()

        def close(self):
            self.client.resetSimulation()
"""


def test_simulation_is_cleared_and_built_anew() -> None:
    text = applied(EndHeld(), source(SIMULATION))
    assert (
        "    def clear(self):\n        self.client.resetSimulation()\n        self.build()\n"
        in text
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.client.resetSimulation()", "self.client.disconnect()"),
        ("self.client.resetSimulation()", "self.view.reset()"),
        ("            self.load()\n\n        def load", "\n        def load"),
        ("self.client.removeBody(self.robot)", "self.client.moveBody(self.robot)"),
        ("            self.build()\n", "            self.build(3)\n"),
    ],
    ids=["it is not cleared", "another part", "not built", "not taken out", "with an argument"],
)
def test_simulation_that_is_built_otherwise_stays(old: str, new: str) -> None:
    assert not any(build_anew(source(SIMULATION.replace(old, new))))
