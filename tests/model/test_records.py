"""The journal's events as values: whatever counts as an event can be decoded."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from envdoctor.model import records
from envdoctor.model.records import Record, VerbRecord, decode, record_of
from envdoctor.model.scenario import Scenario
from envdoctor.model.trace import Outcome, Trace
from envdoctor.rules.engine.examples import raised

KINDS = Record.__subclasses__()

#: What stands under a key of an event, right or wrong.
VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 9),
    st.floats(allow_nan=True),
    st.text(max_size=3),
    st.just(raised()),
    st.just({"before": {}, "after": {}}),
    st.just([1, 2]),
    st.just([{"step": 3, "how": ["x"]}]),
    st.just([{"step": 3, "how": None}, {"step": 4, "how": "truncated"}]),
    st.just([{"file": "a.py", "line": 3, "count": "many"}]),
    st.just({"file": "a.py", "line": 3, "caller": 7}),
    st.just({"file": "a.py", "line": 3, "caller": {"file": "b.py", "line": 1}}),
)
KEYS = sorted({each.name for kind in KINDS for each in fields(kind)} - {"t", "pid", "index"})


def needed(kind: type[Record]) -> list[str]:
    """The keys without which an event of the kind means nothing."""
    return [
        each.name
        for each in fields(kind)
        if each.default is MISSING and each.default_factory is MISSING and each.name in KEYS
    ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.KIND)
@given(st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6), st.data())
def test_every_event_can_be_decoded(
    kind: type[Record], more: dict[str, Any], data: st.DataObject
) -> None:
    values = {key: data.draw(VALUES, label=key) for key in needed(kind)}
    event = {**more, **values, "event": kind.KIND, "t": 1.0, "pid": 2}
    if record_of(event):
        decoded = decode(kind, 3, event)
        assert (decoded.t, decoded.pid, decoded.index) == (1.0, 2, 3)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.KIND)
def test_value_without_a_needed_key_is_not_an_event(kind: type[Record]) -> None:
    event: dict[str, Any] = {"event": kind.KIND, "t": 1.0, "pid": 2}
    assert not record_of(event)
    assert record_of({**event, "event": "of a later version"})


EVENTS: tuple[dict[str, Any], ...] = (
    {"event": "scenario", "t": 0.0, "pid": 1, "state": "began"},
    {"event": "verb", "t": 0.1, "pid": 1, "verb": "make", "state": "began"},
    {"event": "of a later version", "t": 0.2, "pid": 1},
    {"event": "verb", "t": 0.3, "pid": 1, "verb": "make", "state": "ended"},
    {"event": "fact", "t": 0.4, "pid": 1, "key": "last-step", "value": {"episode": 1, "step": 2}},
)


@pytest.mark.parametrize("undecoded", [None, *range(len(EVENTS))])
def test_records_that_were_decoded_with_their_events_are_those_of_the_events(
    undecoded: int | None,
) -> None:
    entries = [
        (event, None if place == undecoded else record_of(event, place))
        for place, event in enumerate(EVENTS)
    ]
    read = Trace.read(Scenario("life", "make"), Outcome("finished"), entries, {})
    plain = Trace(read.scenario, read.outcome, EVENTS)
    assert read == plain
    for kind in (Record, *KINDS):
        records = tuple(read.records(kind))
        assert records == tuple(plain.records(kind))
        assert [each.index for each in records] == [each.index for each in plain.records(kind)]
    kept = [record for _, record in entries if isinstance(record, VerbRecord)]
    is_kept = [one is other for one, other in zip(kept, read.records(VerbRecord), strict=False)]
    assert all(is_kept) is (undecoded not in (1, 3))


def test_an_event_that_lost_a_key_is_named() -> None:
    with pytest.raises(ValueError, match="VerbRecord has no key 'state'"):
        decode(VerbRecord, 0, {"event": "verb", "t": 0.0, "pid": 1, "verb": "make"})


def test_a_trace_decodes_once() -> None:
    event = {"event": "verb", "t": 0.0, "pid": 1, "verb": "reset@1", "state": "raised"}
    trace = Trace(Scenario("life", "make"), Outcome("finished"), (event, event))
    first, second = trace.records(VerbRecord)
    assert (first.index, second.index) == (0, 1)
    assert next(trace.records(VerbRecord, state="raised")) is first
    assert trace.verbs("reset") == [first, second]
    assert records.decode(VerbRecord, 0, {**event, "later": 1}) == first
