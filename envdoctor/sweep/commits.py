"""Commits of the user's repository as folders: worktrees beside it, whose files alone are ours."""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Self

from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.run.supervise.cleanup_watchdog import PREFIX

SECONDS = 900.0  # for a large repository on a slow disk
#: What git tells the programs that it starts: a hook of the user may start us.
INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
#: No hook of the user's runs, and no advice is given.
SETTINGS = ("-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false")


class Commits:
    """The repository around a folder. A context manager, which removes the worktrees that it made.
    Raises UsageError where there is none.
    """

    def __init__(self, directory: str) -> None:
        self._directory = directory
        self._made: list[Path] = []
        top = self._git("rev-parse", "--show-toplevel").strip()
        self.root = os.path.realpath(top)

    def __enter__(self) -> Self:
        self._forget_abandoned()
        return self

    def __exit__(self, *_error: object) -> None:
        for path in self._made:
            with suppress(UsageError):  # removed already: only its entry is left
                self._git("worktree", "remove", "--force", "--force", str(path))

    def commit_of(self, ref: str) -> str:
        """The commit that a branch, tag or abbreviation names. Raises UsageError."""
        found = "" if ref.startswith("-") else self._asked(ref)
        if not found:
            known = self._git("for-each-ref", "--format=%(refname:short)").split()
            near = nearest_sentence(ref, known)
            raise UsageError(f"--ref {ref}: no commit of {self.root} has that name{near}")
        return found

    def _asked(self, ref: str) -> str:
        with suppress(UsageError):
            return self._git("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").strip()
        return ""

    def checkout(self, commit: str, path: Path) -> str:
        """Check a commit out into a new folder; what the current folder is in it. Raises
        UsageError.
        """
        self._made.append(path)
        self._git("worktree", "add", "--quiet", "--detach", str(path), commit)
        self._git("worktree", "lock", "--reason", reason_here(), str(path))
        inside = os.path.relpath(os.path.realpath(self._directory), self.root)
        folder = path / inside
        if not folder.is_dir():
            raise UsageError(f"the folder {inside} does not exist in the commit {commit[:12]}")
        return os.path.realpath(folder)

    def _forget_abandoned(self) -> None:
        """Remove the entries of worktrees of ours whose folders are gone: a killed run left them,
        and its folders were removed without git. Another machine that shares the repository has
        folders that are not seen here: the reason of the lock names the machine. Files are read,
        because git says a lock since 2.31 only.
        """
        common = Path(self._directory, self._git("rev-parse", "--git-common-dir").strip())
        for lock in (common / "worktrees").glob("*/locked"):
            with suppress(OSError, ValueError, UsageError):
                reason = lock.read_text(encoding="utf-8").strip()
                to = lock.with_name("gitdir").read_text(encoding="utf-8").strip()
                # Relative to the entry where worktree.useRelativePaths is set.
                name = os.path.dirname(os.path.realpath(lock.parent / to))
                if reason == reason_here() and f"/{PREFIX}" in name and not os.path.exists(name):
                    self._git("worktree", "remove", "--force", "--force", name)

    def _git(self, *words: str) -> str:
        """What git says. Raises UsageError with its last words."""
        environment = {name: value for name, value in os.environ.items() if name not in INHERITED}
        try:
            done = subprocess.run(
                ("git", "-C", self._directory, *SETTINGS, *words),
                capture_output=True,
                stdin=subprocess.DEVNULL,
                env=environment,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
        except FileNotFoundError as error:
            raise UsageError("--ref needs git, which is not on PATH") from error
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"git {words[0]} took longer than {SECONDS:.0f} s") from error
        if done.returncode:
            said = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
            raise UsageError(f"--ref: git {words[0]}: {said}")
        return done.stdout


def reason_here() -> str:
    """Why a worktree of ours is locked: it is in use, on this machine."""
    return f"envdoctor {os.uname().nodename}"
