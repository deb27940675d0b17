"""Folder of the files of our cluster, and processes that are left out of the count."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from envdoctor.probe.adapters.ray_actors import cluster
from envdoctor.probe.system import family


def test_its_files_lie_beside_the_temporary_folder(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(cluster, "LONGEST", 10_000)
    assert cluster.folder(str(tmp_path / "tmp")) == str(tmp_path.resolve() / "ray")
    assert (tmp_path / "ray").is_dir()


def test_a_path_that_is_too_long_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(cluster.NotStarted, match=r"need a shorter path than .*: set TMPDIR to"):
        cluster.folder(str(tmp_path / ("x" * 100) / "tmp"))
    assert not os.listdir(tmp_path)


CHILDREN = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
print(child.pid, flush=True)
input()
child.communicate()
"""


def test_a_spared_process_and_its_children_are_not_counted_theirs_are(monkeypatch) -> None:
    monkeypatch.setattr(family, "_spared", set())
    with subprocess.Popen(
        [sys.executable, "-c", CHILDREN], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        family.spare(os.getpid())
        assert child in {one.pid for one in family.family()}
        family.spare(parent.pid)
        assert not {parent.pid, child} & {one.pid for one in family.family()}
        parent.communicate("\n")
