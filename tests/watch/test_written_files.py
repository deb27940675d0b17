"""Files that are open for writing several times: what counts, with real descriptors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import pytest

from envdoctor.model.training import Training
from envdoctor.model.training_files import WrittenFile
from envdoctor.watch.written_files import WrittenFiles

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., IO[str]]]:
    """Opens the same file again, and writes to it."""
    with ExitStack() as files:

        def opening(mode: str = "w", text: str = "r,l\n") -> IO[str]:
            file = files.enter_context(open(tmp_path / "monitor.csv", mode))
            file.write(text)
            file.flush()
            return file

        yield opening


def seen(*pids: int) -> list[tuple[int, tuple[int, ...]]]:
    files = WrittenFiles()
    files.look((os.getpid(), *pids), 1.0)
    assert files.looks == 1
    return [
        (each.openings, each.pids) for each in files.written if each.path.endswith("monitor.csv")
    ]


def test_file_that_is_opened_twice_is_written_twice(opened) -> None:
    opened()
    assert seen() == []
    opened()
    assert seen() == [(2, (os.getpid(),))]
    opened()
    assert seen() == [(3, (os.getpid(),))]


@pytest.mark.parametrize(("mode", "text"), [("a", "r,l\n"), ("w+", "r,l\n"), ("w", "")])
def test_openings_that_harm_nothing_do_not_count(mode: str, text: str, opened) -> None:
    opened()
    opened(mode, text)
    assert seen() == []


def test_descriptors_of_one_opening_count_once(opened) -> None:
    """Those of dup(), and those that a child inherits."""
    file = opened()
    copied = os.dup(file.fileno())
    words = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=file) as child:
        assert seen(child.pid) == []
        other = opened()
        assert [number for number, _ in seen(child.pid)] == [2]
        other.close()
        assert child.stdin is not None
        child.stdin.close()
    os.close(copied)


def test_processes_that_open_a_file_are_all_named(opened) -> None:
    name = opened().name
    code = "import sys; f = open(sys.argv[1], 'w'); f.write('1'); f.flush(); print(flush=True)"
    words = [sys.executable, "-c", f"{code}; sys.stdin.read()", name]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        assert seen(child.pid) == [(2, tuple(sorted((os.getpid(), child.pid))))]
        child.communicate()


def test_most_openings_of_all_looks_are_kept(opened) -> None:
    files, others = WrittenFiles(), [opened() for _ in range(3)]
    files.look([os.getpid()], 1.0)
    others.pop().close()
    files.look([os.getpid()], 1.05)
    files.look([os.getpid()], 60.0)
    assert files.looks == 2
    assert [each.openings for each in files.written] == [3]


def test_files_are_kept_with_a_training() -> None:
    training = Training((), file_looks=3, written=(WrittenFile("/logs/monitor.csv", 2, (4, 5)),))
    assert Training.from_dict(training.as_dict()) == training
