"""Markdown: what came from an environment is never markup, a link or a mention, and what is too
long is cut between findings.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from syrupy.assertion import SnapshotAssertion

from envdoctor.reporters import _document, github_summary, markdown
from envdoctor.reporters._markdown import code, fenced, prose
from envdoctor.reporters._showing import clean
from tests.reporters.reports import ALL, finding, report
from tests.reporters.sample import ROOT, SAMPLE, hostile, with_any_text

GITHUB = MarkdownIt("gfm-like", {"html": True})
OURS = {
    "heading_open",
    "paragraph_open",
    "bullet_list_open",
    "list_item_open",
    "inline",
    "fence",
    "html_block",
}
HTML = re.compile(r"<!-- envdoctor -->|<details><summary>[\w ]+</summary>|</details>")

#: What services make something of wherever it stands in text: mentions, references, addresses,
#: commits, formulas, emoji.
LIVE = re.compile(r"%\w|[@#!$~&<>`\\*_\[\]{}|/]|\w:\w|:\w+:|\b[0-9a-fA-F]{7,}\b|[A-Za-z]+-\d")


def inert(text: str) -> None:
    """Whatever is no code is plain words."""
    for token in GITHUB.parse(text):
        if token.nesting >= 0:
            assert token.type in OURS, token
        if token.type == "html_block":
            assert HTML.fullmatch(token.content.strip()), token.content
        for child in token.children or ():
            assert child.type in ("text", "code_inline", "softbreak"), child
            if child.type == "text":
                assert not LIVE.search(child.content), child.content


def inline(text: str) -> list[Token]:
    paragraph = [token for token in GITHUB.parse(text) if token.type == "inline"]
    return list(paragraph[0].children or ()) if paragraph else []


def test_document(snapshot: SnapshotAssertion) -> None:
    assert markdown.render(SAMPLE, root=ROOT) == snapshot


def test_summary_is_the_same_without_the_marker() -> None:
    assert (
        markdown.render(SAMPLE, root=ROOT)
        == f"{markdown.MARKER}\n{github_summary.render(SAMPLE, root=ROOT)}"
    )


@pytest.mark.parametrize("name", ALL)
def test_reports_are_inert(name: str) -> None:
    inert(markdown.render(ALL[name], root=ROOT))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (
            "close() leaves 1 descriptor open: /tmp/log",
            "`close()` leaves 1 descriptor open: `/tmp/log`",
        ),
        ("close it in Arm.close().", "close it in `Arm.close()`."),
        ("stop it (taken in reset()).", "stop it (taken in `reset()`)."),
        ("it ends (see os._exit) here", "it ends (see `os._exit`) here"),
        ("the environment's own 12 MB, 50% of it", "the environment's own 12 MB, 50% of it"),
        ("ask @everyone now", "ask `@everyone` now"),
        ("commit deadbeef, 1234567 and 123456", "commit `deadbeef, 1234567` and 123456"),
        ("CLS006 in a ticket ABC-12", "CLS006 in a ticket `ABC-12`"),
        ("a `tick", "a `` `tick ``"),
        ("größer als 3", "größer als 3"),
    ],
)
def test_plain_words_stay_and_all_else_is_code(text: str, shown: str) -> None:
    assert prose(text) == shown


@settings(deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_prose_says_what_it_was_given(text: str) -> None:
    shown = prose(text)
    inert("- " + shown)
    said = "".join(child.content for child in inline("- " + shown))
    assert "".join(said.split()) == "".join(clean(text, unicode=True).split())


@settings(deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_code_is_one_piece_of_code(text: str) -> None:
    (only,) = inline("- " + code(text))
    assert only.type == "code_inline"
    assert only.content.strip() == clean(text, unicode=True).strip()


@settings(deadline=None)
@given(st.lists(st.text(st.characters(), max_size=30), min_size=1))
def test_a_block_is_one_block(lines: list[str]) -> None:
    (only,) = GITHUB.parse(fenced(lines))
    assert only.type == "fence"
    assert only.content == "\n".join(clean(line, unicode=True) for line in lines) + "\n"


@with_any_text
def test_any_text(text: str) -> None:
    document = markdown.render(hostile(text), root=ROOT)
    inert(document)
    assert not [character for character in document if character < " " and character != "\n"]
    assert not [
        line for line in document.splitlines() if "##[" in line or line.strip().startswith("::")
    ]


def test_long_report_is_cut_between_findings() -> None:
    many = report(
        *(finding("CLS001", message=f"{'x' * 500} {'y' * number}") for number in range(300))
    )
    text = markdown.render(many)
    assert 50_000 < len(text.encode()) <= markdown.LIMIT
    told = text.count("\n### ")
    assert (
        f"_{300 - told} more findings left out here for want of room; `--format json` has all._"
        in text
    )
    inert(text.replace("_", ""))
    assert github_summary.render(many).count("\n### ") == 300


def test_a_summary_stays_below_what_github_takes() -> None:
    many = report(
        *(finding("CLS001", message=f"{'é' * 590} {'y' * number}") for number in range(3000))
    )
    assert 800_000 < len(github_summary.render(many).encode()) <= github_summary.LIMIT < 1024 * 1024


def test_the_end_is_left_out_before_a_finding_is() -> None:
    whole = _document.written(SAMPLE, ROOT, 100_000)
    assert whole.count("<details>") == 2
    short = _document.written(SAMPLE, ROOT, len(whole.encode()))
    assert short.count("\n### ") == whole.count("\n### ")
    assert short.count("<details>") == 1
