"""A folder can be removed in every state in which an environment leaves it."""

from __future__ import annotations

import os

from envdoctor.run.supervise import guard

DEEP = 1200  # folders: deeper than Python's stack, and with these names longer than any path may be


def nest(folder, depth=DEEP):
    here = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("deeper", dir_fd=here)
        deeper = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = deeper
    os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


def test_deeper_than_the_stack(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    nest(folder)
    guard.remove(str(folder))
    assert not folder.exists()


def test_deep_and_without_permissions_and_links_lead_nowhere(tmp_path):
    folder, outside = tmp_path / "run", tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (folder / "locked").mkdir(parents=True)
    (folder / "link").symlink_to(outside)
    nest(folder)
    (folder / "locked").chmod(0)
    guard.remove(str(folder))
    assert not folder.exists()
    assert (outside / "kept").exists()


def test_removing_a_missing_path_changes_nothing(tmp_path):
    (tmp_path / "beside").touch()
    guard.remove(str(tmp_path / "nothing"))
    assert [path.name for path in tmp_path.iterdir()] == ["beside"]
