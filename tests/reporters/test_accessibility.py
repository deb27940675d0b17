"""Pages by axe-core, in Chromium: reports and the index of a sweep, in light and in dark. In print
nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from envdoctor.reporters.html import render
from tests.reporters.browser import PROGRAM, WHY_NOT, Browser, browsing
from tests.reporters.pages import SCRIPTS, everywhere, rich, several
from tests.reporters.reports import native
from tests.sweep import test_page as sweep

AXE = Path(__file__).parents[2] / ".interpreters/axe/node_modules/axe-core/axe.min.js"
pytestmark = pytest.mark.skipif(PROGRAM is None, reason=WHY_NOT)
REPORTS = {
    "rich": rich,
    "several": several,
    "native": native,
    "hostile": everywhere(SCRIPTS[0]),
    "wide": everywhere("x" * 3_000),
}
#: The width of a sheet of A4 between margins of 1 cm, in pixels.
PAPER = 718

UNFOLD = "document.querySelectorAll('details').forEach(each => each.open = true)"
VIOLATIONS = """
axe.run().then(result => result.violations.flatMap(
  rule => rule.nodes.map(node => [rule.id, node.html, node.failureSummary])))
"""
#: Parts that would need a scroll bar, which paper does not have.
CUT_OFF = """
[...document.querySelectorAll('.scroll, pre')].filter(each => each.scrollWidth > each.clientWidth
  && each.getBoundingClientRect().left + each.scrollWidth > document.documentElement.clientWidth)
  .map(each => each.outerHTML.slice(0, 200))
"""
PAPER_COLOURS = "['backgroundColor', 'color'].map(each => getComputedStyle(document.body)[each])"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    texts = {name: render(report) for name, report in REPORTS.items()} | {"sweep": sweep.page()}
    for name, text in texts.items():
        (folder / f"{name}.html").write_text(text, encoding="ascii")
    return {name: folder / f"{name}.html" for name in texts}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.mark.skipif(not AXE.exists(), reason="`make axe` brings axe-core")
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", [*REPORTS, "sweep"])
def test_axe_finds_no_violation(
    browser: Browser, pages: dict[str, Path], name: str, dark: bool
) -> None:
    browser.open(pages[name], dark=dark)
    browser.evaluate(UNFOLD)
    browser.evaluate(f"{AXE.read_text(encoding='utf-8')};0")
    assert browser.evaluate(VIOLATIONS) == []


@pytest.mark.parametrize("name", [*REPORTS, "sweep"])
def test_nothing_is_cut_off_in_print(browser: Browser, pages: dict[str, Path], name: str) -> None:
    browser.open(pages[name], PAPER)
    browser.emulate("print")
    browser.evaluate(UNFOLD)
    assert browser.evaluate("document.documentElement.scrollWidth") <= PAPER
    assert browser.evaluate(CUT_OFF) == []


def test_dark_page_is_printed_in_the_colours_of_paper(
    browser: Browser, pages: dict[str, Path]
) -> None:
    browser.open(pages["rich"], PAPER, dark=True)
    browser.emulate("print", dark=True)
    assert browser.evaluate(PAPER_COLOURS) == ["rgb(255, 255, 255)", "rgb(27, 33, 31)"]


def test_heads_of_a_sweep_sort_by_keyboard(browser: Browser, pages: dict[str, Path]) -> None:
    browser.open(pages["sweep"])
    names = "[...document.querySelectorAll('tbody tr')].map(row => row.cells[0].textContent)"
    before = browser.evaluate(names)
    while browser.evaluate("document.activeElement.tagName") != "BUTTON":
        browser.press("Tab")
    assert browser.evaluate(f"{FOCUS_IS_SHOWN}")
    browser.press("Enter")
    assert browser.evaluate(names) == sorted(before)
    head = "document.activeElement.closest('th').getAttribute('aria-sort')"
    assert browser.evaluate(head) == "ascending"


FOCUS_IS_SHOWN = "parseFloat(getComputedStyle(document.activeElement).outlineWidth) >= 2"
