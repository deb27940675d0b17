"""From a loop that waits for a thread which has ended to one that looks at that, by values."""

from __future__ import annotations

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.training_aims import LeaveWait
from tests.remedies.scripts import FILE, mended

VIEWER = """\
import threading, time

class Window:
    def __init__(self):
        self.asked = None
        self.is_open = True

    def draw(self):
        while self.is_open:
            self.asked = None
        self.free()

class Handle:
    def __init__(self, window):
        self.window = window

    def show(self):
        while self.window.asked is not None:
            time.sleep(0.001)

def launch():
    window = Window()
    threading.Thread(target=window.draw).start()
"""
TEST = "while self.window.asked is not None"


def left(text: str) -> str:
    start = next(at for at, each in enumerate(text.splitlines(), 1) if "Thread(" in each)
    return mended(lambda place: LeaveWait(place, Frame(FILE, start)), text, "time.sleep")


def test_wait_looks_at_what_ends_the_thread() -> None:
    assert left(VIEWER) == VIEWER.replace(TEST, f"{TEST} and self.window.is_open")
    either = VIEWER.replace("while self.is_open", "while self.is_open or self.left > 0")
    both = f"{TEST} and (self.window.is_open or self.window.left > 0)"
    assert left(either) == either.replace(TEST, both)


def test_wait_of_the_same_object_does_so() -> None:
    own = VIEWER.replace(
        "class Handle:\n    def __init__(self, window):\n        self.window = window\n\n", ""
    )
    own = own.replace("self.window.asked", "self.asked")
    assert "while self.asked is not None and self.is_open:" in left(own)


@pytest.mark.parametrize(
    ("part", "text"),
    [
        ("while self.is_open:", "while True:"),
        ("while self.is_open:", "while is_open(self):"),
        ("while self.is_open:", "while self.is_open and ready:"),
        ("while self.is_open:", "for _ in range(9):"),
        (TEST, f"{TEST} and self.window.is_open"),
        (TEST, "while not self.done"),
        ("target=window.draw", "target=draw"),
        ("    def show", "    def draw(self):\n        pass\n\n    def show"),
    ],
    ids=[
        "no condition",
        "a call",
        "of something else",
        "no such loop",
        "looked at already",
        "nothing of the object",
        "a function",
        "two methods of the name",
    ],
)
def test_wait_for_a_thread_that_says_too_little_stays(part: str, text: str) -> None:
    assert part in VIEWER
    changed = VIEWER.replace(part, text)
    if text == "target=draw":
        changed = changed.replace("    def draw(self)", "    def run(self)")
    assert left(changed) == ""
