"""The doctor's end of a journal takes any bytes: what is an event is read, what is none costs
nothing but itself.
"""

from __future__ import annotations

import json
import tempfile
from contextlib import closing
from dataclasses import fields
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from envdoctor.model import facts
from envdoctor.model.records import Record
from envdoctor.run.supervise import journal_reader
from envdoctor.run.supervise.journal_reader import JournalReader, decode

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
KINDS = {kind.KIND: kind for kind in Record.__subclasses__()}
KEYS = st.sampled_from(sorted({each.name for kind in KINDS.values() for each in fields(kind)}))
EVENTS = st.builds(
    lambda kind, key, values: {"event": kind, "t": 1.0, "pid": 7, "key": key, **values},
    st.sampled_from(sorted(KINDS)) | st.text(max_size=5),
    st.sampled_from(sorted(facts.FACTS)) | JSON,
    st.dictionaries(KEYS, JSON, max_size=6),
)
WHOLE = {"event": "fact", "t": 1.0, "pid": 7, "key": "k", "value": [1]}


def line(event: object) -> bytes:
    return json.dumps(event).encode() + b"\n"


def heard(*writes: bytes) -> list[dict[str, object]]:
    """The events of a journal that is read after each write."""
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(JournalReader(Path(folder, "1.jsonl"))) as read,
    ):
        for data in writes:
            with read.path.open("ab") as file:
                file.write(data)
            read.read()
        return read.events


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_any_bytes(writes: list[bytes]) -> None:
    assert heard(*writes, b"\n", line(WHOLE))[-1] == WHOLE


@given(st.lists(EVENTS, max_size=6), st.data())
def test_any_events_in_any_pieces(events: list[object], data: st.DataObject) -> None:
    """However the writes fall into the reads, the same is heard."""
    text = b"".join(map(line, [*events, WHOLE]))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    pieces = [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    told = heard(*pieces)
    assert json.dumps(told) == json.dumps(heard(text))
    assert told[-1] == WHOLE


@given(st.data())
def test_a_line_that_was_cut_costs_only_itself(data: st.DataObject) -> None:
    long = line({**WHOLE, "value": data.draw(JSON)})
    half = long[: data.draw(st.integers(0, len(long) - 2))]
    assert heard(half, line(WHOLE), line(WHOLE))[-2:] == [WHOLE, WHOLE]


def test_a_line_without_an_end_is_not_kept(monkeypatch) -> None:
    monkeypatch.setattr(journal_reader, "MAX_LINE", 1000)
    monkeypatch.setattr(journal_reader, "CHUNK", 100)
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(JournalReader(Path(folder, "1.jsonl"))) as read,
    ):
        read.path.write_bytes(line({**WHOLE, "value": "x" * 100_000}) + line(WHOLE))
        read.read()
        assert read.events == [WHOLE]
        assert len(read._rest) <= 1100


def test_a_journal_without_an_end_is_not_read_for_ever(monkeypatch) -> None:
    monkeypatch.setattr(journal_reader, "MAX_JOURNAL", 10_000)
    monkeypatch.setattr(journal_reader, "CHUNK", 1000)
    assert 0 < len(heard(line(WHOLE) * 10_000)) <= 11_000 / len(line(WHOLE))


def test_many_beginnings_take_no_time() -> None:
    assert decode(b'{"event"' * 500_000) is None


def test_line_of_wrong_shape_is_not_an_event() -> None:
    for wrong in (
        {"event": "verb", "verb": 7, "state": "began"},
        {"event": "reading", "life": 0, "point": [], "sensors": {}},
        {"event": "reading", "life": 0, "point": "held", "sensors": {"threads": [1]}},
        {"event": "instance", "what": "made", "serial": {}},
        {"event": "fact", "key": "survey", "value": 3},
        {
            "event": "unraisable",
            "what": "thread",
            "where": "x",
            "error": {"type": "E", "message": "", "frames": [], "user": 4},
        },
        {"event": 7},
    ):
        assert decode(line({"t": 1.0, "pid": 7, **wrong})) is None, wrong
        assert decode(line({**WHOLE, "t": "now"})) is None


def test_records_have_the_places_of_their_events() -> None:
    """A beat is not kept, and what the doctor adds was not decoded."""
    beat = {"event": journal_reader.BEAT, "t": 1.0, "pid": 7}
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(JournalReader(Path(folder, "1.jsonl"))) as read,
    ):
        for events, added in (([WHOLE, beat, WHOLE], [WHOLE]), ([beat, WHOLE], [])):
            with read.path.open("ab") as file:
                file.writelines(map(line, events))
            read.read()
            read.add(added)
        entries = read.read_events()
    assert [event for event, _ in entries] == [WHOLE] * 4
    assert [record and record.index for _, record in entries] == [0, 1, None, 3]
