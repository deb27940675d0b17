"""The script for arrays of Slurm: which share it takes, and what it answers."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "cluster" / "slurm.sh"
BASH = shutil.which("bash") or ""


@pytest.mark.skipif(not BASH, reason="bash is not on PATH")
@pytest.mark.parametrize(("code", "answer"), [(0, 0), (1, 0), (4, 4), (130, 130)])
def test_a_task_takes_its_share_and_findings_do_not_fail_it(
    tmp_path: Path, code: int, answer: int
) -> None:
    done = ran(tmp_path, code, {"SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MAX": "8"})
    assert done.returncode == answer, done.stderr
    assert done.stdout == (
        "--cpus-per-task=3 envdoctor sweep --file specs.txt --out /shared/monday --resume"
        " --on shard:2/8 --managers direct\n"
    )


@pytest.mark.skipif(not BASH, reason="bash is not on PATH")
def test_a_task_that_is_submitted_alone_takes_the_share_that_it_had(tmp_path: Path) -> None:
    alone = {"SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_MAX": "3", "SHARES": "8"}
    assert " --on shard:3/8 " in ran(tmp_path, 0, alone).stdout


def ran(tmp_path: Path, code: int, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    srun = tmp_path / "srun"
    srun.write_text(f'#!/bin/sh\necho "$@"\nexit {code}\n')
    srun.chmod(0o700)
    return subprocess.run(
        [BASH, str(SCRIPT), "--managers", "direct"],
        env={
            **os.environ,
            "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
            "SLURM_CPUS_PER_TASK": "3",
            "OUT": "/shared/monday",
            **variables,
        },
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
