"""One cell of the matrix in every run, one for each kind of trouble in `make everything`, all in
`make matrix`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.matrix.cell import (
    ALONE,
    ENVS,
    WORKERS,
    Cell,
    Place,
    alone,
    can_be_alone,
    complaints,
    play,
    surroundings,
)
from tests.matrix.faults import FAULTS, Fault

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="looks into /proc and /dev/shm"
)

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


@pytest.mark.everything(but=["hanging.interpreter_lock"])
@pytest.mark.parametrize("name", SAMPLE, ids="-".join)
def test_every_promise_is_kept(name: tuple[str, str, str]) -> None:
    cell = cell_of(*name)
    assert complaints(cell, play(cell)) == []


@pytest.mark.everything
def test_nobody_is_accused_where_nothing_is_done() -> None:
    result = play(Cell("nothing.nothing", "reset", ALONE, ("direct", "gymnasium-sync")))
    assert (result.exit_code, result.codes) == (0, {})


def test_a_broken_promise_is_noticed() -> None:
    """An expected finding that is missing, a manager that is not played, and leftovers in the
    doctor's own process.
    """
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


@pytest.mark.parametrize(
    "deed",
    [
        "lost_temporary_directory",
        "lost_run_directory",
        "scribbles",
        "read_only_temporary_directory",
    ],
)
def test_nothing_is_harmed_but_what_a_cell_was_given(deed: str, tmp_path: Path) -> None:
    """Such a deed once removed the directory that everybody shares: $TMPDIR was gone, and
    Python chose another one.
    """
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "precious").write_text("kept")
    code = f"from deeds import meddling; meddling.{deed}(None)"
    for given in ("", str(tmp_path / "t")):
        variables = {**os.environ, "TMPDIR": str(tmp_path / "t"), "MATRIX_PLACE": given}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=ENVS,
            env=variables,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert "is not ours to harm" in done.stderr
    assert (tmp_path / "t" / "precious").read_text() == "kept"


@pytest.mark.skipif(not can_be_alone(), reason="needs namespaces")
def test_a_cell_can_write_nowhere_else(tmp_path: Path) -> None:
    place = Place()
    try:
        words = alone(["sh", "-c", 'touch "$TMPDIR/inside"; touch "$0/outside"', str(tmp_path)])
        variables = surroundings(place, Cell("nothing.nothing", "reset", ALONE, ("direct",)))
        subprocess.run(words, env=variables, capture_output=True, timeout=600, check=False)
        assert (place.tmp / "inside").exists()
        assert not (tmp_path / "outside").exists()
    finally:
        place.close()
