"""The terminal's screen: whole screens by snapshot, and what must hold for every text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from itertools import takewhile
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from syrupy.assertion import SnapshotAssertion

from envdoctor.model.finding import ENVIRONMENT, ERROR, NOTE, UNKNOWN, Skipped
from envdoctor.model.report import INCONCLUSIVE, SICK, Report
from envdoctor.model.trace import TIMED_OUT
from envdoctor.reporters import markdown
from envdoctor.reporters._growth import amount, sparkline
from envdoctor.reporters._showing import evidence_lines
from envdoctor.reporters.terminal import render
from tests.reporters.reports import (
    ALL,
    ASYNC,
    FILE,
    GROWTH,
    SPEC,
    filling,
    finding,
    flat,
    healthy,
    interrupted,
    kept,
    leak_check,
    leak_checked,
    meter,
    native,
    report,
    sick,
    trace,
)


@pytest.mark.parametrize("name", ALL)
def test_screen(name: str, snapshot: SnapshotAssertion) -> None:
    assert render(ALL[name], width=80) == snapshot


def test_screen_with_everything(snapshot: SnapshotAssertion) -> None:
    assert render(sick, width=80, verbosity=1) == snapshot


def test_screen_in_ascii(snapshot: SnapshotAssertion) -> None:
    assert render(sick, width=80, unicode=False, verbosity=-1) == snapshot


def test_screen_in_colour(snapshot: SnapshotAssertion) -> None:
    assert render(healthy, width=80, colour=True) == snapshot


@pytest.mark.parametrize("name", ALL)
def test_screen_of_a_terminal(name: str, snapshot: SnapshotAssertion) -> None:
    """The screen differs from that of a pipe at its end."""
    assert ending(ALL[name]) == snapshot


def ending(shown: Report, **options: Any) -> str:
    """Return the text after the findings on a terminal."""
    plain, ended = (render(shown, width=80, interactive=kind, **options) for kind in (False, True))
    rows = ended.splitlines(keepends=True)
    alike = takewhile(
        lambda pair: pair[0] == pair[1], zip(rows, plain.splitlines(keepends=True), strict=False)
    )
    return "".join(rows[len(list(alike)) :])


def test_with_v_the_lists_come_before_the_summary() -> None:
    text = render(sick, width=80, interactive=True, verbosity=1)
    assert text.index("not judged: ") < text.index("failed: ") < text.index("once it is fixed")
    assert "listed with -v" not in text


def test_quiet_is_alike_on_a_terminal() -> None:
    for verbosity in (-1, -2):
        assert ending(sick, verbosity=verbosity) == ""


def test_unjudged_rules_are_listed_without_v_where_no_finding_exists() -> None:
    text = render(ALL["inconclusive"], width=80, interactive=True)
    assert "listed with -v" not in text
    assert "to see all of it  envdoctor " in text


@pytest.mark.parametrize("width", [40, 60, 120])
def test_a_finding_of_the_summary_takes_one_row(width: int) -> None:
    rows = rows_of(sick, width)
    assert len(rows) >= 2
    assert all(cell_len(row) <= width for row in rows)


def rows_of(shown: Report, width: int) -> list[str]:
    """The findings of the summary."""
    rows = render(shown, width=width, interactive=True).splitlines()
    last = max(at for at, row in enumerate(rows) if row.startswith("failed: "))
    return [row for row in rows[last:] if row.startswith(("error ", "warning ", "note "))]


def test_a_command_is_one_that_a_shell_reads() -> None:
    typed = ("envdoctor", "check", "~/my envs/arm.py:Arm", "-k", "size=[1, 2]")
    text = render(replace(sick, command=typed), width=80, interactive=True)
    assert "envdoctor check ~/'my envs/arm.py:Arm' -k 'size=[1, 2]'\n" in text


def test_rule_with_nothing_to_count_is_listed_with_v() -> None:
    """Or where nothing else was judged."""
    none = Skipped("CLS018", SPEC, "direct", "no NVIDIA driver", nothing_to_count=True)
    with_it = replace(healthy, skipped=(none,))
    assert "CLS018" not in render(with_it)
    assert "CLS018" not in markdown.render(with_it)
    assert "0 not judged" in render(with_it)
    assert "not judged: CLS018: no NVIDIA driver" in render(with_it, verbosity=1)
    alone = replace(with_it, passed=(), findings=())
    assert "not judged: CLS018: no NVIDIA driver" in render(alone)


def test_quiet_leaves_findings_and_very_quiet_nothing() -> None:
    assert render(healthy, verbosity=-1) == ""
    assert render(sick, verbosity=-1).startswith("error CLS006")
    assert render(sick, verbosity=-2) == ""


def test_lines_fit_unless_one_word_is_longer() -> None:
    for line in render(sick, width=80, verbosity=1).splitlines():
        assert len(line) <= 80 or "/home/ana" in line


@pytest.mark.parametrize("width", range(60, 100))
def test_a_number_and_its_unit_stay_together(width: int) -> None:
    screen = render(sick, width=width, verbosity=1) + render(native, width=width)
    assert re.search(r"\d (s|bytes|[KMG]iB)\b", screen)
    for line in screen.splitlines():
        assert not re.match(r"\s+(s|bytes|[KMG]iB)\b", line), line


def test_one_of_a_thing_has_no_plural() -> None:
    found = native.subjects[0].growth[0]
    assert found.allocations is not None
    records = tuple(replace(one, count=1) for one in found.allocations.records)
    alone = replace(found, allocations=replace(found.allocations, records=records))
    screen = render(replace(native, subjects=(replace(native.subjects[0], growth=(alone,)),)))
    assert " 1 allocation (" in screen
    assert "1 allocations" not in screen


def test_paths_are_never_broken() -> None:
    assert f"{FILE}:88" in render(sick, width=40)


def test_paths_below_the_working_directory_are_relative() -> None:
    screen = render(sick, directory="/home/ana/projects/warehouse-simulation")
    assert "where        src/warehouse/envs/forklift.py:88 in close" in screen
    assert "/home/ana" not in screen
    assert "/home/ana" in render(sick, directory="/")


def test_one_finding_in_several_places_is_shown_once() -> None:
    assert render(sick).count("error CLS006") == 1
    assert "failed: 2 errors, 1 warning, 1 note in" in render(sick)


def test_blame_that_differs_between_places_is_reported_for_each() -> None:
    both = report(
        finding(), finding(manager=ASYNC, start_method="fork", blame=UNKNOWN), verdict=SICK
    )
    assert "in direct: the environment\n" in render(both)
    assert "in gymnasium-async, fork: unknown\n" in render(both)


def test_a_healthy_report_says_no_more_than_was_seen() -> None:
    assert "passed: nothing found in 4 scenarios" in render(healthy)
    assert "healthy" not in render(healthy)


def test_unfinished_scenarios_take_the_tick_away() -> None:
    screen = render(report(traces=(trace(), trace("reopen", outcome=TIMED_OUT, verb="reset"))))
    assert screen.startswith("? ")
    assert "nothing found in 1 scenario; 1 more did not finish (timed-out)" in screen


def test_a_control_is_no_scenario_of_the_subject() -> None:
    assert "nothing found in 1 scenario;" in render(report(traces=(trace(), trace(control=True))))


def test_nothing_judged_is_said() -> None:
    assert "no check could be judged" in render(report(verdict=INCONCLUSIVE, passed=()))


def test_interrupted_is_said_first() -> None:
    assert "interrupted: so far nothing found in 1 scenario" in render(interrupted)


def test_notes_alone_are_no_errors() -> None:
    assert "passed: 1 note in 4 scenarios" in render(report(finding(severity=NOTE)))


def test_markup_of_an_environment_is_text() -> None:
    assert "[bold red]boo[/] :smile:" in render(
        report(finding(message="[bold red]boo[/] :smile:"), verdict=SICK), width=200
    )


def test_commands_keep_their_lines() -> None:
    long = "python -c '" + "x = 1; " * 30 + "'"
    assert f"\n      {long}\n" in render(
        report(finding(commands=(f"def close(self):\n    pass\n{long}",)), verdict=SICK)
    )


def test_evidence_is_bounded() -> None:
    many = {f"k{number}": {str(item): "x" for item in range(number + 1)} for number in range(40)}
    screen = render(
        report(finding(evidence={**many, "stack": "\n".join(map(str, range(500)))}), verdict=SICK)
    )
    assert len(screen.splitlines()) < 50
    assert "more lines with --format json" in screen


def test_a_long_message_is_cut() -> None:
    assert "(all of it with --format json)" in render(
        report(finding(message="no " * 700), verdict=SICK), width=1000
    )


def test_skips_are_grouped_by_reason() -> None:
    skipped = tuple(
        Skipped(f"LEK00{number}", SPEC, "direct", "no sensor") for number in range(1, 9)
    )
    assert (
        "not judged: LEK001, LEK002, LEK003, LEK004, LEK005, LEK006 and 2 more: no sensor\n"
        in render(report(skipped=skipped))
    )
    assert "LEK007" in render(report(skipped=skipped), verbosity=1)


def hostile(text: str) -> Report:
    """A report that says `text` wherever an environment can put something."""
    return report(
        finding(
            severity=ERROR,
            message=text,
            remedy=text,
            commands=(text,),
            blame=ENVIRONMENT,
            evidence={text: text, "list": [text, {text: text}]},
        ),
        verdict=SICK,
        skipped=(Skipped("CLS001", SPEC, text, text),),
    )


@given(
    st.text(st.characters(), max_size=80), st.booleans(), st.sampled_from([20, 80]), st.booleans()
)
def test_no_text_acts_on_the_terminal(
    text: str, unicode: bool, width: int, interactive: bool
) -> None:
    screen = render(
        hostile(text), width=width, unicode=unicode, verbosity=1, interactive=interactive
    )
    assert not {
        character for character in screen if unicodedata.category(character) in ("Cc", "Cf", "Cs")
    } - {"\n"}
    assert unicode or screen.isascii()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", r"a\x1b[2Jb"),
        ("a\rb", r"a\rb"),
        ("a\u202eb", r"a\u202eb"),
        ("a\udc80b", r"a\udc80b"),
        ("a\nb\tc", "a b c"),
    ],
)
def test_controls_are_visible(text: str, shown: str) -> None:
    assert shown in render(report(finding(message=text), verdict=SICK))


@pytest.mark.parametrize("name", GROWTH)
def test_growth_in_ascii_fits(name: str) -> None:
    screen = render(GROWTH[name], width=80, unicode=False)
    assert screen.isascii()
    assert all(len(row) <= 80 or "/" in row for row in screen.splitlines())


def test_growth_is_reported_in_one_sentence() -> None:
    assert "No growth in 35 cycles (detection limit: 1 object or 32 bytes per cycle).\n" in render(
        flat
    )
    assert (
        "Grows by 1.6 KiB per reset: 1.5 GiB per million resets; steady through 231 cycles.\n"
        in render(native, width=120)
    )
    assert (
        "Grows by 1 object per instance and 0.1 objects per step, 1 descriptor per instance;"
        in render(kept, width=120)
    )
    assert "Growth is slowing: 0.25 objects per cycle at the end of 231 cycles.\n" in render(
        filling, width=120
    )


def test_a_quick_leak_check_has_no_table() -> None:
    assert "meter" not in render(leak_checked(leak_check(meter("objects"), quick=True)))


def test_short_blocks_hide_what_is_small() -> None:
    assert "(detection limit: 1 object or 43 bytes per cycle)" in render(
        leak_checked(replace(leak_check(meter("objects")), blocks=(3, 3, 3, 6)))
    )


@pytest.mark.parametrize(
    ("values", "bars", "plain"),
    [
        ([1, 1, 1], "███", "###"),
        ([0, 0], "▁▁", "__"),
        ([8, 4, 0, -3], "█▅▁▁", "#=__"),
        ([], "", ""),
    ],
)
def test_sparklines(values: list[float], bars: str, plain: str) -> None:
    assert (sparkline(values, unicode=True), sparkline(values, unicode=False)) == (bars, plain)


@pytest.mark.parametrize(
    ("meter_name", "number", "text"),
    [
        ("objects", 1, "1 object"),
        ("objects", 0.04, "0.04 objects"),
        ("objects", 1389, "1389 objects"),
        ("objects", 3e6, "3 million objects"),
        ("processes", 2.0, "2 processes"),
        ("heap", 1632, "1.6 KiB"),
        ("heap", 1.632e9, "1.5 GiB"),
        ("heap", 0.5, "0.5 bytes"),
        ("data", 0, "0 bytes"),
    ],
)
def test_amounts(meter_name: str, number: float, text: str) -> None:
    assert amount(meter_name, number) == text


def test_empty_parts_of_evidence_are_left_out() -> None:
    evidence = {
        "mirrored": {"calls": 7, "unknown": [], "difference": None, "left": 0},
        "nothing": {"at": None},
    }
    assert evidence_lines(evidence) == ["mirrored: calls = 7, left = 0", "nothing: at = None"]
