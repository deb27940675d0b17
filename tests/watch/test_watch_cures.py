"""Cures of a training script: by values which are held, and one that `watch --diff` shows."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, Finding, Location, Passed, Remedy
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_aims import (
    BindLate,
    CloseMade,
    EndOnce,
    MakeOnce,
    MendFailure,
    SeedOnce,
)
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.remedies.source import File, Source
from envdoctor.rules.engine.judging import Judgement
from envdoctor.verdict.remedies import fix_in, tried_remedies
from envdoctor.watch import trials
from envdoctor.watch.command import RunTerms, watch
from envdoctor.watch.trials import (
    OTHERS,
    RUNS,
    STAYS,
    TrainingTrials,
    _starts_files,
    cures,
    differs,
    free_counts,
    interrupt_of,
    kill_of,
    place_of_script,
    stays,
)
from tests.support.zoo import ENVS
from tests.watch.test_watch_command import command

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")
SCRIPT = Path(__file__).parent / "agents" / "forgets.py"

MADE = Instances(2, 1, "arm.Arm", Location("/train.py", 2), number=3, step=Calls(60, 60))
BEFORE = Training(("python", "train.py"), 1, instances=(MADE,))


def test_other_episodes_are_no_difference_and_other_steps_are() -> None:
    assert differs(BEFORE, BEFORE) == ""
    resets = replace(MADE, reset=Calls(9, 9), closed=3)
    assert differs(BEFORE, replace(BEFORE, instances=(resets,))) == ""
    fewer = replace(MADE, step=Calls(59, 59))
    assert "take other steps" in differs(BEFORE, replace(BEFORE, instances=(fewer,)))
    assert "end with exit code 1" in differs(BEFORE, replace(BEFORE, code=1))
    assert differs(BEFORE, replace(BEFORE, code=-9, seconds=31.0)) == (
        "the training would take more than 30 s"
    )
    assert differs(BEFORE, replace(BEFORE, code=130)) == "it was interrupted"
    other = ("arm.Arm", MADE.by, "steps")
    assert differs(BEFORE, replace(BEFORE, instances=(fewer,)), {other}) == ""


def test_training_that_goes_on_ends_well_and_takes_more_steps() -> None:
    failed = replace(BEFORE, code=1)
    more = replace(MADE, by="gymnasium-async", step=Calls(90, 90))
    assert differs(failed, replace(BEFORE, instances=(more,)), goes_on=True) == ""
    assert "exit code 1" in differs(failed, failed, goes_on=True)
    fewer = replace(MADE, step=Calls(59, 59))
    assert differs(failed, replace(BEFORE, instances=(fewer,)), goes_on=True) == OTHERS
    other = replace(MADE, type="leg.Leg")
    assert differs(failed, replace(BEFORE, instances=(other,)), goes_on=True) == OTHERS
    assert "exit code 0" in differs(failed, BEFORE)


def test_training_that_was_interrupted_is_so_again_or_ends_well() -> None:
    before = replace(BEFORE, code=-2, interrupted=4.0)
    fewer = replace(before, interrupted=7.0, instances=(replace(MADE, step=Calls(5, 5)),))
    assert differs(before, fewer) == ""
    assert differs(before, replace(fewer, code=0, interrupted=0.0)) == ""
    assert "exit code 1" in differs(before, replace(fewer, code=1))
    none = replace(fewer, instances=(replace(MADE, step=Calls()),))
    assert differs(before, none) == OTHERS


def test_person_who_ends_a_trial_is_not_what_interrupted_the_training() -> None:
    before = replace(BEFORE, code=-2, interrupted=4.0)
    assert interrupt_of(before) > 4.0
    assert interrupt_of(BEFORE) == math.inf
    assert differs(before, replace(before, interrupted=1.0)) == "it was interrupted"
    assert differs(before, replace(before, code=-15, interrupted=7.0)) == "it was interrupted"
    assert differs(BEFORE, replace(BEFORE, code=-2)) == "it was interrupted"
    by_itself = replace(BEFORE, code=-2)
    assert differs(by_itself, by_itself) == differs(by_itself, BEFORE) == ""
    assert differs(by_itself, replace(by_itself, interrupted=1.0)) == "it was interrupted"


def test_killed_training_is_killed_again_where_its_workers_are_to_end() -> None:
    aims = (EndOnce(Frame(str(SCRIPT), 2), "parent"), EndOnce(Frame(str(SCRIPT), 2), "exit"))
    parent, other = (finding(2).but(remedy=Remedy("r", aim=aim)) for aim in aims)
    killed = replace(BEFORE, code=-9, seconds=20.0)
    assert kill_of(killed, Judgement((parent,))) == 15.0
    assert kill_of(replace(killed, seconds=900.0), Judgement((parent,))) == 30.0
    assert kill_of(killed, Judgement((other,))) == math.inf
    assert kill_of(replace(killed, code=-11), Judgement((parent,))) == math.inf
    fewer = replace(killed, instances=(replace(MADE, step=Calls(5, 5)),))
    assert differs(killed, fewer) == ""
    assert "exit code -9" in differs(BEFORE, fewer)
    none = replace(fewer, instances=(replace(MADE, step=Calls()),))
    assert differs(killed, none) == OTHERS
    assert stays([parent], Judgement((parent,)), Judgement()) == ""
    assert stays([other], Judgement((other,)), Judgement()) == STAYS


def test_crash_of_threads_is_tried() -> None:
    lines: list[str] = []
    crash = finding(2, "TRN004").but(
        remedy=Remedy("r", aim=MendFailure(Frame(str(SCRIPT), 2), "thread"))
    )
    crashed = Training(("python", str(SCRIPT)), 1, code=-6)
    cures([], lines.append)(crashed, Judgement((crash,)))
    assert lines == []
    cures([], lines.append)(crashed, Judgement((finding(2),)))
    assert lines == ["no code is tried: the training ended with exit code -6"]


def test_command_is_killed_after_its_time() -> None:
    lines = "import threading; threading.Event().wait(60)"
    after = watch((sys.executable, "-c", lines), (), terms=RunTerms(alone=True, kill=0.5))
    assert after.code == -9


@pytest.mark.parametrize(
    ("words", "at"),
    [
        (["python3", "-u", "train.py", "data.py"], 2),
        (["/usr/bin/python", "train.py"], 1),
        (["python", "-m", "train"], None),
        (["python", "-c", "pass"], None),
        (["uv", "run", "train.py"], None),
    ],
)
def test_script_is_the_first_file_that_python_gets(words: list[str], at: int | None) -> None:
    assert place_of_script(words) == at


TEXT = "def one():\n    env = make()\n    env.reset()\n\ndef two():\n    env = make()\n    env.reset()\n"


def finding(line: int, code: str = "TRN001") -> Finding:
    aim = CloseMade(Frame(str(SCRIPT), line))
    remedy = Remedy("close it.", aim=aim)
    return Finding(code, "not-closed", "warning", f"line {line}", remedy, key=(str(line),))


def judgement(*lines: int) -> Judgement:
    return Judgement(findings=tuple(map(finding, lines)))


def test_rule_that_was_not_judged_shows_no_cure() -> None:
    before = judgement(2, 6)
    assert stays([finding(2)], before, judgement(6)) == ""
    assert stays([finding(2)], before, judgement(2, 6)) == STAYS
    assert stays([finding(2), finding(6)], before, judgement()) == STAYS
    assert "it would bring TRN001" in stays([finding(2)], judgement(2), judgement(2, 6))


def test_note_on_what_is_closed_now_was_true_before() -> None:
    """Case: a training that makes an instance for each episode, which it never closed."""
    each_episode = finding(2, "TRN003").but(severity=NOTE)
    after = Judgement((each_episode,), (Passed("TRN001", "", ""),))
    assert stays([finding(2)], judgement(2), after) == ""
    for other in (each_episode.but(key=("other",)), each_episode.but(severity="warning")):
        assert "bring TRN003" in stays([finding(2)], judgement(2), Judgement((other,)))
    opened = finding(2).but(remedy=Remedy("r", aim=EndOnce(Frame(str(SCRIPT), 2), "exit")))
    assert "bring TRN003" in stays([opened], Judgement((opened,)), after)


def test_finding_beside_which_another_of_its_code_is_gone_stays() -> None:
    """Case: ray, whose workers end, and leave descriptors: two findings of TRN010."""
    before = judgement(2, 6)
    assert stays([finding(2)], before, judgement(2)) == STAYS
    assert stays([finding(6)], before, judgement(2)) == ""
    twice = Judgement((finding(2), finding(2)))
    assert stays([finding(2)], twice, judgement(2)) == ""


def test_failure_that_does_not_come_again_is_gone() -> None:
    failed = finding(2, "TRN004")
    mended = failed.but(remedy=Remedy("r", aim=MendFailure(Frame(str(SCRIPT), 2), "guard")))
    assert stays([failed], Judgement((failed,)), Judgement()) == STAYS
    assert stays([mended], Judgement((mended,)), Judgement()) == ""
    assert stays([mended], Judgement((mended,)), Judgement((mended,))) == STAYS


def test_steps_are_free_where_seeds_are_other_ones_and_instances_where_copies_were() -> None:
    place = Frame(str(SCRIPT), 2)
    made, steps = (("arm.Arm", MADE.by, what) for what in ("made", "steps"))
    more, fewer = (replace(BEFORE, instances=(replace(MADE, number=n),)) for n in (4, 1))
    assert free_counts([CloseMade(place)], BEFORE, more) == frozenset()
    assert free_counts([SeedOnce(place)], BEFORE, more) == {steps}
    assert free_counts([BindLate(place)], BEFORE, more) == {made, steps}
    assert free_counts([BindLate(place)], BEFORE, fewer) == {steps}
    assert free_counts([MakeOnce(place)], BEFORE, fewer) == {made, steps}


def tried(
    monkeypatch: pytest.MonkeyPatch, bad: str = "", code: int = 0, *, is_rare: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Try the cures of two findings, where a copy with the part `bad` ends with the code; rare ones
    do not come again. The outcome, and the texts that were played.
    """
    played: list[str] = []

    def play(texts: Mapping[str, str]) -> Training:
        (text,) = texts.values() or (
            TEXT.replace("env.reset", "env.close" if is_rare else "env.reset"),
        )
        played.append(text)
        return replace(BEFORE, code=code) if bad and bad in text else BEFORE

    def judged(_training: Training) -> Judgement:
        left = [line for line, name in ((2, "one"), (6, "two")) if _is_open(played[-1], name)]
        return replace(judgement(*left), passed=() if left else (Passed("TRN001", "", ""),))

    monkeypatch.setattr(trials.reporting, "judgement_on", judged)
    source = Source({str(SCRIPT): File(str(SCRIPT), TEXT, TEXT.encode())}, "", str(SCRIPT))
    roots = [str(SCRIPT.parent)]
    return TrainingTrials(BEFORE, judgement(2, 6), source, roots, play).run(), played


def _is_open(text: str, name: str) -> bool:
    return "close()" not in text.partition(f"def {name}")[2].partition("\ndef ")[0]


def test_cures_that_hold_together_are_one_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    read, played = tried(monkeypatch)
    fix = fix_in(read)
    assert fix is not None
    assert len(played) == 2  # without the changes, and with them
    assert len(fix.cured) == 2
    assert not fix.left
    assert all(each.verified and each.together for each in tried_remedies(read).values())


def test_cure_that_ends_the_training_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    two = TEXT.partition("def two")[2].replace("    env.reset()\n", "    try:\n", 1)
    read, played = tried(monkeypatch, bad=f"def two{two}", code=1)
    fix = fix_in(read)
    assert fix is not None
    assert len(played) == 4  # none, both, the first, both again
    assert [each.fingerprint for each in fix.cured] == [finding(2).fingerprint]
    (left,) = fix.left
    assert "exit code 1" in left.reason


def test_cures_of_what_is_gone_are_tried_again_without_those_of_what_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance, vectorizer = finding(2), finding(6, "TRN016")
    runs: list[str] = []

    def play(texts: Mapping[str, str]) -> Training:
        runs.append("".join(texts.values()) or TEXT)
        return BEFORE

    def judged(_training: Training) -> Judgement:
        is_open = _is_open(runs[-1], "one")
        passed = () if is_open else (Passed("TRN001", "", ""),)
        return Judgement((instance, vectorizer) if is_open else (vectorizer,), passed)

    monkeypatch.setattr(trials.reporting, "judgement_on", judged)
    source = Source({str(SCRIPT): File(str(SCRIPT), TEXT, TEXT.encode())}, "", str(SCRIPT))
    roots = [str(SCRIPT.parent)]
    fix = fix_in(
        TrainingTrials(BEFORE, Judgement((instance, vectorizer)), source, roots, play).run()
    )
    assert fix is not None
    assert len(runs) == 3  # none, both, that of what was gone
    assert [each.fingerprint for each in fix.cured] == [instance.fingerprint]
    assert [each.reason for each in fix.left] == [STAYS]


def test_cure_of_a_finding_that_does_not_come_again_is_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read, _ = tried(monkeypatch, is_rare=True)
    fix = fix_in(read)
    assert fix is not None
    assert not fix.cured
    assert {each.reason for each in fix.left} == {
        "without the change, the finding did not come again"
    }


def test_training_that_is_interrupted_is_not_run_again(monkeypatch: pytest.MonkeyPatch) -> None:
    read, played = tried(monkeypatch, bad="try:", code=-2)
    fix = fix_in(read)
    assert fix is not None
    assert not fix.cured
    assert len(played) == 2 < RUNS  # none, and both


def test_session_of_a_copy_is_ended_after_its_seconds(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text("import subprocess, threading\nsubprocess.Popen(['cat'], stdin=-1).wait()\n")
    words = (sys.executable, str(script))
    training = watch(words, (), holders=False, terms=RunTerms(alone=True, seconds=0.5))
    assert training.code == -9


@pytest.mark.parametrize(
    ("command", "folder", "there"),
    [
        ("python plan.py state", ".", True),
        ("python plan.py state", "..", False),  # it runs elsewhere
        ("python other.py", ".", False),
        ("python {0}/plan.py", ".", False),  # it is started where it is
    ],
)
def test_program_that_is_started_by_its_name_is_that_of_the_copy(
    command: str, folder: str, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path / folder)
    started = TrainingProcess(2, 1, command=command.format(tmp_path))
    training = Training((), 1, processes=(started,))
    texts = {str(tmp_path / name): "" for name in ("train.py", "plan.py")}
    assert _starts_files(training, str(tmp_path / "train.py"), texts) is there
    assert not _starts_files(training, str(tmp_path / "train.py"), {})


def test_copy_gets_control_c(tmp_path: Path) -> None:
    script = tmp_path / "waits.py"
    script.write_text("import threading\nthreading.Event().wait()\n")
    terms = RunTerms(alone=True, seconds=60.0, interrupt=1.0)
    training = watch((sys.executable, str(script)), (), holders=False, terms=terms)
    assert training.code == -2
    assert training.interrupted > 1.0


def test_difference_closes_what_the_training_forgets(tmp_path: Path) -> None:
    shutil.copy(SCRIPT, tmp_path / "train.py")
    (tmp_path / "settings.txt").write_text("40")
    before = (tmp_path / "train.py").read_bytes()
    done = command(
        "watch", "--diff", "--every", "0", "--", sys.executable, "train.py", cwd=tmp_path
    )
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("--- a/train.py\n+++ b/train.py\n")
    assert "+            env.close()\n" in done.stdout
    assert "+        envs.close()\n" in done.stdout
    assert "trained" in done.stderr
    assert "Verified on a copy" in " ".join(done.stderr.split())
    assert (tmp_path / "train.py").read_bytes() == before


def test_difference_gives_the_seed_once(tmp_path: Path) -> None:
    shutil.copy(ENVS / "trn013_seed_given_again.py", tmp_path / "train.py")
    words = ("watch", "--diff", "--every", "0", "--", sys.executable, "train.py", "Sick")
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert " if episode == 0 else None)\n" in done.stdout.rpartition("\n+")[2]


RAISES = """\
import subprocess

import gymnasium


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def __init__(self):
        self.game = subprocess.Popen(["sleep", "9"], stdout=-3, stderr=-3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        return self.observation_space.sample(), {}

    def step(self, action):
        return self.observation_space.sample(), 0.0, False, False, {}

    def close(self):
        self.game.kill()
        self.game.wait()


env = Arm()
env.reset(seed=3)
for step in range(4):
    env.step([0, 1][step])
env.close()
"""


@pytest.mark.waits
def test_training_that_fails_is_tried_and_fails_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(RAISES)
    words = ("watch", "--diff", "--every", "0", "--", sys.executable, "train.py")
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert done.stdout.endswith(
        "+try:\n+    env.reset(seed=3)\n+    for step in range(4):\n"
        "+        env.step([0, 1][step])\n+finally:\n+    env.close()\n"
    )


def test_fix_is_written_into_the_script_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "settings.txt").write_text("40")
    script = tmp_path / "train.py"
    shutil.copy(SCRIPT, script)
    words = ("watch", "--fix", "--every", "0", "--fail-on", "note", "--")
    fixed = command(*words, sys.executable, "train.py", cwd=tmp_path)
    assert "fixed train.py" in fixed.stderr
    assert "of Arm made at train.py:" in fixed.stderr
    assert script.read_text().count(".close()") == 2
    again = command(*words, sys.executable, "train.py", cwd=tmp_path)
    assert again.returncode == 0, again.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["settings.txt", "train.py"]


OLDER = """\
import gymnasium


class Arm(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(0.0, 1.0, (2,))
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self):
        return self.np_random.uniform(0, 1, 2), {}

    def step(self, action):
        return self.np_random.uniform(0, 1, 2), 0.0, True, False, {}
"""


def test_class_of_a_package_below_the_script_takes_the_seed(tmp_path: Path) -> None:
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs" / "__init__.py").write_text("")
    (tmp_path / "envs" / "notes.txt").write_text("")
    (tmp_path / "envs" / "arm.py").write_text(OLDER)
    script = (
        "from envs.arm import Arm\n\nenv = Arm()\nenv.reset(seed=3)\nenv.step(0)\nenv.close()\n"
    )
    (tmp_path / "train.py").write_text(script)
    words = ("watch", "--fix", "--every", "0", "--", sys.executable, "train.py")
    done = command(*words, cwd=tmp_path)
    text = OLDER.replace("reset(self):", "reset(self, *, seed=None, options=None):").replace(
        "        return self.np", "        super().reset(seed=seed)\n        return self.np", 1
    )
    assert (tmp_path / "envs" / "arm.py").read_text() == text, done.stderr
    assert (tmp_path / "train.py").read_text() == script
    assert sorted(each.name for each in (tmp_path / "envs").glob("*.*")) == [
        "__init__.py",
        "arm.py",
        "notes.txt",
    ]
