"""An object that collections leave out stays left out after a look at the whole heap."""

from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from envdoctor.probe.growth import settle
from envdoctor.probe.growth.settle import LeftOut
from envdoctor.probe.journal import Journal
from envdoctor.probe.verbs import describe
from tests.probe import fresh


class Node:
    """Refers to itself: only the collector frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def frozen():
    """A heap of which much is left out."""
    gc.collect()
    gc.freeze()
    yield gc.get_freeze_count()
    gc.unfreeze()


def test_only_what_was_left_out_is_left_out_again(frozen, monkeypatch):
    opened = Node()
    monkeypatch.setattr(settle, "MUCH", 10)
    left_out = LeftOut()
    gc.unfreeze()
    fresh = Node()
    left_out.restore([id(fresh), id(vars(fresh))])
    assert gc.get_freeze_count() > frozen / 2
    references = [weakref.ref(opened), weakref.ref(fresh)]
    del opened, fresh
    gc.collect()
    assert [reference() for reference in references] == [None, None]


def test_small_heap_is_not_touched(frozen, monkeypatch):
    monkeypatch.setattr(settle, "MUCH", 10 * frozen)
    left_out = LeftOut()
    gc.unfreeze()
    left_out.restore([])
    assert gc.get_freeze_count() == 0


def test_count_of_instances_leaves_out_what_was(frozen, tmp_path, monkeypatch):
    monkeypatch.setattr(settle, "MUCH", 10)
    describe.census(Node(), Journal(str(tmp_path / "journal")), 1)
    assert gc.get_freeze_count() > frozen / 2


def test_instances_of_the_subject_are_listed_beside_libraries_that_are_left_out(
    tmp_path: Path,
) -> None:
    body = """
    import gc
    from envdoctor.probe.growth import settle

    class OfLibrary:
        pass

    before = OfLibrary()
    settle.leave_out_libraries()
    own = type("Own", (), {"__module__": "subject"})
    late = own(), own()
    listed = [type(each) for each in gc.get_objects()]
    counts = [listed.count(own), settle.lists_each(own), settle.lists_each(OfLibrary)]
    from envdoctor.probe.verbs import describe
    counts += [describe._instances(own), describe._instances(OfLibrary)]
    left_out = settle.LeftOut()
    gc.unfreeze()
    left_out.restore(())
    counts += [settle.lists_each(own)]
    settle.leave_out_what_is_there()
    tell(counts + [settle.lists_each(own)])
    """
    assert fresh.run(body, tmp_path) == [2, True, False, 2, 1, True, False]
