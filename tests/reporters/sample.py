"""One report with something of every kind, for the formats that machines read; and one that
says a hostile text everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from envdoctor.model.finding import (
    BASELINED,
    BELOW,
    ERROR,
    IGNORED,
    NOTE,
    WARNING,
    Location,
    Skipped,
)
from envdoctor.model.report import SICK, Report, SubjectReport
from tests.reporters.reports import CLOSE, PLACES, SPEC, SUBJECT, finding, report, sick

ROOT = "/home/ana/projects/warehouse-simulation"
OTHER = "CartPole-v1"
LIBRARY = Location("/usr/lib/python3.11/site-packages/gymnasium/envs/cartpole.py", 77)

#: Two subjects, one of them from a library; findings that are open, ignored, baselined and below;
#: some without a place.
SAMPLE = replace(
    sick,
    subjects=(
        SUBJECT,
        SubjectReport(
            OTHER,
            "gymnasium.envs.CartPole",
            LIBRARY,
            PLACES[:1],
            {"gymnasium": "1.4.0"},
            "3.11.7",
            (),
            1.5,
        ),
    ),
    findings=(
        *sick.findings,
        finding(
            "LEK005",
            "descriptors-grow",
            ERROR,
            "every reset() keeps 1 descriptor.",
            subject=OTHER,
            location=LIBRARY,
            evidence={"rate": 1.0},
        ),
        finding(
            "CLS005", "close-slow", NOTE, "close() takes 2.4 s.", status=BASELINED, location=CLOSE
        ),
        finding(
            "DET001",
            "reset-not-seeded",
            WARNING,
            "reset(seed=0) gives 2 different observations.",
            subject=OTHER,
            status=BELOW,
        ),
    ),
)


def hostile(text: str) -> Report:
    """A report that says `text` wherever an environment can put something."""
    place = Location(f"{ROOT}/{text}", 3, text)
    bad = finding(
        message=text,
        remedy=text,
        commands=(text,),
        subject=text,
        location=place,
        evidence={text: text, "list": [text, {text: text}], "stacks": f"{text}\n{text}"},
    )
    accepted = bad.but(code="CLS003", status=IGNORED, status_reason=text, location=None)
    return report(
        bad,
        bad.but(manager=text, start_method=text),
        bad.but(code="XYZ001", name="unheard-of", severity=NOTE, location=None),
        accepted,
        verdict=SICK,
        subjects=(SubjectReport(text, text, place, ((text, text),), {text: text}, text),),
        skipped=(Skipped("CLS001", text, text, text), Skipped("", SPEC, text, text)),
        command=("envdoctor", text),
    )


#: What environments have been seen to print, and what somebody might have them print.
HOSTILE = (
    "\x1b[2J\x1b]0;title\x07",
    "nul \x00 and del \x7f",
    "lone \udc80\ud800 surrogates",
    "]]>",
    "<script>alert(1)</script>",
    "<!-- -->",
    "--><b>",
    "::error::all is lost",
    "  ::add-mask::a",
    "##[error]lost",
    "a ##[set-output x]y",
    "@everyone",
    "#1 and org/repo#2",
    "GH-12 !3 $4 ~5 %6 &7",
    "https://evil.example/x",
    "www.evil.example",
    "me@evil.example",
    "[click](https://evil.example)",
    "![x](https://evil.example/x.png)",
    "deadbeefcafe",
    "0123456789abcdef0123456789abcdef01234567",
    "two\nlines\r\nand\rthree",
    "\u2028 \u2029 \x85",
    "\u202egnp.exe",
    "`tick` ``two``",
    "```\nfence\n```",
    "~~~",
    "# heading",
    "- item",
    "1. item",
    "| a | b |",
    "> quote",
    "    indented",
    "</details>",
    "---",
    "a\\",
    "%0A %25 %3A",
    "100%",
    "a,b:c=d",
    "{0} {{1}}",
    "&lt; &amp; &#64;everyone",
    "\ufffe\uffff",
    "\U0001f4a9" * 3,
    "x" * 1_000_000,
    "\x1b" * 100_000,
    "",
    " ",
    "\n",
)


def with_any_text(test: Callable[[str], None]) -> Callable[[], None]:
    """Run a test with each hostile text, and with texts of any characters."""
    for text in HOSTILE:
        test = example(text)(test)
    return settings(deadline=None)(given(st.text(st.characters(), max_size=80))(test))
