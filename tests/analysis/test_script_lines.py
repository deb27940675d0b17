"""Lines of a script that explain an event of its training: arrays, counts, registries, wakers."""

from __future__ import annotations

import pytest

from envdoctor.analysis.episode_counts import set_back_at
from envdoctor.analysis.growth.leaks import _with_instances
from envdoctor.analysis.growth.sides import LIFECYCLE, Causes, Holder, Pass, Side
from envdoctor.analysis.shared_arrays import shared_array
from envdoctor.analysis.wakers import wakers
from envdoctor.model.records import PlayedBlock

STEP = """
class Executor:
    def step(self, actions):
        rewards, dones = self.play(actions)
        dones = np.asarray(dones)
        {bound}
        {written}
        return rewards, {returned}
"""


def lines_of(bound: str, written: str, returned: str = "dones, over") -> tuple[int, int] | None:
    text = STEP.format(bound=bound, written=written, returned=returned)
    known = shared_array(text, 3, 1, 2)
    return known and (known.bound, known.written)


@pytest.mark.parametrize(
    "bound",
    [
        "over = np.asarray(dones)",
        "over = dones",
        "over = dones.view()",
        "over = dones.reshape(-1)",
        "over = np.array(dones) if copies else np.asarray(dones)",
    ],
)
@pytest.mark.parametrize(
    "written",
    ["over[self.steps > 9] = True", "dones[0] = True", "over |= self.cut", "over[0] += 1"],
)
def test_name_that_is_bound_without_a_copy_and_written_is_seen(bound: str, written: str) -> None:
    assert lines_of(bound, written) == (6, 7)


@pytest.mark.parametrize(
    ("bound", "written", "returned"),
    [
        ("over = np.array(dones)", "over[0] = True", "dones, over"),
        ("over = dones.copy()", "over[0] = True", "dones, over"),
        ("over = dones | self.cut", "over[0] = True", "dones, over"),
        ("over = np.asarray(dones)", "pass", "dones, over"),
        ("over = np.asarray(dones)", "over = over | self.cut", "dones, over"),
        ("dones[0] = True", "over = np.asarray(dones)", "dones, over"),  # before it
        ("over = np.asarray(dones)", "over[0] = True", "dones, dones"),
        ("over = np.asarray(dones)", "over[0] = True", "dones, over.copy()"),
        ("over = np.asarray(dones)", "over[0] = True", "dones"),
        ("over = np.asarray(dones)", "rewards[0] = True", "dones, over"),
    ],
)
def test_others_are_not(bound: str, written: str, returned: str) -> None:
    assert lines_of(bound, written, returned) is None


@pytest.mark.parametrize("text", ["", "def step(", "def step(self):\n    return 1, 2, 3"])
def test_other_sources_have_none(text: str) -> None:
    assert shared_array(text, 1, 1, 2) is None


HEAD = "class Counting:\n    @timed\n    def step(self, action):\n        self.length += 1\n"


def at(*lines: str, key: str = "l", line: int = 3) -> int:
    return set_back_at(HEAD + "".join(f"        {each}\n" for each in lines), line, key)


@pytest.mark.parametrize(
    "lines",
    [
        ("infos['l'] = self.length.copy()", "self.length *= 1 - over"),
        ("info['r'], info['l'] = self.sum, self.length", "self.sum = self.length = 0"),
        ("info['episode'] = {'r': self.sum, 'l': int(self.length)}", "self.length = 0"),
        ("info['l'] = self.length[0]", "self.length[over] = 0"),
        ("info['l'] = self.length", "self.sum, self.length = 0, 0"),
    ],
)
def test_line_after_it_is_returned(lines: tuple[str, ...]) -> None:
    assert at(*lines) == 6
    assert at(*lines, line=2) == 6  # of its decorator
    assert at(*lines, key="episode.l") == 6


def test_none_shows() -> None:
    assert at("info['l'] = self.length") == 0
    assert at("info['l'] = self.length", "self.sum = 0") == 0
    assert at("info['r'] = self.length", "self.length = 0") == 0
    assert at("info['l'] = self.length", "self.length = 0", line=9) == 0
    assert set_back_at("def step(:", 1, "l") == 0


def block(cycles: int, steps: int, grew: int) -> PlayedBlock:
    calls = {"creates": cycles, "resets": cycles, "steps": cycles * steps}
    return PlayedBlock({}, {}, grew=(grew,), wire=calls)


BLOCKS = (block(140, 0, 0), block(140, 0, 0), block(140, 10, 420), block(140, 30, 420))


@pytest.mark.parametrize(
    ("is_instance", "blocks", "elements"),
    [(True, BLOCKS, {"cycle": 3.0}), (False, BLOCKS, {}), (True, BLOCKS[:2], {})],
)
def test_elements_are_those_of_the_cycles_that_have_any(
    is_instance: bool, blocks: tuple[PlayedBlock, ...], elements: dict[str, float]
) -> None:
    holder = Holder("arm.Arm.table", "lru_cache", "float", instance=is_instance)
    side = Side(LIFECYCLE, "cycle", (), {}, Causes(holders=(holder,)))
    assert _with_instances(side, Pass(0, blocks), 0) == elements


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
