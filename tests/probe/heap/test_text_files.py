"""Text that waits to be written is written before a reading."""

from __future__ import annotations

import gc
import io
import os
import sys
from pathlib import Path

import pytest

from envdoctor.probe.system import text_files


def test_text_of_a_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    with path.open("w") as file:
        file.write("reset\n")
        assert path.read_text() == ""
        text_files.flush()
        assert path.read_text() == "reset\n"


def test_text_of_a_file_that_the_collector_does_not_list_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "_left_out", [])
    path = tmp_path / "log.txt"
    with path.open("w") as file:
        text_files.remember()
        monkeypatch.setattr(gc, "get_objects", list)  # as after gc.freeze()
        file.write("reset\n")
        text_files.flush()
        assert path.read_text() == "reset\n"
        text_files.remember()  # nothing is forgotten by the next freeze
        file.write("step\n")
        text_files.flush()
        assert path.read_text() == "reset\nstep\n"


def test_a_full_pipe_is_not_waited_for() -> None:
    read_end, write_end = os.pipe()
    os.set_blocking(write_end, False)
    with open(read_end, "rb"), open(write_end, "w") as file:
        with pytest.raises(BlockingIOError):
            while True:
                os.write(write_end, bytes(4096))
        os.set_blocking(write_end, True)
        file.write("reset\n")
        text_files.flush()  # would not come back
        os.set_blocking(write_end, False)
        with pytest.raises(BlockingIOError):
            file.flush()
        os.read(read_end, 1 << 20)


def test_closed_and_detached_files_are_passed_over(tmp_path: Path) -> None:
    closed = (tmp_path / "closed.txt").open("w")
    closed.close()
    detached = io.TextIOWrapper(io.BytesIO())
    detached.detach()
    text_files.flush()


def test_standard_output_is_written_where_nothing_else_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "stdout"
    with path.open("w") as file:
        monkeypatch.setattr(text_files.kernel, "descriptors", lambda _pid: {"1": str(path)})
        monkeypatch.setattr(sys, "stdout", file)
        monkeypatch.setattr(gc, "get_objects", list)  # it is not looked through
        file.write("reset\n")
        text_files.flush()
        assert path.read_text() == "reset\n"


def test_file_of_stacks_is_no_reason_to_look_through_all_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []
    monkeypatch.setattr(gc, "get_objects", lambda: looked.append(1) or [])
    listed = text_files.kernel.descriptors
    with (tmp_path / "stacks").open("a") as stacks, (tmp_path / "log.txt").open("w") as log:
        ours = {str(each.fileno()) for each in (stacks, log)}
        monkeypatch.setattr(
            text_files.kernel,
            "descriptors",
            lambda pid: {number: path for number, path in listed(pid).items() if number in ours},
        )
        monkeypatch.setattr(text_files.stacks, "_opened", [stacks])
        text_files.flush()
        assert looked == [1], "the log is written"
        log.close()
        text_files.flush()
        assert looked == [1]
