"""The memory of processes below a new one: what they keep is seen, and nothing else is."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from envdoctor.probe.system import child_memory
from tests.probe.fresh import run

pytestmark = pytest.mark.skipif(child_memory.missing() != "", reason="needs /proc/PID/smaps_rollup")

KIB = 1 << 10
PAGES = 64 * KIB  # that a process may take besides: `tolerance` of the meter

#: A program that does something for each line, then answers; and what asks it.
ASKING = """
import subprocess, time
from envdoctor.probe.system import child_memory

PROGRAM = '''
import sys
kept = []
for line in sys.stdin:
    %s
    print("done", flush=True)
'''

def start(*command):
    command = command or (sys.executable, "-S", "-c", PROGRAM)
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def ask(child, times=1):
    for _ in range(times):
        child.stdin.write("reset\\n")
        child.stdin.flush()
        assert child.stdout.readline() == "done\\n"

def rise(times):
    before = child_memory.begin(0)
    for _ in range(times):
        cycle()
    return child_memory.grown(0) - before
"""
ONE_CHILD = """
child = start()
ask(child, 8)
child_memory.begin(0)
cycle = lambda: ask(child)
tell([rise(times) for times in (7, 7, 14)])
child.communicate()
"""


@pytest.mark.parametrize(
    ("does", "kib"),
    [
        ("kept.append(b'x' * (64 << 10))", 64),
        ("kept.append(bytearray(b'x') * 4096)", 4),
        ("freed = b'x' * (1 << 20); del freed", 0),
        ("kept.clear(); kept.append(bytearray(200_000))", 0),
        ("kept = (kept + [b'x' * (64 << 10)])[-8:]", 0),
        ("pass", 0),
    ],
)
def test_child_grows_by_what_it_keeps(does: str, kib: int, tmp_path: Path) -> None:
    rises = run(ASKING % does + ONE_CHILD, tmp_path)
    for times, rise in zip((7, 7, 14), rises, strict=True):
        assert -PAGES <= rise - times * kib * KIB <= PAGES + times * kib * KIB // 16


def test_child_below_a_shell_is_followed(tmp_path: Path) -> None:
    body = """
    child = start("sh", "-c", "'%s' -S -c '%s'; true" % (sys.executable, PROGRAM.replace("'", '"')))
    ask(child, 8)
    child_memory.begin(0)
    cycle = lambda: ask(child)
    tell([rise(7), [row["after"] - row["before"] for row in child_memory.rows(0)]])
    child.communicate()
    """
    rise, rows = run(ASKING % "kept.append(b'x' * (64 << 10))" + _flat(body), tmp_path)
    assert abs(rise - 7 * 64 * KIB) < PAGES
    assert len(rows) == 2
    assert sum(rows) == rise


def test_child_that_is_started_anew_does_not_grow(tmp_path: Path) -> None:
    body = """
    def cycle():
        global child
        child.communicate()
        child = start()
        ask(child, 8)

    child = start()
    child_memory.begin(0)
    tell([rise(3), rise(3), child_memory.rows(0)])
    child.communicate()
    """
    does = "kept.append(b'x' * (1 << 20))"
    assert run(ASKING % does + _flat(body), tmp_path) == [0, 0, []]


def test_child_that_ended_is_forgotten(tmp_path: Path) -> None:
    body = """
    child = start()
    ask(child)
    child_memory.begin(0)
    child.stdin.close()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it stays as a zombie
    found = [child_memory.grown(0), child_memory.rows(0)]
    child.wait()
    tell([*found, child_memory.grown(0), child_memory.rows(0)])
    """
    assert run(ASKING % "pass" + _flat(body), tmp_path) == [0, [], 0, []]


def test_page_that_the_parent_writes_after_a_fork_is_not_growth_of_the_child(
    tmp_path: Path,
) -> None:
    body = """
    shared = bytearray(b"x") * (8 << 20)
    child = os.fork()
    if not child:
        import signal
        signal.pause()
    child_memory.begin(0)
    before = child_memory.begin(0)
    for at in range(0, len(shared), 4096):
        shared[at] = 0
    tell(child_memory.grown(0) - before)
    os.kill(child, 9)
    os.waitpid(child, 0)
    """
    assert abs(run(ASKING % "pass" + _flat(body), tmp_path)) < PAGES


def test_helpers_of_multiprocessing_are_not_followed(tmp_path: Path) -> None:
    body = """
    from multiprocessing import forkserver, resource_tracker
    resource_tracker.ensure_running()
    forkserver.ensure_running()
    child_memory.begin(0)
    child_memory.begin(0)
    tell(child_memory.rows(0))
    """
    with tempfile.TemporaryDirectory(prefix="fork-") as short:  # a socket's path has an end
        assert run(ASKING % "pass" + _flat(body), Path(short)) == []


@pytest.mark.parametrize(
    ("program", "collector"), [("java", "Java"), ("node", "Node.js"), ("simulator", "")]
)
def test_program_with_a_collector_is_known_by_its_name(
    program: str, collector: str, tmp_path: Path
) -> None:
    shutil.copy("/bin/cat", tmp_path / program)
    body = f"""
    child = start("{tmp_path / program}")
    child.stdin.write("ready\\n")
    child.stdin.flush()
    child.stdout.readline()
    tell(child_memory.collector_of(child.pid))
    child.communicate()
    """
    assert run(ASKING % "pass" + _flat(body), tmp_path) == collector


def test_meter_leaves_nothing_in_the_process_that_reads(tmp_path: Path) -> None:
    body = """
    children = [start() for _ in range(3)]
    for child in children:
        ask(child, 8)  # it has started when it has answered
    first, last = reader.blank(), reader.blank()
    for turn in range(22):
        reader.read(last if turn > 1 else first)
    tell({name: last[at] - first[at] for at, name in enumerate(reader.names)})
    for child in children:
        child.communicate()
    """
    grown: dict[str, Any] = run(ASKING % "pass" + _flat(body), tmp_path)
    names = ("objects", "tracked", "heap", "descriptors")
    assert {name: grown[name] for name in names} == dict.fromkeys(names, 0)
    assert abs(grown["child-memory"]) < PAGES


def _flat(body: str) -> str:
    return "\n".join(line[4:] for line in body.splitlines()) + "\n"


def test_process_that_is_not_there_holds_nothing() -> None:
    assert child_memory.held(-1) == -1
    assert child_memory.started(-1) == 0
    assert child_memory.collector_of(-1) == ""
    assert sys.maxsize > child_memory.as_before()


def test_processes_are_waited_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty that are at rest cost one pause; only one that still changes is read again."""
    sleeps, readings = (
        [],
        {pid: iter(sizes) for pid, sizes in {1: "55", 2: "678889", 3: "44"}.items()},
    )
    monkeypatch.setattr(child_memory, "held", lambda pid: int(next(readings[pid])))
    monkeypatch.setattr(child_memory.time, "sleep", sleeps.append)
    assert child_memory.settled([1, 2, 3]) == [5, 8, 4]
    assert sleeps == [child_memory.PAUSE] * 3
    assert child_memory.settled([]) == []
