"""Known findings: what passes, what is new, what got worse, what is gone; and the file that
says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from envdoctor.errors import UsageError
from envdoctor.model.finding import BASELINED, IGNORED, OPEN, Finding, Remedy
from envdoctor.verdict.baseline import (
    BaselineEntry,
    compared,
    known_of,
    parse,
    pruned,
    updated,
    worse,
    write_json,
    write_toml,
)


def finding(left: int = 1, code: str = "CLS008", **fields: Any) -> Finding:
    held = {str(number): "simulator" for number in range(left)}
    common = {
        "subject": "Env-v0",
        "manager": "direct",
        "evidence": {"held": held},
        "measures": {"processes left": left},
    }
    return Finding(
        code,
        "close-leaves-processes",
        "error",
        f"close() leaves {left} processes",
        Remedy("stop them"),
        **{**common, **fields},
    )


def places(*findings: Finding) -> set[tuple[str, str, str, str | None]]:
    return {known_of(one).place for one in findings}


def test_known_finding_passes_with_its_reason() -> None:
    (settled,), unmatched = compared([finding()], [known_of(finding(), "ours to mend in May")])
    assert (settled.status, settled.status_reason, unmatched) == (
        BASELINED,
        "ours to mend in May",
        [],
    )


def test_less_of_it_passes_and_more_of_it_does_not() -> None:
    known = [known_of(finding(2))]
    assert compared([finding(1)], known)[0][0].status == BASELINED
    (settled,), _ = compared([finding(3)], known)
    assert (settled.status, settled.status_reason) == (
        OPEN,
        "worse than in the baseline: processes left: was 2, is 3",
    )


def test_an_entry_stands_for_one_finding() -> None:
    settled, unmatched = compared([finding(), finding()], [known_of(finding())])
    assert [one.status for one in settled] == [BASELINED, OPEN]
    assert not unmatched


def test_of_several_entries_the_one_that_fits_is_used() -> None:
    settled, unmatched = compared(
        [finding(3), finding(1)], [known_of(finding(1)), known_of(finding(3))]
    )
    assert [one.status for one in settled] == [BASELINED, BASELINED]
    assert not unmatched


def test_different_finding_is_new() -> None:
    known = [known_of(finding())]
    for other in (
        finding(code="CLS007"),
        finding(subject="Env-v1"),
        finding(manager="gymnasium-sync"),
    ):
        settled, unmatched = compared([other], known)
        assert (settled[0].status, unmatched) == (OPEN, known)


def test_ignored_finding_stays_ignored() -> None:
    assert compared([finding(status=IGNORED)], [known_of(finding())])[0][0].status == IGNORED


@pytest.mark.parametrize(
    ("name", "was", "fine", "too_much"),
    [
        ("threads left", 1, 1, 2),
        ("native bytes per cycle", 1600.0, 1759.0, 1761.0),
        ("native bytes per cycle", 32.0, 95.0, 97.0),
        ("descriptors per cycle", 0.2, 0.209, 0.22),
        ("descriptors per cycle", 1.0, 1.04, 2.0),
        ("seconds", 3.0, 4.4, 4.6),
        ("seconds", 0.5, 1.4, 1.6),
    ],
)
def test_larger_amount_is_worse(name: str, was: float, fine: float, too_much: float) -> None:
    assert not worse({name: was}, {name: fine})
    assert worse({name: was}, {name: too_much})


def test_new_measure_is_worse_and_missing_measures_set_no_bound() -> None:
    assert worse({"threads taken": 1}, {"threads taken": 1, "ports taken": 1}) == [
        "ports taken: was 0, is 1"
    ]
    assert not worse({}, {"threads taken": 9})


def test_an_update_keeps_reasons_and_what_was_not_judged() -> None:
    other, gone = finding(subject="Env-v1"), finding(code="CLS007")
    old = [known_of(finding(), "first"), known_of(other, "second"), known_of(gone, "third")]
    new = finding(manager="gymnasium-sync")
    entries = updated(old, [finding(3), new], places(finding(), gone, new), "accepted in review")
    assert {
        (one.code, one.subject, one.manager, one.reason, one.measured["processes left"])
        for one in entries
        if one.measured
    } == {
        ("CLS008", "Env-v0", "direct", "first", 3),
        ("CLS008", "Env-v1", "direct", "second", 1),
        ("CLS008", "Env-v0", "gymnasium-sync", "accepted in review", 1),
    }
    assert len(entries) == 3


def test_an_update_leaves_entries_alone_where_nothing_changed() -> None:
    """Messages may hold names drawn at random: the file's history is for changes."""
    entry = replace(
        known_of(finding(), "why"), message="close() leaves 1 process: simulator --port 4242"
    )
    assert updated([entry], [finding()], places(finding())) == [entry]


def test_pruning_never_takes_up_what_is_new() -> None:
    gone = known_of(finding(code="CLS007"))
    old = [known_of(finding()), gone]
    assert pruned(
        old, [finding(5), finding(subject="new")], places(finding(), finding(code="CLS007"))
    ) == [known_of(finding())]


def raised(message: str) -> Finding:
    """A finding that is not counted: version 1 had the beginning of its message in it."""
    return finding(code="CLS001", measures=None, evidence={}).but(message=message)


def test_a_baseline_of_version_1_is_read_and_rewritten() -> None:
    now = [finding(2), raised("close() raises OSError: no")]
    old = [replace(known_of(one, "ours"), fingerprint=one.fingerprint_v1) for one in now]
    text = write_toml(old).replace("version = 2", "version = 1")
    read = parse(text, "b")
    settled, unmatched = compared(now, read)
    assert ([one.status for one in settled], unmatched) == ([BASELINED, BASELINED], [])
    assert compared([raised("reset() raises OSError: no")], read)[0][0].status == OPEN
    for rewritten in (updated(read, now, places(*now)), pruned(read, now, places(*now))):
        assert {one.fingerprint for one in rewritten} == {one.fingerprint for one in now}
        assert {one.reason for one in rewritten} == {"ours"}
        # From now on, words may change.
        assert compared([raised("another sentence")], rewritten)[0][0].status == BASELINED


TEXTS = st.text(max_size=20)
HEX = st.text("0123456789abcdef", min_size=16, max_size=16)
MEASURES = st.dictionaries(TEXTS, st.one_of(st.integers(0, 10**12), st.floats(0, 1e12)), max_size=3)
ENTRIES = st.builds(
    BaselineEntry,
    HEX,
    TEXTS,
    TEXTS,
    TEXTS,
    TEXTS,
    st.one_of(st.none(), TEXTS),
    TEXTS,
    TEXTS,
    MEASURES,
)


@settings(deadline=None)
@given(st.lists(ENTRIES, max_size=5))
def test_the_file_says_what_was_written(entries: list[BaselineEntry]) -> None:
    for write in (write_toml, write_json):
        text = write(entries)
        assert sorted(parse(text, "b"), key=lambda entry: entry.order) == sorted(
            entries, key=lambda entry: entry.order
        )
        assert write(parse(text, "b")) == text == write(reversed(entries))


def test_the_file_is_one_to_read_and_to_compare() -> None:
    text = write_toml(
        [known_of(finding(manager="gymnasium-async", start_method="fork"), 'a "good" reason')]
    )
    assert text.splitlines()[5:] == [
        "[[known]]",
        f'fingerprint = "{finding(manager="gymnasium-async", start_method="fork").fingerprint}"',
        'code = "CLS008"',
        'name = "close-leaves-processes"',
        'subject = "Env-v0"',
        'manager = "gymnasium-async"',
        'start-method = "fork"',
        'message = "close() leaves 1 processes"',
        'reason = "a \\"good\\" reason"',
        'measured = { "processes left" = 1 }',
    ]


ENTRY = (
    '[[known]]\nfingerprint = "0123456789abcdef"\ncode = "CLS008"\nname = "n"\nsubject ='
    ' "s"\nmanager = "direct"\n'
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("version = 3", "version is 3; this envdoctor reads versions 1 and 2"),
        ("", "version is None"),
        ("version =", "cannot be read"),
        ("{", "cannot be read"),
        ("version = 1\nknown = 3", "known is not a list"),
        ("version = 1\nknown = [3]", "entry 1 is not a table"),
        ("version = 1\n" + ENTRY.replace("code", "cod"), "entry 1: code is missing"),
        ("version = 1\n" + ENTRY.replace('"CLS008"', "8"), "entry 1: code is not text"),
        ("version = 1\n" + ENTRY.replace("0123456789abcdef", "x"), "fingerprint 'x' is not one"),
        ("version = 1\n" + ENTRY + "measured = 3", "measured is not a table"),
        ("version = 1\n" + ENTRY + 'measured = { a = "b" }', "a in measured is not a number"),
    ],
)
def test_errors_are_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text, "known.toml")
    assert str(caught.value).startswith("known.toml")
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_a_baseline_or_a_sentence(text: str) -> None:
    for each in (text, "version = 1\n[[known]]\n" + text):
        try:
            parse(each, "b")
        except UsageError as error:
            assert "\n" not in str(error)
