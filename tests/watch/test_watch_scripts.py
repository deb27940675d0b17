"""Scripts that end in a loop of one episode, or in an environment that inherits from nothing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.watch.test_watch_command import command

pytestmark = [
    pytest.mark.waits,
    pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux"),
]

#: Ctrl-C comes in the step of that number, which no clock decides.
CONVEYOR = """
import signal
import gymnasium

class Conveyor(gymnasium.Env):
    observation_space = action_space = gymnasium.spaces.Discrete(2)
    steps = 0
    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return 0, {}
    def step(self, action):
        self.steps += 1
        if self.steps == 2500:
            signal.raise_signal(signal.SIGINT)
        return 0, 0.0, False, False, {}

def score(env):
    env.reset()
    done = False
    while BOUND:
        _, _, terminated, truncated, _ = env.step(0)
        done = terminated or truncated

score(Conveyor())
"""
BELT = """
class Belt:
    def reset(self):
        return 0
    def step(self, action):
        return self.speed

belt = Belt()
belt.reset()
belt.step(0)
"""
INIT = """    def __init__(self):
        self.reset()
    def reset"""


#: All processes get Ctrl-C while the worker is in step(), and the trainer takes long to end.
BUSY = """
import multiprocessing, os, signal, time
import gymnasium

class Arm(gymnasium.Env):
    observation_space = action_space = gymnasium.spaces.Discrete(2)
    def reset(self, *, seed=None, options=None):
        return 0, {}
    def step(self, action):
        ready.release()
        time.sleep(60)

def work(ready):
    arm = Arm()
    arm.reset()
    arm.step(0)

ready = multiprocessing.Semaphore(0)
worker = multiprocessing.Process(target=work, args=(ready,))
worker.start()
ready.acquire()
try:
    os.kill(worker.pid, signal.SIGINT)
    worker.join()
finally:
    time.sleep(1)
"""


#: Ctrl-C comes to the watch of a trainer that waits, beside a thread that shows progress, when it
#: has stood still for long enough to be seen.
TICKING = """
import os, queue, signal, threading, time
import gymnasium

def progress():
    for _ in range(120):
        time.sleep(0.1)
    os.kill(os.getppid(), signal.SIGINT)

env = gymnasium.make("CartPole-v1")
env.reset(seed=1)
env.close()
threading.Thread(target=progress, daemon=True).start()
queue.Queue().get()
"""


#: The same of a forked worker that waits for a lock, which that thread held.
STUCK = """
import multiprocessing, os, signal, threading, time

lock, held = threading.Lock(), threading.Event()

def progress():
    with lock:
        held.set()
        for _ in range(120):
            time.sleep(0.1)
    os.kill(os.getppid(), signal.SIGINT)

def work():
    with lock:
        pass

threading.Thread(target=progress, daemon=True).start()
held.wait()
worker = multiprocessing.get_context("fork").Process(target=work, daemon=True)
worker.start()
worker.join()
"""


def findings(script: str, folder: Path) -> list[tuple[str, str]]:
    """(code, message) of what the watch of a script reports."""
    (folder / "train.py").write_text(script)
    file = folder / "report.json"
    command("watch", "--report", f"json={file}", "--", sys.executable, str(folder / "train.py"))
    report = json.loads(file.read_text())
    return [(each["code"], each["message"]) for each in report["findings"]]


@pytest.mark.parametrize(
    ("bound", "is_named"), [("not done", True), ("not done and env.steps < 9000", False)]
)
def test_loop_of_one_episode_is_named_where_nothing_else_ends_it(
    bound: str, is_named: bool, tmp_path: Path
) -> None:
    result = findings(CONVEYOR.replace("BOUND", bound), tmp_path)
    texts = [text.partition(":")[0] for code, text in result if code == "TRN017"]
    words = "score() plays an episode that had not ended when Ctrl-C came (train.py"
    assert texts == ([words] if is_named else [])


def test_constructor_whose_reset_raises_inherits_from_a_library(tmp_path: Path) -> None:
    script = BELT.replace("class Belt:", "import gymnasium\nclass Belt(gymnasium.Env):")
    script = script.replace("return 0", "raise ValueError").replace("    def reset", INIT, 1)
    assert [code for code, text in findings(script, tmp_path) if "inherits" in text] == []


def test_class_that_inherits_from_nothing_is_named_by_its_exception(tmp_path: Path) -> None:
    ((code, message),) = findings(BELT, tmp_path)
    assert code == "TRN004"
    assert "AttributeError" in message
    assert "(train.py:6 in step) in step() of Belt;" in message


def test_worker_that_ctrl_c_woke_did_not_die(tmp_path: Path) -> None:
    assert findings(BUSY, tmp_path) == []


def test_worker_that_ends_by_itself_died(tmp_path: Path) -> None:
    script = BUSY.replace("time.sleep(60)", "raise SystemExit(1)")
    script = script.replace("os.kill(worker.pid, signal.SIGINT)", "pass")
    assert [code for code, _ in findings(script, tmp_path)] == ["TRN004"]


def test_thread_that_shows_progress_does_not_hide_a_standstill(tmp_path: Path) -> None:
    ((code, message),) = findings(TICKING, tmp_path)
    assert code == "TRN017"
    assert message.startswith("nothing in the training but 1 thread that only sleeps and wakes ran")


def test_forked_worker_is_stuck_although_a_thread_of_the_trainer_runs_on(tmp_path: Path) -> None:
    message = dict(findings(STUCK, tmp_path))["TRN017"]
    assert message.startswith("no thread of 1 forked process ran for")
    assert (
        "waits for the lock lock, which the thread 'Thread-1 (progress)' of the trainer" in message
    )
