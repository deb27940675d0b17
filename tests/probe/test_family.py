"""Owner of a process that belongs to a container."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import pytest

from envdoctor.probe.system import family
from envdoctor.probe.system.family import Process

MINE, OTHERS = "a" * 64, "b" * 64


@pytest.fixture(autouse=True)
def known():
    family.know_containers([MINE])
    yield
    family.know_containers([])


def process(pid, parent, text):
    return Process(pid, parent, False, text.split(" ", maxsplit=1)[0], text)


def test_the_processes_of_a_known_container_are_left_out():
    found = [
        process(11, 1, f"/usr/bin/conmon --api-version 1 -c {MINE} -u {MINE}"),
        process(12, 11, "/bin/sleep 600"),
        process(13, 12, "/bin/sleep 1"),
        process(21, 1, f"/usr/bin/conmon --api-version 1 -c {OTHERS}"),
        process(22, 21, "/bin/sleep 600"),
        process(31, 1, f"simulator -c {MINE}"),
    ]
    assert [one.pid for one in family._outside_containers(found)] == [21, 22, 31]


def test_ended_container_is_forgotten():
    family.know_containers([])
    assert family._containers[0] == 0
    found = [process(11, 1, f"conmon -c {MINE}")]
    assert family._outside_containers(found) == found


def test_more_than_there_is_room_for():
    family.know_containers(str(number) for number in range(5000))
    assert not family._is_monitor(f"conmon -c {MINE}")
    assert family._is_monitor("conmon -c 7")


NEVER_WAITS = """
import os, sys
if os.fork() == 0:
    os._exit(0)
os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)  # it has ended, and stays a zombie
print("ended", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_zombies_are_counted_for_the_process_that_does_not_wait():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-S", "-c", NEVER_WAITS], **pipes) as parent:
        parent.stdout.readline()
        ((text, number),) = family.unreaped().items()
        parent.stdin.close()
    assert NEVER_WAITS.split(maxsplit=1)[0] in text
    assert number == 1
    assert family.unreaped() == {}


def test_child_of_another_thread_is_a_child():
    program = [sys.executable, "-c", "input()"]
    started = []
    thread = threading.Thread(
        target=lambda: started.append(subprocess.Popen(program, stdin=subprocess.PIPE))
    )
    thread.start()
    thread.join()
    with started[0] as child:
        assert child.pid in family._children(os.getpid())
        child.stdin.close()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert child.pid in family._children(os.getpid()), "one that has ended is there, too"
    assert child.pid not in family._children(os.getpid())


def test_no_thread_is_asked_where_there_is_no_child(monkeypatch):
    read = []
    monkeypatch.setattr(family.kernel, "read", lambda path: read.append(path) or "")
    monkeypatch.setattr(family, "_waitid", no_child)
    assert (family._children(os.getpid()), read) == ([], [])
    assert family._children(os.getppid()) == [], "the children of others are theirs"
    assert read


def no_child(*_arguments):
    raise ChildProcessError
