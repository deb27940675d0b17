"""Reports of `watch` where nothing was made, where a process ended by an exception, and of the
lines that make vectorizers and start threads and processes: trainings of a few lines, watched as a user does.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.zoo import COMMAND
from tests.watch.test_watch_command import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")


def report(tmp_path: Path, code: str) -> dict[str, Any]:
    """The document on a training."""
    script, file = tmp_path / "train.py", tmp_path / "report.json"
    script.write_text(code)
    words = ["watch", "--format", "json", "--output", str(file), "--", sys.executable, str(script)]
    subprocess.run([str(COMMAND), *words], check=False, timeout=PATIENCE, capture_output=True)
    return json.loads(file.read_text())


def training(document: dict[str, Any]) -> dict[str, Any]:
    return document["subjects"][0]["training"]


@pytest.mark.always
def test_script_that_fails_before_it_made_an_environment_did_not_pass(tmp_path: Path) -> None:
    document = report(tmp_path, "import gymnasium\nraise ImportError('no simulator')")
    assert (document["summary"]["verdict"], document["passed"], document["findings"]) == (
        "inconclusive",
        [],
        [],
    )
    reasons = {one["reason"] for one in document["skipped"]}
    made = "no environment was made: the script ended by ImportError: no simulator (train.py:2 in"
    assert any(reason.startswith(made) for reason in reasons)


def test_native_vector_environment_is_counted(tmp_path: Path) -> None:
    document = report(
        tmp_path,
        "import gymnasium as gym\n"
        "envs = gym.make_vec('CartPole-v1', 4, vectorization_mode='vector_entry_point')\n"
        "envs.reset(seed=1)\n"
        "for _ in range(7):\n"
        "    envs.step(envs.action_space.sample())\n"
        "envs.close()\n",
    )
    (own,) = training(document)["instances"]
    assert own["type"].endswith("CartPoleVectorEnv")
    assert (own["number"], own["reset"]["ended"], own["step"]["ended"]) == (1, 1, 7)


@pytest.mark.always
def test_vectorizer_of_single_environments_is_not_one_more(tmp_path: Path) -> None:
    document = report(
        tmp_path,
        "import gymnasium as gym\n"
        "envs = gym.vector.SyncVectorEnv([lambda: gym.make('CartPole-v1')] * 3)\n"
        "envs.reset(seed=1)\n"
        "envs.close()\n",
    )
    assert sum(one["number"] for one in training(document)["instances"]) == 3


WORKER = """
import multiprocessing as mp
import gymnasium as gym

class Arm(gym.Env):
    def __init__(self):
        raise RuntimeError("no renderer")

def work():
    Arm()

if __name__ == "__main__":
    worker = mp.get_context("{method}").Process(target=work)
    worker.start()
    worker.join()
"""


@pytest.mark.always
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_exception_that_ends_a_worker_is_named_with_its_line(tmp_path: Path, method: str) -> None:
    document = report(tmp_path, WORKER.format(method=method))
    (found,) = [one for one in document["findings"] if one["code"] == "TRN004"]
    assert found["message"].startswith(
        "a worker ended by RuntimeError: no renderer (train.py:7 in __init__) after the constructor"
    )
    assert (found["severity"], found["location"]["line"]) == ("error", 7)


UNGUARDED = """\
import multiprocessing
import gymnasium
def work(pipe):
    pipe.send(gymnasium.make("CartPole-v1").reset(seed=1))
context = multiprocessing.get_context("spawn")
mine, its = context.Pipe()
context.Process(target=work, args=(its,)).start()
its.close()
mine.recv()
"""


def test_worker_that_imports_a_script_without_a_guard_is_named_with_the_scripts_line(
    tmp_path: Path,
) -> None:
    document = report(tmp_path, UNGUARDED)
    (finding,) = [each for each in document["findings"] if each["code"] == "TRN004"]
    assert finding["message"].startswith("a worker ended by RuntimeError (train.py:7 in <module>)")
    assert (finding["severity"], finding["location"]["line"]) == ("error", 7)
    assert "__main__" in finding["remedy"]["text"]


def test_exception_of_a_vectorizers_worker_whose_trainer_ends_is_not_a_death(
    tmp_path: Path,
) -> None:
    document = report(
        tmp_path,
        "import gymnasium as gym\n"
        "envs = gym.vector.AsyncVectorEnv([lambda: gym.make('CartPole-v1')] * 2)\n"
        "envs.reset(seed=1)\n"
        "raise ValueError('of the trainer')\n",
    )
    assert [one["severity"] for one in document["findings"]] == ["note"]  # it closes nothing
    processes = {one["pid"]: one for one in training(document)["processes"]}
    assert processes[training(document)["pid"]]["raised"]["message"] == "of the trainer"


BROKEN = """
import threading
import gymnasium as gym

class Arm(gym.Env):
    def reset(self, *, seed=None, options=None):
        return 0, {{}}

    def step(self, action):
        raise RuntimeError("lost")

env = Arm()
env.reset()

def play():
    env.step(0)

{then}
"""


@pytest.mark.parametrize(
    ("then", "who"),
    [
        ("play()", "the training"),
        ("thread = threading.Thread(target=play); thread.start()", "a thread of the training"),
    ],
)
def test_exception_that_ends_script_or_thread_is_named(tmp_path: Path, then: str, who: str) -> None:
    document = report(tmp_path, BROKEN.format(then=then))
    (found,) = document["findings"]
    assert found["message"] == (
        f"{who} ended by RuntimeError: lost (train.py:10 in step) after step() of Arm raised,"
        " after 1 step"
    )
    assert (found["code"], found["severity"], found["location"]["line"]) == (
        "TRN004",
        "warning",
        10,
    )
    assert document["summary"]["verdict"] == "sick"


PILE = """
import gymnasium as gym
kept = []
for number in range(6):
    envs = gym.vector.AsyncVectorEnv([lambda: gym.make("CartPole-v1")])
    envs.reset(seed=number)
    for _ in range(3):
        envs.step(envs.action_space.sample())
    {then}
"""


@pytest.mark.parametrize(
    ("then", "codes", "counts"),
    [
        ("kept.append(envs)", ["TRN016"], (6, 0, 4)),
        ("envs.close(); kept.append(envs)", [], (6, 6, 0)),
        ("del envs", [], (6, 0, 0)),
    ],
)
def test_vectorizers_that_pile_up_are_counted_by_their_line(
    tmp_path: Path, then: str, codes: list[str], counts: tuple[int, int, int]
) -> None:
    document = report(tmp_path, PILE.format(then=then))
    (site,) = [one for one in training(document)["sites"] if one["kind"] == "vectorizer"]
    assert (site["made"], site["closed"], site["idle"]) == counts
    assert site["location"]["line"] == 5
    warned = [one["code"] for one in document["findings"] if one["severity"] == "warning"]
    assert warned == codes


def test_vectorizers_that_take_turns_do_not_pile_up(tmp_path: Path) -> None:
    document = report(
        tmp_path,
        "import gymnasium as gym\n"
        "envs = []\n"
        "for number in range(6):\n"
        "    envs.append(gym.vector.AsyncVectorEnv([lambda: gym.make('CartPole-v1')]))\n"
        "    for one in envs:\n"
        "        one.reset(seed=number)\n"
        "        one.step(one.action_space.sample())\n",
    )
    assert not [one for one in document["findings"] if one["severity"] != "note"]


def test_threads_are_counted_by_the_line_that_starts_them(tmp_path: Path) -> None:
    document = report(
        tmp_path,
        "import threading, gymnasium as gym\n"
        "env = gym.make('CartPole-v1')\n"
        "done = threading.Event()\n"
        "for _ in range(5):\n"
        "    threading.Thread(target=done.wait).start()\n"
        "env.reset(seed=1)\n"
        "done.set()\n"
        "env.close()\n",
    )
    (site,) = [one for one in training(document)["sites"] if one["kind"] == "thread"]
    assert (site["made"], site["location"]["line"], site["type"]) == (5, 5, "threading.Thread")


STARTS = """
import multiprocessing as mp
import gymnasium

class Named(mp.Process):
    def __init__(self, target, args):
        super().__init__(target=target, args=args)

def work(end):
    end.wait()

if __name__ == "__main__":
    mp.set_start_method("{method}")
    end, kept = mp.Event(), []
    for number in range(4):
        kept.append({kind}(target=work, args=(end,)))
        kept[-1].start()
        {then}
    end.set()
    for process in kept:
        process.join()
"""


@pytest.mark.parametrize(
    ("method", "kind", "then", "line", "alive"),
    [
        ("fork", "mp.Process", "pass", 16, 4),
        ("fork", "mp.Process", "end.set(); kept.pop().join(); end.clear()", 16, 1),
        ("forkserver", "mp.Process", "pass", 16, 4),
        ("spawn", "Named", "pass", 17, 4),  # the line that starts it: it is made in its own class
    ],
)
def test_processes_are_counted_by_their_line(
    tmp_path: Path, method: str, kind: str, then: str, line: int, alive: int
) -> None:
    document = report(tmp_path, STARTS.format(method=method, kind=kind, then=then))
    assert training(document)["failed"] == []
    assert training(document)["code"] == 0
    (site,) = [each for each in training(document)["sites"] if each["kind"] == "process"]
    assert (site["made"], site["alive"], site["location"]["line"]) == (4, alive, line)
