"""The HTML page: what stands in it, that nothing in it acts, and that it stays small. How it
looks is test_html_browser's affair.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from envdoctor.analysis.timeline import Timeline, TimelineSpan
from envdoctor.model.facts import Allocations
from envdoctor.model.finding import IGNORED, MANAGER, NOTE, WARNING, Location, Skipped
from envdoctor.model.report import HEALTHY, SICK, Report
from envdoctor.reporters.html import render, timeline
from envdoctor.reporters.html.chains import links
from envdoctor.reporters.html.columns import duration, scale
from envdoctor.reporters.html.evidence import proof
from envdoctor.reporters.html.flame import NATIVE, OWN, tree
from envdoctor.reporters.html.index import Index
from envdoctor.reporters.html.markup import Verbatim, safe, tag, written
from envdoctor.reporters.html.matrix import ABSENT, ACCEPTED, PASSED, SKIPPED, rows
from envdoctor.reporters.html.page import style
from envdoctor.reporters.html.plots import PlotSeries, line_plot, top_of
from tests.reporters.pages import EVERY, SCRIPTS, everywhere, large, lived, rich, several
from tests.reporters.reports import FILE, PLACES, RECORD, SPEC, finding, native, report, sick

MAX_PAGE = 2 * 2**20  # bytes of the page of a large run: it opens at once on any machine

every_page = pytest.mark.parametrize("name", EVERY)


class Reader(HTMLParser):
    """Parser that collects the elements of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] == "wbr":  # no end of a word
            self.words[-1] += data
        else:
            self.words.append(data)

    def all(self, *names: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name in names]

    @property
    def shapes(self) -> set[tuple[str, str]]:
        """Every kind of element with every attribute it has."""
        return {
            (name, attribute)
            for name, attributes in self.elements
            for attribute in ("", *attributes)
        }

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def pages(reports: Iterable[Report]) -> list[Reader]:
    return [Reader(render(one)) for one in reports]


# What it is made of


@every_page
def test_a_page_is_well_made(name: str) -> None:
    page = Reader(render(EVERY[name]))
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    known = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(known) == len(set(known))
    assert {str(link["href"])[1:] for link in page.all("a")} <= set(known)


@every_page
def test_drawings_have_words_and_what_scrolls_can_be_reached(name: str) -> None:
    page = Reader(render(EVERY[name]))
    assert all(svg.get("aria-label") for svg in page.all("svg") if svg.get("role") == "img")
    assert all(
        part.get("tabindex") == "0" and part.get("aria-label")
        for part in page.all("div")
        if part.get("class") == "scroll"
    )
    assert all(block.get("tabindex") == "0" for block in page.all("pre"))


@every_page
def test_nothing_in_a_page_acts_or_is_loaded_from_another_place(name: str) -> None:
    page = Reader(render(EVERY[name]))
    assert not page.all(
        "script", "iframe", "object", "embed", "form", "img", "base", "input", "button"
    )
    assert not {
        attribute
        for _, attribute in page.shapes
        if attribute.startswith("on") or attribute in ("style", "src", "srcset", "action")
    }
    assert all(str(link["href"]).startswith("#") for link in page.all("a"))
    assert [str(link["href"])[:5] for link in page.all("link")] == ["data:"]
    assert "url(" not in style()
    assert "@import" not in style()


def test_the_policy_allows_this_style_sheet_and_nothing_else() -> None:
    text = render(sick)
    policy = next(
        str(meta["content"])
        for meta in Reader(text).all("meta")
        if meta.get("http-equiv") == "Content-Security-Policy"
    )
    css = text[text.index("<style>") + len("<style>") : text.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    assert (
        policy
        == f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none';"
        " form-action 'none'"
    )


@every_page
def test_a_page_is_ascii_and_equal_reports_give_equal_pages(name: str) -> None:
    text = render(EVERY[name])
    assert text.isascii()
    assert text.endswith("</html>\n")
    assert text == render(replace(EVERY[name]))


def test_the_whole_page(snapshot: SnapshotAssertion) -> None:
    """One element a line, without the style sheet and the manual pages."""
    body = re.sub(r"sha256-[^&]*", "sha256-", render(rich).replace(style(), ""))
    body = re.sub(
        r'(class="manual" id="[^"]*"><summary>[^<]*</summary>).*?</details>',
        r"\1</details>",
        body,
        flags=re.DOTALL,
    )
    assert body.replace("><", ">\n<") == snapshot


def test_a_manual_page_is_folded_into_the_first_finding_of_its_rule() -> None:
    text = render(several)
    assert text.count('id="manual-CLS006"') == 1
    assert "A process may hold 1024 descriptors." in Reader(text).text


# The verdict


def verdict(told: Report) -> str:
    text = render(told)
    return Reader(text[text.index("<h1>") : text.index('<ul class="figures"')]).text


@pytest.mark.parametrize("name", EVERY)
def test_the_verdict_comes_first(name: str, snapshot: SnapshotAssertion) -> None:
    assert verdict(EVERY[name]) == snapshot


def test_the_verdict_has_place_cause_and_remedy() -> None:
    told = verdict(report(finding(location=Location(FILE, 88, "close")), verdict=SICK))
    assert "close() leaves 1 descriptor open" in told
    assert f"{FILE}:88 in close" in told
    assert "The cause is in the environment: close it in Forklift.close()" in told


def test_a_manager_is_not_called_sick_for_the_environment() -> None:
    told = verdict(report(finding(severity=NOTE, blame=MANAGER), verdict=HEALTHY))
    assert " passed " in told
    assert "7 checks passed in 4 scenarios; 1 note below." in told


def test_figures_count_a_finding_of_several_places_once() -> None:
    text = Reader(render(sick)).text
    assert "2 errors 1 warning 1 note" in text


# The matrix


def states(told: Report) -> dict[str, tuple[str, ...]]:
    return {
        code: tuple(cell.state for cell in cells)
        for code, cells in rows(told.subjects[0], told, Index(told), PLACES)
    }


def test_each_rule_has_a_state_in_each_place() -> None:
    found = states(sick)
    assert found["CLS006"] == ("error", "error", "error", ABSENT)
    assert found["CLS001"] == (PASSED, ABSENT, ABSENT, SKIPPED)
    assert found["CLS003"] == (ACCEPTED, ABSENT, ABSENT, ABSENT)
    assert found["LEK001"] == (SKIPPED, ABSENT, ABSENT, ABSENT)


def test_open_finding_decides_the_state_over_an_ignored_one() -> None:
    both = report(finding(status=IGNORED), finding(severity=WARNING), verdict=SICK)
    assert states(both)["CLS006"][0] == "warning"


def test_a_cell_leads_to_its_finding_and_a_skipped_one_to_its_reason() -> None:
    page = Reader(render(sick))
    found = {
        str(link.get("aria-label")): str(link["href"])
        for link in page.all("a")
        if link.get("aria-label")
    }
    assert next(
        href for label, href in found.items() if label.startswith("error: close() did not return")
    ).startswith("#finding-")
    reason = next(
        href for label, href in found.items() if label == "skipped: memray is not installed there"
    )
    assert any(item.get("id") == reason[1:] for item in page.all("li"))


def test_a_whole_manager_that_was_not_played_is_named_with_its_reason() -> None:
    told = report(skipped=(Skipped("", SPEC, "sb3-subproc", "stable-baselines3 is not installed"),))
    assert (
        "Not played: sb3-subproc : stable-baselines3 is not installed" in Reader(render(told)).text
    )


# The proof


def told(evidence: dict[str, Any]) -> str:
    return Reader(written(proof(evidence))).text


def test_proof_is_no_json() -> None:
    error = {
        "type": "builtins.ValueError",
        "message": "no",
        "frames": [{"file": "a.py", "line": 3, "function": "close", "text": "x()"}],
        "user": 0,
    }
    assert told({"error": error}) == "error ValueError: no 1 frame a.py:3 in close"
    assert (
        told({"held": {"7": "log"}, "collected": {"7": "log"}})
        == "after close(), after garbage collection 7 log"
    )
    line = {"file": "a.py", "line": 3, "function": "f", "text": "open(p)", "target": "p"}
    assert told({"taken_at": [line]}) == "acquired at a.py:3 in f() : p open(p)"
    assert (
        told({"seen": [{"pid": 4711, "close": None}, {"pid": 4712, "close": None}]})
        == "seen pid 4711 4712"
    )
    assert (
        told({"own_code": True, "seconds": 0.123456, "nothing": [], "blocks": [1]})
        == "own code yes seconds 0.1235"
    )


def test_long_proof_is_cut_and_says_so() -> None:
    assert "and 88 more" in told({"held": {str(number): "x" * number for number in range(100)}})
    assert "... 60 more lines" in told(
        {"stacks": "\n".join(f"line {number}" for number in range(100))}
    )
    assert len(written(proof({"text": "x" * 10**6}))) < 2_000


def test_cycles_end() -> None:
    endless: dict[str, Any] = {}
    endless["again"] = endless
    assert len(render(report(finding(evidence=endless), verdict=SICK))) < 200_000


# The drawings


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pkg.sim.REGISTRY[3].callbacks[0]", ["pkg.sim", ".REGISTRY", "[3]", ".callbacks", "[0]"]),
        (
            "logging.Logger.manager.loggerDict['a.b'].handlers",
            ["logging", ".Logger", ".manager", ".loggerDict", "['a.b']", ".handlers"],
        ),
        ("<thread 'physics'>._started._cond", ["<thread 'physics'>", "._started", "._cond"]),
        ("held from native code", ["held from native code"]),
        ("", [""]),
    ],
)
def test_a_chain_falls_into_links(text: str, expected: list[str]) -> None:
    assert links(text) == expected


@given(st.text())
def test_links_lose_nothing(text: str) -> None:
    assert "".join(links(text)) == text


def test_stacks_become_one_tree_with_the_users_frames_marked() -> None:
    other = {
        **RECORD,
        "bytes": 42,
        "count": 1,
        "frames": [{"file": "x.cpp", "line": 1, "function": "grow"}, *RECORD["frames"][3:]],
        "user": 1,
    }
    root = tree(Allocations.decode({"records": [RECORD, other]}).records)
    assert (root.bytes, root.count) == (58218, 203)
    outer = next(iter(root.calls.values()))
    own = next(iter(outer.calls.values()))
    assert (own.name, own.kind, own.bytes) == ("reset", OWN, 58218)
    assert [(below.name, below.bytes) for below in own.calls.values()] == [
        ("__init__", 58176),
        ("grow", 42),
    ]
    assert own.calls["grow", "x.cpp:1"].kind == NATIVE


def test_the_flame_graph_is_in_the_page_of_a_leak_check() -> None:
    page = render(native)
    assert "What stays allocated after 101 resets: 56.8 KiB in 202 allocations" in page
    assert "memray flamegraph --leaks /tmp/kept/fork.bin" in page


@pytest.mark.parametrize(
    ("most", "top"),
    [
        (0, 1),
        (-3, 1),
        (63, 80),
        (3150, 4000),
        (1, 1),
        (1e9, 1e9),
        (0.03, 0.04),
        (float("nan"), 1),
        (float("inf"), 1),
    ],
)
def test_axes_end_at_round_numbers(most: float, top: float) -> None:
    assert top_of(most) == pytest.approx(top)


@given(
    st.lists(
        st.tuples(st.integers(0, 10**6), st.integers(-(10**15), 10**15)), min_size=1, max_size=20
    )
)
def test_a_plot_stays_within_its_frame(points: list[tuple[int, int]]) -> None:
    series = PlotSeries("x", tuple((float(x), float(y)) for x, y in sorted(points)))
    text = written(line_plot("x", [series], ("cycles", "bytes"), str, "x"))
    spots = [
        (float(x), float(y))
        for x, y in re.findall(
            r"M?L?(-?[\d.]+) (-?[\d.]+)(?=[Lh\"])", "".join(re.findall(r'd="(M[^"]*)"', text))
        )
    ]
    assert all(-0.01 <= x <= 100.01 and -0.01 <= y <= 100.01 for x, y in spots)


def test_columns_are_in_order_and_wider_where_they_took_longer() -> None:
    where = scale(
        Timeline(
            10.0,
            (
                TimelineSpan("make", 1.0, 4.0),
                TimelineSpan("reset", 4.0, 4.1),
                TimelineSpan("close", 5.0),
            ),
            (),
        )
    )
    edges = [where(at) for at in (0.0, 1.0, 4.0, 4.1, 5.0, 10.0)]
    assert edges == sorted(edges)
    assert edges[-1] == pytest.approx(1.0)
    assert edges[2] - edges[1] > edges[3] - edges[2]


def test_durations() -> None:
    assert [duration(seconds) for seconds in (2.34, 0.158, 0.00004)] == [
        "2.3 s",
        "158 ms",
        "40 \N{MICRO SIGN}s",
    ]


def test_process_lifetimes_are_also_described_in_words() -> None:
    text = render(rich)
    assert "child 21: renderer --port 1" in text
    assert "outlived everything: still there when all had to be gone" in text
    assert "worker 11, 1 instance, signal 9" in text


@given(st.sets(st.integers(0, 11)), st.permutations(range(12)))
def test_a_journal_with_holes_is_drawn_all_the_same(kept: set[int], order: list[int]) -> None:
    """Events that a killed process had not yet written are missing, and processes write side by
    side.
    """
    played = lived()
    for events in (
        tuple(one for at, one in enumerate(played.events) if at in kept),
        tuple(played.events[at] for at in order),
    ):
        assert '="-' not in written(
            timeline.draw(replace(played, events=events), "direct")
        ).replace('dx="-', "")


# Hostile texts


def test_markup_escapes_everything_but_its_own_text() -> None:
    node = tag(
        "p",
        "<b>&\"'",
        1.5,
        None,
        [tag("br"), Verbatim("<i>")],
        class_="x",
        title='"><script>',
        hidden=True,
        lang=None,
    )
    assert (
        written(node) == '<p class="x" title="&quot;&gt;&lt;script&gt;"'
        " hidden>&lt;b&gt;&amp;&quot;&#x27;1.5<br><i></p>"
    )


def test_controls_and_lone_surrogates_are_shown_as_escapes() -> None:
    assert (
        safe("a\x00\ud800\u202e\x1b[2Jb\n\t\N{GREEK SMALL LETTER MU}")
        == "a\\x00\\ud800\\u202e\\x1b[2Jb\n\t&#956;"
    )
    assert safe("x" * 5000).endswith("... (1,000 more characters)")


def test_paths_below_the_directory_are_relative_to_it() -> None:
    page = render(sick, directory="/home/ana/projects/warehouse-simulation")
    assert '<code class="path">src/warehouse/envs/forklift.py:88</code>' in page


@cache
def calm() -> set[tuple[str, str]]:
    """Return the shapes of pages that are made of texts without an attack."""
    return {
        shape
        for page in pages((everywhere("x"), everywhere("x\ny"), *EVERY.values()))
        for shape in page.shapes
    }


@pytest.mark.parametrize("text", SCRIPTS, ids=range(len(SCRIPTS)))
def test_hostile_text_adds_no_element(text: str) -> None:
    page = render(everywhere(text))
    assert page.isascii()
    assert Reader(page).shapes <= calm()


@settings(deadline=None)
@given(st.text(st.characters() | st.sampled_from("<>&\"'/=\x00\n\ud800"), max_size=60))
def test_no_text_adds_an_element(text: str) -> None:
    page = render(everywhere(text))
    assert all(" " <= character <= "~" or character in "\n\t" for character in page)
    assert Reader(page).shapes <= calm()


# Size


def test_long_texts_are_cut() -> None:
    assert len(render(everywhere("<" * 10**6))) < 2**20


def test_the_page_of_a_large_run_stays_small() -> None:
    assert len(render(large())) < MAX_PAGE


# Colours


def palettes() -> dict[str, dict[str, str]]:
    """The custom properties of each theme."""
    light, dark, _paper = re.findall(r":root\s*\{(.*?)\}", style(), re.DOTALL)
    return {
        name: dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", block))
        for name, block in (("light", light), ("dark", dark))
    }


def linear(colour: str) -> list[float]:
    """Red, green and blue as amounts of light."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


GROUNDS = ("page", "card", "sunk")
WORDS_ON = [(ink, ground) for ink in ("ink", "quiet", "link") for ground in GROUNDS]
WORDS_ON += [(state, f"{state}-ground") for state in ("error", "warning", "note", "clear", "idle")]
WORDS_ON += [
    (state, ground)
    for state in ("error", "warning", "note", "clear")
    for ground in ("page", "card")
]
WORDS_ON += [(f"{kind}-ink", kind) for kind in ("own", "library", "native")]
SHAPES = ("mark", "life", "bar", "child", "second", "third", "fourth", "closing", "focus")
SHAPES_ON = [(shape, ground) for shape in SHAPES for ground in ("page", "card")]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "ground", "least"),
    [(*pair, 4.5) for pair in WORDS_ON] + [(*pair, 3.0) for pair in SHAPES_ON],
)
def test_contrast(theme: str, ink: str, ground: str, least: float) -> None:
    """AA: 4.5 for words, 3 for shapes that carry meaning."""
    palette = palettes()[theme]
    assert contrast(palette[ink], palette[ground]) >= least


#: How eyes without one kind of cone see linear RGB (Machado, Oliveira and Fernandes, 2009).
VISIONS = {
    "protanopia": ((0.152, 1.053, -0.205), (0.115, 0.786, 0.099), (-0.004, -0.048, 1.052)),
    "deuteranopia": ((0.367, 0.861, -0.228), (0.280, 0.673, 0.047), (-0.012, 0.043, 0.969)),
    "tritanopia": ((1.256, -0.077, -0.178), (-0.078, 0.931, 0.147), (0.005, 0.691, 0.304)),
}
#: Shapes that stand side by side in one drawing, without a dash or a sign of their own.
NEIGHBORS = [
    ("bar", "child"),
    ("life", "bar"),
    ("life", "child"),
    ("second", "bar"),
    ("second", "life"),
    ("mark", "bar"),
    ("own", "library"),
    ("own", "native"),
    ("library", "native"),
]


def lab(red: float, green: float, blue: float) -> tuple[float, float, float]:
    """Linear RGB as CIELAB, in which equal distances look equally different."""
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.0890
    x, y, z = (
        part ** (1 / 3) if part > 0.008856 else 7.787 * part + 16 / 116 for part in (x, y, z)
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def appearance(colour: str, vision: str) -> tuple[float, float, float]:
    light = linear(colour)
    rows = (sum(a * b for a, b in zip(row, light, strict=True)) for row in VISIONS[vision])
    return lab(*(min(max(part, 0.0), 1.0) for part in rows))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize(("shape", "neighbor"), NEIGHBORS)
def test_shapes_differ_for_eyes_without_one_kind_of_cone(
    theme: str, vision: str, shape: str, neighbor: str
) -> None:
    palette = palettes()[theme]
    assert math.dist(*(appearance(palette[name], vision) for name in (shape, neighbor))) >= 10


def test_the_themes_have_the_same_names() -> None:
    light, dark = palettes().values()
    assert light.keys() == dark.keys()
