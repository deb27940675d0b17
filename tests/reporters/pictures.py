"""The pictures of the documentation, taken of reports that are made for it:
`python -m tests.reporters.pictures`. It needs Chromium, and Box2D for what grows.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from tests.reporters.browser import Browser, browsing
from tests.support.zoo import COMMAND

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
WIDE, NARROW = (1280, 900), (390, 1500)
CHECK = ("check", "envdoctor.demo:Arm")
LEAK = ("leak", "LunarLander-v3")
#: A picture, the section of the page that it shows, and its height in pixels at most.
SECTIONS = (
    ("report", "verdict", 1460),
    ("report-managers", "subject-1-checks", 1130),
    ("report-lives", "subject-1-lives", 800),
)


def report(folder: Path, *words: str) -> Path:
    """The page of one command, run in the checkout: its paths are short there."""
    page = folder / f"{words[0]}.html"
    command = [COMMAND, *words, "--report", f"html={page}", "--exit-zero"]
    subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    return page


def place(browser: Browser, section: str) -> tuple[int, int]:
    """Return the top and the height of a section, in pixels."""
    script = (
        f"(() => {{ const it = document.getElementById({section!r}).getBoundingClientRect();"
        " return [it.top + scrollY, it.height]; })()"
    )
    top, height = browser.evaluate(script)
    return int(top), int(height)


def main() -> None:
    """Take them all."""
    with tempfile.TemporaryDirectory() as name, browsing() as browser:
        folder = Path(name)
        checked, leaked = report(folder, *CHECK), report(folder, *LEAK)
        browser.open(checked, *WIDE)
        for picture, section, most in SECTIONS:
            top, height = place(browser, section)
            top, height = (0, most) if section == "verdict" else (top, min(height, most))
            browser.photograph(IMAGES / f"{picture}.png", top, height)
        for picture, dark in (("report-narrow", False), ("report-narrow-dark", True)):
            browser.open(checked, *NARROW, dark=dark)
            browser.photograph(IMAGES / f"{picture}.png", 0, NARROW[1])
        browser.open(leaked, *WIDE)
        top, height = place(browser, "subject-1-growth")
        browser.photograph(IMAGES / "report-growth.png", top, min(height, 1000))


if __name__ == "__main__":
    sys.exit(main())
