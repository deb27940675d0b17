"""A guard, with a program that is no probe."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.model.template_request import ADOPT, SUBREAPER
from envdoctor.run.supervise import guard, proc

PATIENCE = 600  # seconds, which end a hang

#: Two forks and the end of the one between, in less time than an import takes.
LOSES_ITS_PARENTS = "(sleep 600 & echo $! >escaped) >/dev/null 2>&1\n"


def test_template_starts_guards_in_the_words_of_the_guard() -> None:
    assert (ADOPT, SUBREAPER) == (guard.ADOPT, guard.PR_SET_CHILD_SUBREAPER)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has subreapers")
def test_descendant_that_loses_its_parents_at_once_is_adopted(tmp_path: Path) -> None:
    script = tmp_path / "program.sh"
    script.write_text(LOSES_ITS_PARENTS)
    command, doctor = os.pipe()
    heard, report = os.pipe()
    request, requests = os.pipe()
    words = [
        *map(str, (command, report, request)),
        "no mark",
        str(tmp_path),
        "/bin/sh",
        str(script),
    ]
    with subprocess.Popen(
        [*guard.words_of(guard.__file__), *words],
        pass_fds=(command, report, request),
        cwd=tmp_path,
    ) as running:
        for descriptor in (command, report, request, requests):
            os.close(descriptor)
        with os.fdopen(heard) as lines:
            words = [next(lines).split()[0], next(lines).split()[0]]
            escaped = int((tmp_path / "escaped").read_text())
            parents = {pid: parent for pid, parent, *_ in guard.processes()}
            os.write(doctor, b".")
            os.close(doctor)
            assert lines.read() == ""
        running.wait(PATIENCE)
    guard.kill(escaped, guard.SIGKILL)  # where it was not adopted
    assert (words, parents[escaped]) == (["began", "ended"], running.pid)


@pytest.mark.skipif(not proc.LISTS_CHILDREN, reason="this kernel lists no children")
def test_descendants_are_those_that_all_processes_show() -> None:
    with subprocess.Popen(["/bin/sh", "-c", "sleep 600 & sleep 600; true"]) as program:
        try:
            while len(guard.below(program.pid, guard.NOBODY)) < 2:
                continue
            assert proc.descendants(program.pid) == guard.below(program.pid, guard.NOBODY)
            assert program.pid in proc.descendants(os.getpid())
        finally:
            for pid in (*proc.descendants(program.pid), program.pid):
                guard.kill(pid, guard.SIGKILL)
    assert proc.descendants(program.pid) == []


def test_marks_are_found_beside_processes_that_had_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "_strangers", {})
    marked = {**os.environ, "ENVDOCTOR_MARK": "mine"}
    words = [sys.executable, "-S", "-c", "print(1, flush=True); input()"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        subprocess.Popen(words, **pipes) as stranger,  # type: ignore[call-overload]
        subprocess.Popen(words, env=marked, **pipes) as own,  # type: ignore[call-overload]
    ):
        assert [program.stdout.readline() for program in (stranger, own)] == [b"1\n"] * 2
        rows = guard.processes()
        starts = {pid: start for pid, *_, start in rows}
        # Once more, and for a number that another process had before.
        for _ in range(2):
            assert guard.marked("mine", rows) == {own.pid}
            assert guard.marked("others", rows) == set()
            if guard.HAS_PROC:
                assert guard._strangers[stranger.pid] == starts[stranger.pid]
                assert guard._strangers.get(own.pid) in (None, b"before")
                guard._strangers[own.pid] = b"before"
        for program in (stranger, own):
            program.communicate(b"\n")


def test_file_beside_the_guard_hides_no_module_of_python(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('the one beside it')")
    (tmp_path / "stands.py").write_text("import json, sys\ndef main(argv): print(sys.path, *argv)")
    words = guard.words_of(str(tmp_path / "stands.py"))
    done = subprocess.run(
        [*words, "PIPE"], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    assert done.stdout.endswith(f"{tmp_path} PIPE\n")
    assert done.stdout.count(str(tmp_path)) == 1  # it is not left in the path
