"""Each page of the built site in Chromium: `make site-check`. Links and their anchors lead
somewhere, the console stays empty, a narrow window does not scroll sideways, and each language can
be searched.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urldefrag

from tests.reporters.browser import PROGRAM, WHY_NOT, Browser, browsing

SITE = Path(__file__).parents[2] / ".site"
WIDTHS = (1280, 400)

#: The addresses that a page names, the anchors that it has, and its text outside of code.
_CONTENT = """
(() => { const all = selector => [...document.querySelectorAll(selector)];
  const article = document.querySelector('article')?.cloneNode(true);
  article?.querySelectorAll('pre, code').forEach(code => code.remove());
  return [
    all('a[href]').map(link => link.href).concat(all('[src]').map(image => image.src)),
    all('[id]').map(anchor => anchor.id), article?.textContent ?? ''] })()
"""
#: What reaches beyond the right edge of the window.
_OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

#: What a reader looks for, in each language, and the page that has to be offered first.
SEARCHES = {"CLS006": "/docs/rules/CLS006/", "回放": "/docs/zh/replay-memory/"}
#: The first page that a search offers. The index is loaded with the first letter.
_SEARCH = """
new Promise(done => {
  const field = document.querySelector('.md-search__input');
  const shown = () => document.querySelector('.md-search-result__link');
  const look = () => { if (shown()) { observer.disconnect(); done(new URL(shown().href).pathname); } };
  const observer = new MutationObserver(look);
  observer.observe(document.querySelector('.md-search'), {childList: true, subtree: true});
  setTimeout(() => done('nothing'), 60000);
  field.focus();
  field.value = %s;
  field.dispatchEvent(new KeyboardEvent('keyup', {bubbles: true}));
})
"""


@dataclass(frozen=True)
class Page:
    """A page as the browser shows it."""

    address: str
    links: tuple[str, ...]
    anchors: frozenset[str]
    faults: tuple[str, ...]


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Keep the terminal for what is wrong."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """The browser leaves a page before the index for its search has come."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The address of a server of the folder."""
    server = _Server(("127.0.0.1", 0), partial(_Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def addresses(folder: Path, root: str) -> list[str]:
    """The address of each page, as links name it."""
    names = (file.relative_to(folder).as_posix() for file in folder.glob("*/**/*.html"))
    return sorted(root + name.removesuffix("index.html") for name in names)


def read(browser: Browser, address: str) -> Page:
    """Load a page and look at it."""
    browser.resize(WIDTHS[0])  # before the page is there: a layout that moves is too wide meanwhile
    browser.visit(address)
    faults = []
    for width in WIDTHS:
        browser.resize(width)
        overflow = browser.evaluate(_OVERFLOW)
        faults += [f"{overflow} px too wide for {width} px"] if overflow > 0 else []
    links, anchors, text = browser.evaluate(_CONTENT)
    faults += [f"Markdown in the text: {mark}" for mark in ("```", "](", "|--") if mark in text]
    return Page(address, tuple(links), frozenset(anchors), (*faults, *browser.complaints()))


def broken(page: Page, pages: dict[str, Page], folder: Path, root: str) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for link in dict.fromkeys(page.links):
        address, anchor = urldefrag(link)
        if not address.startswith(root):
            continue
        there = pages.get(address)
        if there is None and not (folder / unquote(address.removeprefix(root))).is_file():
            yield f"leads nowhere: {link}"
        elif there is not None and anchor and unquote(anchor) not in there.anchors:
            yield f"the page has no such anchor: {link}"


def searched(browser: Browser, home: str) -> Iterator[str]:
    """The searches that do not offer their page first."""
    for words, page in SEARCHES.items():
        browser.visit(home)
        first = browser.evaluate(_SEARCH % json.dumps(words))
        if not first.endswith(page):
            yield f"a search for {words} offers {first}"


def faults(folder: Path) -> Iterator[str]:
    """One line for each fault of each page."""
    with serving(folder) as root, browsing() as browser:
        browser.open("about:blank", dark=True)
        for home in folder.glob("*/index.html"):
            yield from searched(browser, f"{root}{home.parent.name}/")
        pages = {address: read(browser, address) for address in addresses(folder, root)}
    for page in pages.values():
        for fault in (*page.faults, *broken(page, pages, folder, root)):
            yield f"{page.address.removeprefix(root)}: {fault}"


def main() -> int:
    """Print the faults, and how many pages there are."""
    if PROGRAM is None:
        sys.exit(WHY_NOT)
    lines = list(faults(SITE))
    sys.stdout.writelines(f"{line}\n" for line in lines)
    print(f"{len(addresses(SITE, ''))} pages: {len(lines)} faults")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
