"""The figures of a training that runs: what a script asks its doctor, and what it gets."""

from __future__ import annotations

import json
import os
import pickle
import select
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from envdoctor.callbacks import LatestFigures
from envdoctor.inside import Watching, figures
from envdoctor.watch import asking, measures
from envdoctor.watch.asking import NUMBERS, REPORT, Asking
from envdoctor.watch.exporters.tensorboard import tag
from envdoctor.watch.resident import Answering
from tests.support.zoo import COMMAND
from tests.watch.test_exporting import TRAINING, WORKER, sampler

PATIENCE = 600  # seconds

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="watching() needs Linux")

COUNTS = {
    "training/instances_made": 4,
    "training/instances_open": 2,
    "training/instances_closed": 1,
    "training/instances_dropped": 1,
    "training/resets": 3,
    "training/steps": 40,
    "training/resets_per_second": 0.75,
    "training/steps_per_second": 10.0,
}
HELD = {"resident_bytes": 4096, "descriptors": 9, "threads": 2, "children": 1}


def test_figures_are_those_of_all_processes_and_of_the_trainer() -> None:
    assert measures.figures(sampler().sample(TRAINING, 100.0)) == {
        "training/seconds": 4.0,
        "training/processes": 2,
        **COUNTS,
        **{f"process/{name}": number for name, number in HELD.items()},
        **{f"training/{name}": 2 * number for name, number in HELD.items()},
        "training/python_blocks": 500,  # the worker's: the trainer's were not read yet
        "training/malloc_bytes": 600,
    }


def test_figures_have_the_names_that_tensorboard_gets() -> None:
    sample = sampler().sample(TRAINING, 100.0)
    tags = {tag(each).removesuffix("/trainer 10") for each in measures.measures(sample)}
    assert tags >= {*COUNTS, *(f"process/{name}" for name in HELD)}
    assert {"remarks/long-call/11", "environment/steps/Arm/fork 11"} <= {
        tag(each) for each in measures.measures(sample)
    }


class Pipes:
    """A doctor that answers nothing by itself: the test writes its answers."""

    def __init__(self) -> None:
        self.control, control = os.pipe()
        answers, self.answers = os.pipe()
        self.stdin, self.stdout = os.fdopen(control, "wb", 0), os.fdopen(answers, "rb", 0)
        self.asked: list[bytes] = []

    def asked_for(self) -> list[int]:
        return list(os.read(self.control, 100))

    def answer(self, *lines: bytes) -> None:
        os.write(self.answers, b"".join(lines))

    def communicate(self, question: bytes, _patience: float) -> tuple[bytes, None]:
        self.asked.append(question)
        return self.stdout.read(1000), None

    def close(self) -> None:
        for descriptor in (self.control, self.answers):
            os.close(descriptor)
        self.stdin.close()
        self.stdout.close()


@pytest.fixture
def pipes():
    result = Pipes()
    yield result
    result.close()


@pytest.fixture
def waits(monkeypatch) -> list[float]:
    """For how long answers were waited for. Nothing is waited for in truth."""
    result: list[float] = []
    is_ready = asking._is_ready

    def at_once(descriptor: int, event: int, seconds: float) -> bool:
        if event == select.POLLIN:
            result.append(round(seconds))
        return is_ready(descriptor, event, 0.0)

    monkeypatch.setattr(asking, "_is_ready", at_once)
    return result


def line(number: int, **numbers: float) -> bytes:
    return json.dumps([number, numbers]).encode() + b"\n"


def test_answer_is_that_of_the_question(pipes, waits) -> None:
    own, first = Asking(pipes), NUMBERS[1]
    pipes.answer(line(first, steps=3))
    assert own.figures() == {"steps": 3}
    assert pipes.asked_for() == [first]


def test_doctor_that_does_not_answer_is_waited_for_once(pipes, waits) -> None:
    own, first = Asking(pipes), NUMBERS[1]
    assert [own.figures(), own.figures()] == [{}, {}]
    assert waits == [asking.PATIENCE, 0]
    pipes.answer(line(first, steps=1))
    assert own.figures() == {}  # the answer is old
    pipes.answer(line(first + 1, steps=2), line(first + 3, steps=3))
    assert own.figures() == {"steps": 3}
    assert waits[-1] == asking.PATIENCE
    assert pipes.asked_for() == [first, first + 1, first + 2, first + 3]


def test_numbers_of_questions_begin_anew(pipes, waits) -> None:
    own = Asking(pipes)
    for number in [*NUMBERS[1:], *NUMBERS]:
        pipes.answer(line(number, steps=number))
        assert own.figures() == {"steps": number}
        assert pipes.asked_for() == [number]


def test_answer_in_two_pieces_is_put_together(pipes, waits) -> None:
    own, text = Asking(pipes), line(NUMBERS[2], steps=3)
    pipes.answer(text[:5])
    assert own.figures() == {}
    pipes.answer(text[5:])
    assert own.figures() == {"steps": 3}


def test_answer_that_is_broken_costs_itself(pipes, waits) -> None:
    own = Asking(pipes)
    pipes.answer(b"eps': 1}]\n")
    assert own.figures() == {}
    pipes.answer(line(NUMBERS[2], steps=2))
    assert own.figures() == {"steps": 2}


def test_doctor_that_is_gone_is_not_asked(pipes, waits) -> None:
    own = Asking(pipes)
    os.close(pipes.control)
    try:
        assert own.figures() == {}
        assert waits == []
        pipes.answer(b"")
        os.close(pipes.answers)
        assert own.report(1.0) == b""
        assert pipes.asked == [b""]
    finally:
        pipes.control, pipes.answers = os.pipe()


def test_report_comes_after_answers_that_were_late(pipes, waits) -> None:
    pipes.answer(b"ps': 1}]\n", line(NUMBERS[1], steps=1), pickle.dumps({"a": b"\x80\n[1"}))
    own = Asking(pipes)
    assert pickle.loads(own.report(1.0)) == {"a": b"\x80\n[1"}
    assert pipes.asked == [REPORT]
    assert own.figures() == {}  # the descriptors may be other files by now
    assert waits == []


class Following:
    """A follower of a training, and what wakes it."""

    def __init__(self) -> None:
        self.counted = 0
        self.woken_by: set[int] = set()
        self.wake_for, self.sleep_through = self.woken_by.add, self.woken_by.remove

    def count(self) -> None:
        self.counted += 1

    def training(self):
        return replace(TRAINING, seconds=4.0 + self.counted)


@pytest.fixture
def ends():
    """The ends of the process that asks, and those of its doctor."""
    answers, theirs = os.pipe()
    control, ours = os.pipe()
    result = SimpleNamespace(ours=ours, answers=answers, control=control, theirs=theirs)
    yield result
    for descriptor in vars(result).values():
        if descriptor >= 0:
            os.close(descriptor)


def test_question_is_answered_with_its_number_and_wakes_the_follower(ends) -> None:
    following = Following()
    own = Answering(following, ends.control, ends.theirs)
    assert following.woken_by == {ends.control}
    assert not own.is_last()  # nothing was asked
    os.write(ends.ours, bytes([200, 201]))
    assert not own.is_last()
    (answer,) = os.read(ends.answers, 10_000).splitlines()
    number, result = json.loads(answer)
    assert (number, result["training/steps"], following.counted) == (201, WORKER.step.ended, 1)
    os.write(ends.ours, bytes([202]))
    assert not own.is_last()
    _, result = json.loads(os.read(ends.answers, 10_000))
    assert result["training/steps_per_second"] == 0.0  # the pace since the question before


def test_report_ends_it_also_after_other_questions(ends) -> None:
    own = Answering(Following(), ends.control, ends.theirs)
    os.write(ends.ours, bytes([200]) + REPORT)
    assert own.is_last()
    assert not select.select([ends.answers], [], [], 0)[0]


def test_closed_end_wakes_the_follower_no_longer(ends) -> None:
    following = Following()
    own = Answering(following, ends.control, ends.theirs)
    os.close(ends.ours)
    ends.ours = -1
    assert not own.is_last()
    assert following.woken_by == set()
    assert not own.is_last()
    own.close()


def test_process_that_died_after_its_question_gets_no_answer(ends) -> None:
    following = Following()
    own = Answering(following, ends.control, ends.theirs)
    os.write(ends.ours, bytes([200]))
    os.close(ends.answers)
    ends.answers = -1
    assert not own.is_last()
    assert following.counted == 1


@needs_linux
def test_package_imports_callbacks_and_frameworks_only_where_they_are_named() -> None:
    code = (
        "import sys, envdoctor; run = envdoctor.watching(); run.figures();"
        "import envdoctor.watch.resident;"
        "print(*sys.modules, sep='\\n')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    modules = done.stdout.split()
    assert "envdoctor.inside" in modules
    assert not {each for each in modules if each.startswith("envdoctor.callbacks")}
    tops = {each.partition(".")[0] for each in modules}
    assert not tops & {"stable_baselines3", "torchrl", "ray", "torch", "gymnasium", "rich"}
    assert not {"envdoctor.watch.samples", "envdoctor.watch.measures"} & set(modules)


def test_without_a_run_there_are_none() -> None:
    assert (Watching().figures(), figures()) == ({}, {})
    assert LatestFigures().latest() == {}


def test_callbacks_ask_at_most_once_in_a_while(monkeypatch) -> None:
    now, answers = [100.0], [{"training/steps": 1.0}, {"training/steps": 2.0}, {}]
    monkeypatch.setattr("envdoctor.callbacks.figures", lambda: answers.pop(0))
    monkeypatch.setattr("envdoctor.callbacks.time", SimpleNamespace(monotonic=lambda: now[0]))
    own = LatestFigures(5.0)
    assert own.latest() == own.latest() == {"envdoctor/training/steps": 1.0}
    now[0] = 105.0
    assert own.latest() == {"envdoctor/training/steps": 2.0}
    now[0] = 110.0
    assert own.latest() == {}  # the run is over


START = """
import json, os, signal, sys, threading, time
import gymnasium
import envdoctor
from envdoctor.inside import figures
from envdoctor.watch import asking

BOUND = 120  # seconds

def until(holds):
    end = time.monotonic() + BOUND
    while not (result := holds()):
        assert time.monotonic() < end
        time.sleep(0.01)
    return result

def doctor():
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/cmdline") as file:
                words = file.read().split("\\0")
        except OSError:
            continue
        if words[2:5] == ["-m", "envdoctor.watch.resident", str(os.getpid())]:
            return int(name)

def counts(result):
    return [result.get("training/" + name) for name in ("instances_made", "resets", "steps")]
"""
RUN = """
said = {}
with envdoctor.watching() as run:
    env = gymnasium.make("CartPole-v1")
    env.reset()
    for number in range(3):
        env.step(number % 2)
    said["now"] = counts(run.figures())
    env.step(0)
    said["later"] = counts(figures())
    said["process"] = sorted(name for name in run.figures() if name.startswith("process/"))
    kept = []
    threads = [threading.Thread(target=lambda: kept.extend(run.figures() for _ in range(9))) for _ in range(4)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    said["threads"] = [counts(each) for each in kept]
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, json.dumps([run.figures(), figures()]).encode())
        os._exit(0)
    os.waitpid(child, 0)
    said["child"] = json.loads(os.read(reading, 1000))
    asking.PATIENCE = run._asking._patience = 0.1
    os.kill(doctor(), signal.SIGSTOP)
    said["stopped"] = [run.figures(), run.figures()]
    os.kill(doctor(), signal.SIGCONT)
    asking.PATIENCE = BOUND
    said["again"] = counts(until(run.figures))
    with envdoctor.watching() as within:
        said["within"] = within.figures()
said["after"] = [run.figures(), figures()]
said["report"] = sum(each.step.ended for each in run.report.subjects[0].training.instances)
with envdoctor.watching() as second:
    env.step(0)
    said["second"] = [counts(second.figures()), run.figures()]
print(json.dumps(said))
"""
KILLED = """
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
with envdoctor.watching() as run:
    assert run.figures()
    pid = doctor()
    os.kill(pid, signal.SIGKILL)
    until(lambda: not os.path.exists(f"/proc/{pid}/exe") or not os.listdir(f"/proc/{pid}/fd"))
    said = [run.figures(), run.figures()]
print(json.dumps([*said, str(run)]))
"""
UNDER_WATCH = """
with envdoctor.watching() as run:
    print(json.dumps([run.figures(), figures()]))
"""


def said(folder: Path, code: str, *doctor: str):
    script = folder / "train.py"
    script.write_text(START + code)
    done = subprocess.run(
        [*doctor, sys.executable, str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert doctor or done.stderr == ""
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return said(tmp_path_factory.mktemp("run"), RUN)


@needs_linux
def test_figures_are_exact_at_each_moment(run) -> None:
    assert run["now"] == [1, 1, 3]
    assert run["later"] == [1, 1, 4]
    assert set(run["process"]) >= {f"process/{name}" for name in HELD}
    assert run["report"] == 4


@needs_linux
def test_threads_may_ask_at_the_same_time(run) -> None:
    assert run["threads"] == [[1, 1, 4]] * 36


@needs_linux
def test_other_processes_and_other_moments_have_none(run) -> None:
    assert run["child"] == [{}, {}]
    assert run["within"] == {}
    assert run["after"] == [{}, {}]


@needs_linux
def test_doctor_that_stood_still_answers_again(run) -> None:
    assert run["stopped"] == [{}, {}]
    assert run["again"] == [1, 1, 4]


@needs_linux
def test_second_run_counts_anew_and_the_first_stays_over(run) -> None:
    assert run["second"] == [[0, 0, 1], {}]


@needs_linux
def test_killed_doctor_costs_the_figures_alone(tmp_path: Path) -> None:
    assert said(tmp_path, KILLED) == [{}, {}, "no report: envdoctor has ended early"]


@needs_linux
def test_under_watch_there_are_none(tmp_path: Path) -> None:
    assert said(tmp_path, UNDER_WATCH, COMMAND, "watch", "--") == [{}, {}]
