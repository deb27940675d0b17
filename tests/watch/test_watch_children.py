"""The memory of processes that those which call environments have started, in a training."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from envdoctor.analysis.training_growth import FLAT, GROWS, OPEN, growth
from envdoctor.model import page
from envdoctor.model.training import Training
from envdoctor.model.training_growth import WRITTEN, ChildSeries, Reading
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn015_child_memory_grows import (
    children_not_followed,
    growing_children,
)
from envdoctor.watch import children, outside, tree
from envdoctor.watch.children import Children, is_own
from envdoctor.watch.pages import Counts

MIB = 1 << 20
TRAINER = "python train.py"
SIMULATOR = "simulator --port 7"
FORK_SERVER = "python -c from multiprocessing.forkserver import main; main(7, 8)"
TRACKER = "python -c from multiprocessing.resource_tracker import main;main(7)"
SPAWNED = "python -c from multiprocessing.spawn import spawn_main; --multiprocessing-fork"


@pytest.mark.parametrize(
    ("command", "below_trainer", "below_worker"),
    [
        (SIMULATOR, True, True),
        ("python /home/me/simulator.py", True, True),
        (TRAINER, False, True),  # a fork: a loader's worker, or a simulator
        (SPAWNED, False, True),
        ("/site-packages/ray/core/src/ray/gcs/gcs_server --port 7", False, True),
        ("python /bin/tensorboard --logdir runs", False, True),
        (TRACKER, False, False),
        (FORK_SERVER, False, False),
        ("", False, False),
    ],
)
def test_process_that_may_be_of_an_environment(
    command: str, below_trainer: bool, below_worker: bool
) -> None:
    assert is_own(command, TRAINER, of_worker=False) is below_trainer
    assert is_own(command, TRAINER, of_worker=True) is below_worker


class Tree:
    """Processes as /proc would have them: {pid: (parent, command, bytes written)}."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.processes = {1: (0, TRAINER, 0), 2: (1, TRAINER, 0), 5: (2, SIMULATOR, MIB)}
        monkeypatch.setattr(tree, "children", self._children)
        monkeypatch.setattr(tree, "started", lambda pid: pid + 100)
        monkeypatch.setattr(outside, "written", lambda pid: self.processes[pid][2])
        monkeypatch.setattr(outside, "collector_of", lambda _: "")
        monkeypatch.setattr(children.machine, "describe", lambda pid: self.processes[pid][1])

    def _children(self, pid: int) -> Iterator[int]:
        return (child for child, known in self.processes.items() if known[0] == pid)

    def grow(self, pid: int, by: int) -> None:
        parent, command, size = self.processes[pid]
        self.processes[pid] = (parent, command, size + by)


def counts(pid: int, resets: int = 0, steps: int = 0) -> Counts:
    row = [0] * page.WIDTH
    row[page.RESET + 1], row[page.STEP + 1] = resets, steps
    return Counts(f"counts-{pid}", pid, 1, 0, {1: tuple(row)}, (1,))


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Tree:
    return Tree(monkeypatch)


def play(followed: Children, pages: list[Counts], now: float, alive: set[int]) -> None:
    followed.take(pages, alive, {2}, now)


def test_child_of_a_worker_is_read_with_the_calls_of_that(processes: Tree) -> None:
    followed = Children()
    for at in range(3):
        pages = [counts(1), counts(2, resets=10 * at, steps=100 * at)]
        play(followed, pages, float(at), {1, 2})
        processes.grow(5, MIB)
    (child,) = followed.series({2})
    assert (child.pid, child.caller, child.command) == (5, 2, SIMULATOR)
    assert child.of_worker
    assert not child.ended
    read = [(one.t, one.resets, one.steps, one.written) for one in child.readings]
    assert read == [(1.0, 10, 100, 2 * MIB), (2.0, 20, 200, 3 * MIB)]


def test_worker_is_not_a_child_of_its_trainer(processes: Tree) -> None:
    processes.processes[3] = (1, SPAWNED, MIB)  # which has no instance yet
    followed = Children()
    play(followed, [counts(1, 5, 5), counts(2, 5, 5)], 1.0, {1, 2, 3})
    assert [child.caller for child in followed.series({2})] == [2]


def test_child_of_a_child_is_read(processes: Tree) -> None:
    processes.processes[5] = (2, "sh -c simulator", MIB)
    processes.processes[6] = (5, SIMULATOR, MIB)
    followed = Children()
    play(followed, [counts(2, 5, 5)], 1.0, {2})
    assert [child.pid for child in followed.series({2})] == [5, 6]


def test_memory_freed_at_the_end_of_a_child_is_left_out(processes: Tree) -> None:
    followed = Children()
    for at in range(3):
        play(followed, [counts(2, 10 + at, 10)], float(at), {2})
        processes.grow(5, MIB)
    processes.grow(5, -3 * MIB)
    play(followed, [counts(2, 12, 10)], 3.0, {2})
    del processes.processes[5]
    play(followed, [counts(2, 13, 10)], 4.0, {2})
    (child,) = followed.series({2})
    assert child.ended
    assert [one.written for one in child.readings] == [MIB, 2 * MIB]


def test_children_that_are_started_anew_are_not_piled_up(processes: Tree) -> None:
    followed = Children()
    for at in range(40):
        processes.processes = {2: (1, TRAINER, 0), 50 + at: (2, SIMULATOR, MIB)}
        play(followed, [counts(2, at, 10)], float(at), {2})
    assert len(followed.series({2})) == children.ANEW + 1


def test_next_look_waits_for_its_share(processes: Tree) -> None:
    followed = Children()
    assert followed.due(0.0)
    play(followed, [counts(2, 5, 5)], 1.0, {2})
    assert not followed.due(1.0)
    play(followed, [counts(2, 5, 5)], 1000.0, {2})
    assert not followed.due(1009.0)  # a hundredth of the time


PROGRAM = """
import sys
kept = []
for line in sys.stdin:
    kept.append(bytearray(b"x") * (256 << 10))
    print("done", flush=True)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_real_child_that_keeps_memory_grows() -> None:
    followed, own = Children(), os.getpid()
    words = [sys.executable, "-S", "-c", PROGRAM]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin
        assert child.stdout
        for at in range(120):
            for _ in range(3):
                child.stdin.write("reset\n")
                child.stdin.flush()
                assert child.stdout.readline() == "done\n"
            followed.take([counts(own, 3 * at + 3, 30 * at)], {own}, set(), at / 25)
        child.stdin.close()
    found = next(one for one in followed.series(set()) if one.pid == child.pid)
    verdict = growth(found.readings, WRITTEN)
    assert (verdict.verdict, verdict.reason, found.collector) == (GROWS, "", "")
    assert 200 << 10 < verdict.rate * {"reset": 1, "step": 10}[verdict.per] < 320 << 10


def read(rates: list[int], start: int = 9 * MIB) -> tuple[Reading, ...]:
    """Readings with 10 resets in between, each of which keeps so many bytes."""
    sizes = [start]
    for rate in rates:
        sizes.append(sizes[-1] + 10 * rate)
    return tuple(
        Reading(at / 10, 1, 10 * at, 100 * at, written=size) for at, size in enumerate(sizes)
    )


@pytest.mark.parametrize(
    ("rates", "verdict"),
    [
        ([64 << 10] * 64, GROWS),
        ([8 << 10] * 64, OPEN),  # 3 MiB
        ([64 << 10] * 13 + [0] * 51, FLAT),  # a cache of 8 MiB
        ([64 << 10] * 30 + [0] * 34, FLAT),
        ([256 << 10, -(256 << 10)] * 32, FLAT),
        ([0] * 64, FLAT),
        ([64 << 10] * 20, OPEN),
    ],
)
def test_verdict_on_the_memory_of_a_child(rates: list[int], verdict: str) -> None:
    assert growth(read(rates), WRITTEN).verdict == verdict


ARM = Instances(2, 1, "arm.Arm", by="gymnasium-async", reset=Calls(9, 9), step=Calls(9, 9))
CHILD = ChildSeries(5, 2, SIMULATOR, read([64 << 10] * 64), of_worker=True)
SHORT = replace(CHILD, readings=CHILD.readings[:5])


def seen(*found: ChildSeries, own: tuple[Instances, ...] = (ARM,)) -> Training:
    return Training((), 1, 0, 9.0, instances=own, children=found)


@pytest.mark.parametrize(
    ("training", "reason"),
    [
        (seen(), ""),
        (seen(replace(CHILD, readings=read([0] * 64))), ""),
        (seen(SHORT), "5 readings in 0.4 s, at least 32 are needed"),
        (seen(*[replace(SHORT, pid=pid, ended=True) for pid in range(5)]), ""),
        (
            seen(replace(CHILD, collector="Java")),
            "simulator --port 7 grew by 26.9 MiB, which the collector of Java may still free",
        ),
        (replace(seen(), attached=True), "it was attached to: "),
        (seen(own=()), "no environment was made in a process that reports"),
    ],
)
def test_reason_why_children_are_not_judged(training: Training, reason: str) -> None:
    assert children_not_followed(watched_view(training)).startswith(reason)
    assert bool(children_not_followed(watched_view(training))) is bool(reason)


def test_children_that_are_alike_are_one_finding() -> None:
    training = seen(CHILD, replace(CHILD, pid=6), replace(CHILD, pid=7, command="encoder"))
    assert len(list(growing_children(watched_view(training)))) == 2
