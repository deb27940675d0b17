"""`envdoctor.watching()` in a script, and `python -m envdoctor.watching` under a launcher."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor import inside
from envdoctor.inside import Watching, reports

PATIENCE = 600  # seconds

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watching() needs Linux")

START = """
import json, os, sys
import gymnasium
import envdoctor

def play(env, steps):
    env.reset()
    for _ in range(steps):
        if any(env.step(env.action_space.sample())[2:4]):
            env.reset()

def descriptors():
    return len(os.listdir("/proc/self/fd"))
"""
TWICE = """
def main():
    before = gymnasium.make("CartPole-v1")
    start = os.environ.get("PYTHONPATH")
    with envdoctor.watching() as first:
        play(before, 7)
        env = gymnasium.make("CartPole-v1")
        play(env, 30)
        forgotten = gymnasium.make("CartPole-v1")
        del forgotten
        envs = gymnasium.make_vec("CartPole-v1", num_envs=2, vectorization_mode="async")
        envs.reset()
        for _ in range(40):
            envs.step(envs.action_space.sample())
        envs.close()
        with envdoctor.watching() as within:
            pass
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            children = file.read()
        path = os.environ["PYTHONPATH"]
    play(env, 100)
    gymnasium.make("CartPole-v1").close()
    opened = descriptors()
    with envdoctor.watching() as second:
        play(env, 20)
        env.close()
        other = gymnasium.make("CartPole-v1")
        other.close()
        try:
            with envdoctor.watching():
                raise KeyError
        except KeyError:
            pass
    print(json.dumps({
        "reports": [json.loads(envdoctor.render(each.report, "json")) for each in (first, second)],
        "shown": str(first), "page": first._repr_html_(), "within": str(within),
        "is_left": (start, opened) == (os.environ.get("PYTHONPATH"), descriptors()),
        "children": children, "path": path,
    }))

if __name__ == "__main__":
    main()
"""
DIES = """
import signal
with envdoctor.watching() as run:
    env = gymnasium.make("CartPole-v1")
    play(env, 5)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def played(folder: Path, *words: str, code: str = "", **variables: str):
    script = folder / "train.py"
    script.write_text(START + code)
    return subprocess.run(
        [sys.executable, *words, str(script)],
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    done = played(tmp_path_factory.mktemp("twice"), code=TWICE)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def training_of(report):
    (subject,) = report["subjects"]
    return subject["training"]


def test_run_is_counted_from_its_beginning_to_its_end(twice) -> None:
    training = training_of(twice["reports"][0])
    own = [each for each in training["instances"] if each["pid"] == training["pid"]]
    assert sum(each["number"] for each in own if not each["by"]) == 2
    assert sum(each["step"]["ended"] for each in own) == 30
    workers = [each for each in training["instances"] if each["pid"] != training["pid"]]
    # An episode that ended begins anew in place of a step.
    calls = [each["reset"]["ended"] + each["step"]["ended"] for each in workers if each["number"]]
    assert calls == [41, 41]
    codes = [each["code"] for each in twice["reports"][0]["findings"]]
    assert codes == ["TRN001"]  # what is still open is not accused


def test_second_run_counts_anew_and_knows_what_the_first_made(twice) -> None:
    training = training_of(twice["reports"][1])
    assert sum(each["number"] for each in training["instances"]) == 1
    assert sum(each["step"]["ended"] for each in training["instances"]) == 20
    inherited = next(each for each in training["instances"] if each["step"]["ended"])
    assert inherited["type"].endswith("CartPoleEnv")
    assert twice["reports"][1]["findings"] == []


def test_process_is_left_as_it_was(twice) -> None:
    assert twice["is_left"]
    assert twice["children"] == ""  # also while it is watched
    assert "envdoctor-" in twice["path"]
    assert twice["within"] == "no report: this process is watched already"


def test_report_is_shown_as_text_and_in_a_notebook(twice) -> None:
    assert "it was still running" in " ".join(twice["shown"].split())
    assert twice["page"].startswith('<iframe srcdoc="&lt;!')
    assert "<script" not in twice["page"]


def test_report_of_a_process_that_dies_goes_to_stderr(tmp_path: Path) -> None:
    done = played(tmp_path, code=DIES)
    assert done.returncode == -9
    words = " ".join(done.stderr.split())  # its doctor has stderr until it is done
    assert "1 instance made, in 1 process" in words
    # Its parent may have asked how it ended before the doctor could.
    known, unknown = "signal 9 ended it", "it has ended; how is not known"
    assert ("TRN004" in words and known in words) or unknown in words


def test_launcher_gets_the_exit_code_and_each_rank_has_a_report(tmp_path: Path) -> None:
    code = "play(gymnasium.make('CartPole-v1'), 9)\nsys.exit(3)"
    folder = str(tmp_path / "new" / "reports")
    done = played(tmp_path, "-m", "envdoctor.watching", code=code, RANK="5", ENVDOCTOR_WATCH=folder)
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")
    assert sorted(os.listdir(folder)) == ["rank-5.jsonl", "rank-5.txt"]
    assert "9 steps" in Path(folder, "rank-5.txt").read_text()


def test_reports_of_ranks_have_names_of_their_own(tmp_path: Path) -> None:
    def name(variables: dict[str, str]) -> str:
        return Path(reports(tmp_path, variables, 7)[3]).name

    assert name({"RANK": "0", "SLURM_PROCID": "4"}) == "rank-0.jsonl"
    assert name({"SLURM_PROCID": "4"}) == "rank-4.jsonl"
    assert name({"RANK": "../x"}) == "pid-7.jsonl"
    assert [name({}), name({}), name({"SLURM_PROCID": "4"})] == [
        "pid-7-2.jsonl",
        "pid-7-3.jsonl",
        "rank-4-2.jsonl",
    ]


def test_run_without_a_doctor_goes_on(monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(inside.sys, "executable", "/bin/false")
    with Watching() as run:
        was_run = True
    assert was_run
    assert (run.report, str(run)) == (None, "no report: envdoctor could not begin")
    assert run._repr_html_() == "<pre>no report: envdoctor could not begin</pre>"


def test_function_stays_one_after_its_module_is_imported() -> None:
    import envdoctor.watching

    assert envdoctor.watching is inside.watching
