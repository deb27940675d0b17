"""Trainings of real frameworks: what `watch` counts is what the environments count themselves, in
each process, and the training is bit for bit the one that it is unwatched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import pytest

from tests.interpreters import has, way_to
from tests.support.zoo import COMMAND

TRAININGS = Path(__file__).parent / "trainings"
PATIENCE = 600  # seconds
COUNTS = ("made", "resets", "steps", "closed")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="watch needs Linux")

METHODS = ("fork", "spawn", "forkserver")
SB3, TORCHRL, DING, RAY, TIANSHOU, PUFFER, AGILERL = (
    f"ENVDOCTOR_{name}_PYTHON"
    for name in ("SB3", "TORCHRL", "DING", "RAY", "TIANSHOU", "PUFFER", "AGILERL")
)
OWN = "this one"
CASES = [
    *((SB3, "with_sb3.py", f"ppo-{one}") for one in ("dummy", *METHODS)),
    (SB3, "with_sb3.py", "dqn"),
    *((OWN, "with_gymnasium.py", one) for one in ("sync", *METHODS)),
    (TORCHRL, "with_cleanrl.py"),
    *(
        (TORCHRL, "with_torchrl.py", kind, how)
        for kind in ("own", "gymnasium")
        for how in ("parallel", "collector")
    ),
    # Its managers make their locks by the default method: in Python 3.11 they can only fork.
    *((DING, "with_ding.py", kind) for kind in ("base", "async", "sync")),
    (RAY, "with_ray.py"),
    *((TIANSHOU, "with_tianshou.py", kind) for kind in ("dummy", "subproc", "shmem")),
    *((PUFFER, "with_puffer.py", kind) for kind in ("Serial", "Multiprocessing")),
    (AGILERL, "with_agilerl.py"),
]
PACKAGES = {
    SB3: "stable_baselines3",
    TORCHRL: "torchrl",
    DING: "ding",
    RAY: "ray",
    TIANSHOU: "tianshou",
    PUFFER: "pufferlib",
    AGILERL: "agilerl",
}


def python(variable: str) -> str:
    """The interpreter of a framework; the test is skipped where there is none."""
    found = os.environ.get(variable, sys.executable)
    if variable != OWN and not has(found, PACKAGES[variable]):
        pytest.skip(way_to(variable))
    return found


def play(
    folder: Path, variable: str, script: str, *words: str, doctor: tuple[str, ...] = ()
) -> tuple[str, dict[int, dict[str, int]]]:
    """Return the output of a training, and the counts of its processes themselves."""
    folder.mkdir()
    own = [str(folder / "model.zip")] if variable == SB3 else []
    done = subprocess.run(
        [*doctor, python(variable), "-B", str(TRAININGS / script), *words, *own],
        cwd=folder,
        env={**os.environ, "TALLY": str(folder), "PYTHONPATH": str(TRAININGS)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout, {
        int(file.stem): dict(zip(COUNTS, memoryview(file.read_bytes()).cast("q"), strict=True))
        for file in folder.glob("*.tally")
    }


@pytest.mark.everything
@pytest.mark.parametrize(
    ("variable", "words"),
    [(one, rest) for one, *rest in CASES],
    ids=["-".join(rest).removeprefix("with_").replace(".py", "") for _, *rest in CASES],
)
def test_counts_are_exact_and_nothing_else_changes(
    tmp_path: Path, variable: str, words: list[str]
) -> None:
    alone, _ = play(tmp_path / "alone", variable, *words)
    report = tmp_path / "report.json"
    samples, text, events = (tmp_path / name for name in ("samples.jsonl", "run.prom", "events"))
    targets = (f"jsonl={samples}", f"prometheus={text}", f"tensorboard={events}")
    export = [word for target in targets for word in ("--export", target)]
    doctor = (str(COMMAND), "watch", "--report", f"json={report}", *export, "--")
    watched, expected = play(tmp_path / "watched", variable, *words, doctor=doctor)
    assert watched == alone
    (subject,) = json.loads(report.read_text())["subjects"]
    assert counted(subject["training"]) == expected
    assert sum(one["made"] for one in expected.values()) > 0
    assert subject["training"]["failed"] == []
    totals = {name: sum(one[name] for one in expected.values()) for name in COUNTS}
    last = json.loads(samples.read_text().splitlines()[-1])["totals"]
    assert {name: last[name] for name in totals} == totals
    assert f"envdoctor_training_steps_total {float(totals['steps'])}" in text.read_text()
    assert last_scalar(events, "training/steps") == totals["steps"]
    if variable == SB3:
        same_model(tmp_path / "alone" / "model.zip", tmp_path / "watched" / "model.zip")
        loads_without_us(python(variable), tmp_path / "watched" / "model.zip")


def last_scalar(events: Path, tag: str) -> float:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    found = EventAccumulator(str(events))
    found.Reload()
    return found.Scalars(tag)[-1].value


def counted(training) -> dict[int, dict[str, int]]:
    """Return the counts of `watch`, by process."""
    found: dict[int, dict[str, int]] = defaultdict(lambda: dict.fromkeys(COUNTS, 0))
    for one in training["instances"]:
        each = found[one["pid"]]
        each["made"] += one["number"] - one["unmade"]
        each["resets"] += one["reset"]["ended"]
        each["steps"] += one["step"]["ended"]
        each["closed"] += one["closed"]
    return {pid: each for pid, each in found.items() if any(each.values())}


def same_model(one: Path, other: Path) -> None:
    """Two checkpoints have the same tensors, bit for bit. Their `data` has when they were made."""
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(other) as second:
        assert first.namelist() == second.namelist()
        for name in first.namelist():
            assert name == "data" or first.read(name) == second.read(name)


def loads_without_us(interpreter: str, model: Path) -> None:
    """A checkpoint names nothing of ours, and an interpreter without us loads it."""
    with zipfile.ZipFile(model) as archive:
        assert not any(b"envdoctor" in archive.read(name) for name in archive.namelist())
    load = (
        "import sys; from stable_baselines3.common.save_util import load_from_zip_file as load\n"
        "print(len(load(sys.argv[1])[1]['policy']) > 0)"
    )
    done = subprocess.run(
        [interpreter, "-I", "-c", load, str(model)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "True\n"
