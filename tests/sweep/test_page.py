"""The index: what it shows, that it does nothing else, and that it sorts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from envdoctor.model.finding import NOTE, WARNING
from envdoctor.sweep.comparing import compare
from envdoctor.sweep.page import policy, render, script
from envdoctor.sweep.results import unjudged, worst_first
from tests.reporters.browser import PROGRAM, WHY_NOT, Browser, browsing
from tests.sweep.samples import finding, result

PASSED = ("CLS006", "DET001")
RESULTS = worst_first(
    [
        result(spec="Belt-v0", passed=PASSED),
        result(finding("CLS006"), finding("CLS007", severity=NOTE), spec="Crane-v0", passed=PASSED),
        result(finding("SFX001", severity=WARNING), spec="Arm-v0", passed=PASSED),
        unjudged(result(spec="Bomb-v0").identity, "the examination was killed 3 times", 3, 0.0),
    ]
)
KEYS = {one.label: one.key for one in RESULTS}


class Rows(HTMLParser):
    """The cells of the body of the table, row by row, and all links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.links: list[str] = []
        self._cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        self._cell = tag == "td" or (self._cell and tag == "a")
        if tag == "td":
            self.rows[-1].append("")
        self.links += [value or "" for name, value in attrs if name == "href" and tag == "a"]

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._cell:
            self.rows[-1][-1] += data


def page(**fields: object) -> str:
    return render(RESULTS, frozenset(KEYS.values()) - {KEYS["Bomb-v0"]}, "pages", "1.0", **fields)  # type: ignore[arg-type]


def test_environments_down_families_across_the_worst_first() -> None:
    found = Rows(page())
    assert [row[:-2] for row in found.rows[1:]] == [
        ["Crane-v0", "1 error, 1 note", "2", "✓", ""],
        ["Arm-v0", "1 warning", "✓", "✓", "1"],
        ["Bomb-v0", "inconclusive", "", "", ""],
        ["Belt-v0", "nothing found", "✓", "✓", ""],
    ]
    assert found.rows[3][-1] == "the examination was killed 3 times"
    assert found.links == [f"pages/{KEYS[name]}.html" for name in ("Crane-v0", "Arm-v0", "Belt-v0")]


def test_changes_and_missing_results_are_shown() -> None:
    before = [result(spec="Crane-v0", passed=("CLS006", "CLS007")), result(spec="Belt-v0")]
    found = compare(before, RESULTS, ({"numpy": "2.4"}, {"numpy": "2.5"}))
    text = page(changed=found, unexamined=7)
    assert "2 environments compared: 2 new." in text
    assert "Packages that differ: numpy 2.4 to 2.5." in text
    assert "Not examined yet: 7." in text


def test_name_of_an_environment_runs_nothing() -> None:
    evil = result(finding(message="<script>alert(1)</script>"), spec='"><img src=x>-v0')
    text = render([evil], frozenset(), "pages", "1.0")
    assert text.count("<script") == 1
    assert "<img" not in text
    assert text.isascii()


def test_the_page_runs_its_own_script_and_no_other() -> None:
    text = page()
    assert re.findall(r"<script>(.*?)</script>", text, re.DOTALL) == [script()]
    assert "default-src 'none'" in policy()
    assert "unsafe" not in policy()


def test_of_ten_thousand_rows_each_is_small() -> None:
    many = [result(finding("CLS006", spec=f"E{each}"), spec=f"E{each}") for each in range(1000)]
    assert len(render(many, frozenset(one.key for one in many), "pages", "1.0")) < 1000 * 1200


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if PROGRAM is None:
        pytest.skip(WHY_NOT)
    with browsing() as opened:
        yield opened


def test_a_click_on_a_head_sorts(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(page(), encoding="ascii")
    browser.open(tmp_path / "index.html")
    names = "[...document.querySelectorAll('tbody tr')].map(row => row.cells[0].textContent).join()"
    click = "document.querySelectorAll('thead button')[0].click()"
    browser.evaluate(click)
    assert browser.evaluate(names) == "Arm-v0,Belt-v0,Bomb-v0,Crane-v0"
    browser.evaluate(click)
    assert browser.evaluate(names) == "Crane-v0,Bomb-v0,Belt-v0,Arm-v0"
    browser.evaluate("document.querySelectorAll('thead button')[1].click()")
    assert browser.evaluate(names) == "Crane-v0,Arm-v0,Bomb-v0,Belt-v0"


#: Cells, other than a name and a message, whose words do not stand in one line.
BROKEN = """
[...document.querySelectorAll('tbody td:not(.name):not(.text)')].filter(cell => {
  const words = document.createRange(); words.selectNodeContents(cell);
  return words.getClientRects().length > 1 }).map(cell => cell.textContent)
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_short_words_stand_in_one_line(browser: Browser, tmp_path: Path, width: int) -> None:
    (tmp_path / "index.html").write_text(page(), encoding="ascii")
    browser.open(tmp_path / "index.html", width)
    assert browser.evaluate(BROKEN) == []
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
