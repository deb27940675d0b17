"""Every recording, judged again by today's rules: the findings, what passed and what was not judged
are those of its snapshot; sick ones have their code, healthy twins neither an error nor a warning.
"""

from __future__ import annotations

import pytest

from tests.recorded import keeping
from tests.recorded.catalogue import cases
from tests.recorded.expectations import failures
from tests.recorded.snapshots import changes, snapshot_of
from tests.support.mutations import passes_unseen

CASES = cases()
KEYS = keeping.keys()


@pytest.mark.parametrize("key", KEYS)
def test_recording_is_judged_as_before(key: str) -> None:
    case, recording = CASES[key], keeping.load(key)
    report = recording.report()
    assert failures(case, report) == []
    snapshot = keeping.snapshot(key)
    assert snapshot is not None, "it has no snapshot: python -m tests.recorded accept"
    assert list(changes(snapshot, snapshot_of(report))) == []
    assert keeping.index().entries[key].traits == recording.traits()
    for code in case.says:
        assert passes_unseen(recording.seen, code) == []
