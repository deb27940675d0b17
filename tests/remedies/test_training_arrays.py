"""From the line that gives an array a second name to a copy there, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import CopyReturned
from envdoctor.model.training_aims import CopyBound
from tests.remedies.scripts import mended


@pytest.mark.parametrize(
    ("line", "copied"),
    [
        ("completes = np.asarray(dones)", "completes = np.array(dones)"),
        ("completes = asanyarray(dones, bool)", "completes = array(dones, bool)"),
        ("completes = dones", "completes = dones.copy()"),
        ("completes = self.dones[:]", "completes = self.dones[:].copy()"),
        ("completes = dones.reshape(-1)", "completes = dones.reshape(-1).copy()"),
    ],
)
def test_second_name_gets_a_copy(line: str, copied: str) -> None:
    assert mended(CopyBound, f"{line}\n", "completes") == f"{copied}\n"


@pytest.mark.parametrize(
    "line", ["completes, dones = both()", "return completes", "completes = yes if a else no"]
)
def test_line_that_gives_no_single_array_stays(line: str) -> None:
    text = f"def step(self):\n    {line}\n"
    assert mended(CopyBound, text, "completes") == ""


SHARED = """\
import numpy as np

class Memory:
    def view(self):
        return np.frombuffer(self.memory, self.dtype).reshape(self.shape)

    def save(self, array):
        np.copyto(self.view(), array)

    def get(self):
        return self.view()

class Vectorizer:
    def read(self):
        return {key: memory.get() for key, memory in self.memories.items()}

    def step(self, actions):
        return self.read(), self.rewards()
"""


def read(text: str) -> str:
    return mended(lambda _: CopyReturned("observation", owner="Vectorizer"), text, "import")


def test_view_of_shared_memory_that_is_only_read_is_returned_as_a_copy() -> None:
    assert read(SHARED) == SHARED.replace("return self.view()", "return self.view().copy()")
    direct = SHARED.replace("self.view()", "np.frombuffer(self.memory)")
    copied = "return np.frombuffer(self.memory).copy()"
    assert read(direct) == direct.replace("return np.frombuffer(self.memory)\n", f"{copied}\n")
    array = direct.replace("np.frombuffer(self.memory)", "np.ndarray(4, buffer=self.memory)")
    assert "return np.ndarray(4, buffer=self.memory).copy()\n" in read(array)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("return self.view()", "return self.view().copy()"),
        ("return self.view()", "return self.view().astype(float)"),
        ("class Vectorizer", "def fill(memory):\n    memory.get()[:] = 0.0\n\nclass Vectorizer"),
        ("class Vectorizer", "def lend(memory):\n    fill(memory.get())\n\nclass Vectorizer"),
        (
            "class Vectorizer",
            "def keep(memory):\n    memory.own = memory.get()\n\nclass Vectorizer",
        ),
    ],
    ids=["a copy", "another type", "written", "given to something", "kept"],
)
def test_view_that_may_be_written_through_stays(part: str, text: str) -> None:
    assert part in SHARED
    changed = SHARED.replace(part, text)
    assert read(changed) in ("", changed.replace("return self.read()", "return self.read().copy()"))


def test_array_that_a_vectorizer_keeps_is_copied_where_step_returns_it() -> None:
    kept = SHARED.replace("return self.read(), self", "return self.buffer, self")
    assert read(kept) == kept.replace("self.buffer, self", "self.buffer.copy(), self")
