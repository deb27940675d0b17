"""The line of a step() that sets a count back."""

from __future__ import annotations

import pytest

from envdoctor.analysis.episode_counts import set_back_at

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
