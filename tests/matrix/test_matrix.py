"""A sample of the matrix, one cell for each kind of trouble. The whole: `python -m tests.matrix --all`."""

from __future__ import annotations

import sys

import pytest

from tests.matrix.cell import ALONE, ENVS, WORKERS, Cell, complaints, play
from tests.matrix.faults import FAULTS, Fault

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc and /dev/shm")

SAMPLE = (
    ("raising.surrogates", "import", ALONE),
    ("raising.str_exits", "reset", ALONE),
    ("hanging.interpreter_lock", "import", ALONE),
    ("dying.segfault", "constructor", ALONE),
    ("dying.exit_zero", "step", WORKERS),
    ("taking.descriptors_for_good", "reset", ALONE),
    ("escaping.twin", "reset", ALONE),
    ("escaping.nameless", "reset", WORKERS),
    ("meddling.scribbles", "reset", ALONE),
    ("meddling.lost_directory", "reset", WORKERS),
    ("deceiving.class_lies", "class", ALONE),
)


def cell_of(deed: str, place: str, where: str) -> Cell:
    """The cell of the matrix, as the whole run plays it."""
    cells = [cell for fault in FAULTS if fault.deed == deed for cell in fault.cells()]
    return next(cell for cell in cells if (cell.place, cell.where) == (place, where))


@pytest.mark.parametrize("name", SAMPLE, ids="-".join)
def test_every_promise_is_kept(name: tuple[str, str, str]) -> None:
    cell = cell_of(*name)
    assert complaints(cell, play(cell)) == []


def test_nobody_is_accused_where_nothing_is_done() -> None:
    result = play(Cell("nothing.nothing", "reset", ALONE, ("direct", "gymnasium-sync")))
    assert (result.exit_code, result.codes) == (0, {})


def test_a_broken_promise_is_noticed() -> None:
    """What is expected and not told, a manager that is not played, and what is left in the doctor's own process."""
    cell = Cell("nothing.nothing", "reset", ALONE, ("direct", "sb3-dummy"), expected=("PRC003",))
    found = complaints(cell, play(cell))
    assert "PRC003 is not told" in found


def test_the_faults_are_many_and_different() -> None:
    deeds = [fault.deed for fault in FAULTS]
    assert len(deeds) == len(set(deeds))
    assert len(deeds) >= 80


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.deed)
def test_every_fault_has_a_deed(fault: Fault) -> None:
    kind, name = fault.deed.split(".")
    text = (ENVS / "deeds" / f"{kind}.py").read_text()
    assert f"def {name}(" in text or f"\n{name} = " in text
    assert fault.here or fault.workers

