"""Calls in a source that end a wait."""

from __future__ import annotations

import pytest

from envdoctor.analysis.wakers import wakers

TABLE = """
class Table:
    def insert(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def close(self):
        self.closed.set()
        self.changed.notify()

    def sample(self):
        with self.changed:
            while not self.items:
                self.changed.wait()

def play(table):
    table.orders.put(table.sample())
    table.done.wait(timeout=5)
    lock.acquire()

lock.release()
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (15, ((6, "notify_all", "insert"), (10, "notify", "close"))),
        (20, ((22, "release", ""),)),
        (19, ()),  # an event that another file sets
        (18, ()),  # what takes orders is in another file
        (4, ()),  # no wait
        (99, ()),
    ],
)
def test_calls_that_end_the_wait_of_a_line_have_its_object(
    line: int, expected: tuple[tuple[int, str, str], ...]
) -> None:
    assert wakers(TABLE, line) == expected


def test_source_that_cannot_be_parsed_has_none() -> None:
    assert wakers("def broken(:", 1) == ()
    assert wakers("", 1) == ()
