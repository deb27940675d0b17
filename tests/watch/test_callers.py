"""Exceptions that say what could not be had of memory, and lines that called what raised."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.probe.live.raised import _caller
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died

AT, CALL = Location("/collector.py", 24, "sample"), Location("/train.py", 42, "update")


def _finding(kind: str, message: str, detail: ErrorDetail | None = None) -> tuple[str, str]:
    arm = Instances(1, 1, "arm.Arm", reset=Calls(1, 1), step=Calls(9, 9))
    process = TrainingProcess(1, code=1, raised=Raised(kind, message, AT, detail=detail))
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 0.4, (process,), (arm,))))
    return finding.message, finding.remedy.text


@pytest.mark.parametrize(
    ("kind", "message", "words", "cure"),
    [
        (
            "numpy._core._exceptions._ArrayMemoryError",
            (
                "Unable to allocate 8.05 GiB for an array with shape (20000, 54006) and data type"
                " float64"
            ),
            ": 20,000 x 54,006 of float64 are 8.0 GiB",
            "take fewer of the 20,000 at once, or store them as float32, in half of it.",
        ),
        (
            "MemoryError",
            "Unable to allocate 28.2 GiB for an array with shape (1000000, 84, 84, 4) and data type uint8",
            ": 1,000,000 x 84 x 84 x 4 of uint8 are 26.3 GiB",
            "take fewer of the 1,000,000 at once. Where they are stored already",
        ),
        (
            "torch.OutOfMemoryError",
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 11 GiB",
            ": a device had no 2.00 GiB left",
            "learn from smaller batches",
        ),
        ("MemoryError", "", ", after 9 steps", "hold less"),
        ("RuntimeError", "lost", ", after 9 steps", "mend what raises there."),
        (
            "ValueError",
            "You need to add `_agent_ids` to your env",
            ", after 9 steps",
            "do what its message asks for",
        ),
    ],
)
def test_message_leads_to_the_cure(kind: str, message: str, words: str, cure: str) -> None:
    said, remedy = _finding(kind, message)
    assert words in said
    assert remedy.startswith(cure)


def test_message_of_numpy_is_as_it_is_read() -> None:
    with pytest.raises(MemoryError) as raised:
        np.zeros((1 << 30, 1 << 20))
    said, _ = _finding("MemoryError", str(raised.value))
    assert ": 1,073,741,824 x 1,048,576 of float64 are 8192.0 TiB" in said


def test_line_of_another_file_that_called_is_named() -> None:
    said, _ = _finding("ValueError", "no", ErrorDetail("caller", (), CALL))
    assert "(collector.py:24 in sample), called at train.py:42 in update, after 9 steps" in said


def test_caller_is_the_innermost_line_of_another_file(tmp_path: Path) -> None:
    library = tmp_path / "buffers.py"
    library.write_text("def sample():\n    return draw()\ndef draw():\n    raise ValueError\n")
    sys.path.insert(0, str(tmp_path))
    try:
        import buffers  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(tmp_path))
        sys.modules.pop("buffers", None)
    with pytest.raises(ValueError, match=r"^$") as raised:
        buffers.sample()
    frame = _caller(raised.value)["frame"]
    assert isinstance(frame, dict)
    assert (frame["file"], frame["function"]) == (
        __file__,
        "test_caller_is_the_innermost_line_of_another_file",
    )
    with pytest.raises(ValueError, match=r"^$") as alone:
        raise ValueError
    assert _caller(alone.value) == {}
