"""The page in a browser: it asks for nothing, complains of nothing, fits the window, and can be
used without a mouse.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from envdoctor.reporters.html import render
from tests.reporters.browser import PROGRAM, WHY_NOT, Browser, browsing
from tests.reporters.pages import SCRIPTS, everywhere, large, rich, several
from tests.reporters.reports import native

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=WHY_NOT)

PAGES = {
    "rich": rich,
    "several": several,
    "native": native,
    "hostile": everywhere(SCRIPTS[0]),
    "long words": everywhere("x" * 3_000),
}
WIDTHS = (390, 1280)
every_page = pytest.mark.parametrize("name", PAGES)

#: What stands out of the page to the right, but is not in a region of its own that scrolls.
STANDS_OUT = """
[...document.querySelectorAll('body *')].filter(one => !one.closest('.scroll, pre, svg, .unseen, .skip, dd')
    && one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5).map(one => one.outerHTML.slice(0, 200))
"""

UNFOLD = "document.querySelectorAll('details').forEach(one => one.open = true)"

#: What has the focus: its kind, whether an outline shows it, and what it is called.
FOCUSED = """
(() => { const one = document.activeElement, style = getComputedStyle(one);
  const shown = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
  return [one.tagName, shown, one.className, one.getAttribute('aria-label') || one.innerText] })()
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsing() as opened:
        yield opened


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name, told in PAGES.items():
        (made / f"{name}.html").write_text(render(told), encoding="ascii")
    return made


@every_page
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_a_page_asks_for_nothing_complains_of_nothing_and_fits(
    browser: Browser, folder: Path, name: str, width: int, dark: bool
) -> None:
    browser.open(folder / f"{name}.html", width, dark=dark)
    browser.evaluate(UNFOLD)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(STANDS_OUT) == []
    wanted = [
        event["params"]["request"]["url"]
        for event in browser.events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in wanted if not url.startswith("data:")] == [
        (folder / f"{name}.html").as_uri()
    ]
    assert browser.complaints() == []


def test_the_policy_is_what_keeps_scripts_and_requests_away(
    browser: Browser, tmp_path: Path
) -> None:
    """The page with a script and an image of an attacker's. If one had come through, the policy
    would stop it.
    """
    broken = render(rich).replace(
        "</main>",
        '<script>document.title="owned"</script><img src="http://127.0.0.1:9/x.png"></main>',
    )
    (tmp_path / "broken.html").write_text(broken, encoding="ascii")
    browser.open(tmp_path / "broken.html")
    assert browser.evaluate("document.title") != "owned"
    complaints = browser.complaints()
    assert len([text for text in complaints if "Content Security Policy" in text]) == 2


def test_everything_can_be_reached_and_seen_with_the_keyboard(
    browser: Browser, folder: Path
) -> None:
    browser.open(folder / "rich.html")
    seen = []
    for _ in range(browser.evaluate("document.querySelectorAll('a, summary, [tabindex]').length")):
        browser.press("Tab")
        seen.append(browser.evaluate(FOCUSED))
    assert seen[0][3] == "Skip to the verdict"
    reached = [one for one in seen if one[0] != "BODY"]
    assert len(reached) > 20
    assert {one[0] for one in reached} <= {"A", "SUMMARY", "PRE", "DIV"}
    assert all(one[1] for one in reached), [one for one in reached if not one[1]]
    assert all(one[3] for one in reached)


def test_a_cell_of_the_matrix_leads_to_its_finding(browser: Browser, folder: Path) -> None:
    browser.open(folder / "rich.html", height=700)
    browser.evaluate("document.querySelector('.matrix td.error a').focus()")
    browser.press("Enter")
    browser.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert browser.evaluate("location.hash").startswith("#finding-")
    assert (
        0
        <= browser.evaluate("document.querySelector(location.hash).getBoundingClientRect().top")
        < 700
    )


def test_a_skipped_cell_opens_what_its_reason_is_folded_in(browser: Browser, folder: Path) -> None:
    browser.open(folder / "rich.html")
    browser.evaluate("document.querySelectorAll('.matrix details').forEach(one => one.open = true)")
    browser.evaluate("document.querySelector('.matrix td.skipped a').focus()")
    browser.press("Enter")
    browser.evaluate(
        "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
    )
    assert browser.evaluate("document.querySelector(location.hash).closest('details').open")


def test_columns_of_the_matrix_are_in_line_with_the_rows_that_unfold(
    browser: Browser, folder: Path
) -> None:
    browser.open(folder / "rich.html")
    browser.evaluate(UNFOLD)
    lefts = (
        "row => [...row.querySelectorAll('.cell, td')].map(one =>"
        " Math.round(one.getBoundingClientRect().left))"
    )
    heads, cells = (
        browser.evaluate(f"({lefts})(document.querySelector('{row}'))")
        for row in (".matrix summary", ".matrix tbody tr")
    )
    assert len(heads) == len(cells)
    assert all(abs(one - other) <= 2 for one, other in zip(heads, cells, strict=True))


def test_the_page_of_a_large_run_opens(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "large.html").write_text(render(large()), encoding="ascii")
    browser.open(tmp_path / "large.html", 390)
    assert browser.evaluate("document.querySelectorAll('article').length") == 200
    assert browser.evaluate("document.documentElement.scrollWidth") <= 390
