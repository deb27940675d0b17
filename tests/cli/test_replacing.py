"""Files that a fix replaces: all or none, also where it is killed."""

from __future__ import annotations

import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.cli import replacing
from envdoctor.cli.replacing import JOURNAL, complete, replace_all
from envdoctor.errors import UsageError

NAMES = ("arm.py", "leg.py", "hand.py")
OLD, NEW = b"old\n", b"new and longer\n"
#: What changes anything on the disk, or makes sure of it.
CALLS = ("open", "write", "fsync", "replace", "unlink", "ftruncate", "fchmod", "close")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in NAMES:
        (tmp_path / name).write_bytes(OLD)
    return tmp_path


def wanted(project: Path) -> dict[Path, tuple[bytes, bytes]]:
    return {project / name: (OLD, NEW) for name in NAMES}


def contents(project: Path) -> set[bytes]:
    return {(project / name).read_bytes() for name in NAMES}


def killed_before(project: Path, number: int) -> bool:
    """Replace in a child that SIGKILL ends before its call of this number; whether it did."""
    child = os.fork()
    if child == 0:
        calls = iter(range(sys.maxsize))

        def counted(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*words: Any, **more: Any) -> Any:
                if next(calls) == number:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*words, **more)

            return call

        for name in CALLS:
            setattr(os, name, counted(getattr(os, name)))
        replace_all(project, wanted(project))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    assert os.waitstatus_to_exitcode(status) == 0
    return False


def test_kill_at_each_call_leaves_old_or_new_files_and_the_next_fix_completes_it(
    project: Path,
) -> None:
    number, results = 0, list[set[bytes]]()
    while killed_before(project, number):
        assert contents(project) <= {OLD, NEW}
        complete(project)
        results.append(contents(project))
        assert sorted(path.name for path in project.iterdir()) == sorted(NAMES)
        for name in NAMES:
            (project / name).write_bytes(OLD)
        number += 1
    assert results.count({OLD}) > 10
    assert results.count({NEW}) > 3
    assert results == [{OLD}] * results.count({OLD}) + [{NEW}] * results.count({NEW})
    assert contents(project) == {NEW}


def test_files_keep_permissions_and_links(project: Path) -> None:
    target, link = project / "arm.py", project / "link.py"
    target.chmod(0o750)
    link.symlink_to(target.name)
    replace_all(project, {link: (OLD, NEW)})
    assert link.is_symlink()
    assert target.read_bytes() == NEW
    assert stat.S_IMODE(target.stat().st_mode) == 0o750
    assert not (project / JOURNAL).exists()


def test_file_that_has_changed_is_refused_and_no_file_is_written(project: Path) -> None:
    (project / "leg.py").write_bytes(b"edited\n")
    with pytest.raises(UsageError, match=r"leg.py: it has changed .*; nothing was changed"):
        replace_all(project, wanted(project))
    assert (project / "arm.py").read_bytes() == OLD
    assert (project / "leg.py").read_bytes() == b"edited\n"
    assert sorted(path.name for path in project.iterdir()) == sorted(NAMES)


@pytest.fixture
def failing_rename(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The second rename fails."""
    real, calls = os.replace, iter(range(100))

    def rename(source: str, target: str) -> None:
        if next(calls) == 1:
            raise PermissionError(1, "Operation not permitted", target)
        real(source, target)

    monkeypatch.setattr(os, "replace", rename)
    return iter(())


@pytest.mark.usefixtures("failing_rename")
def test_rename_that_fails_takes_back_those_before_it(project: Path) -> None:
    with pytest.raises(UsageError, match="Operation not permitted; nothing was changed"):
        replace_all(project, wanted(project))
    assert contents(project) == {OLD}
    assert sorted(path.name for path in project.iterdir()) == sorted(NAMES)


def test_second_fix_at_the_same_time_is_refused(project: Path) -> None:
    with replacing._journal(project), pytest.raises(UsageError, match="another fix"):
        replace_all(project, wanted(project))
    assert contents(project) == {OLD}


def test_file_that_was_edited_after_a_kill_is_left_as_it_is(project: Path) -> None:
    number = 0
    while killed_before(project, number) and len(contents(project)) != 2:
        complete(project)
        for name in NAMES:
            (project / name).write_bytes(OLD)
        number += 1
    (project / "hand.py").write_bytes(b"edited\n")
    said = complete(project)
    assert [line.rpartition("/")[2] for line in said] == [
        "leg.py: the fix that was killed is complete",
        "hand.py: the fix that was killed leaves it as you changed it",
    ]
    assert (project / "hand.py").read_bytes() == b"edited\n"
    assert (project / "leg.py").read_bytes() == NEW


def test_journal_that_cannot_be_read_is_removed(project: Path) -> None:
    (project / JOURNAL).write_text("not JSON")
    assert complete(project) == ()
    assert not (project / JOURNAL).exists()
