"""Questions to git about the user's repository. Nothing of it is changed, and no hook of it runs.

The functions that read what git printed are pure.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from envdoctor.errors import UsageError, nearest_sentence
from envdoctor.model.fast_dataclass import dataclass

SECONDS = 900.0  # for a large repository on a slow disk
FEW_SECONDS = 10.0  # for an order without which all is the same
RECENT = 200  # commits that are read for what changed last
#: Variables of git that the programs get which it starts: a hook of the user may start envdoctor.
INHERITED = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR")
#: No hook of the user's runs, no monitor of files is started, and no advice is given.
SETTINGS = (
    *("-c", "core.hooksPath=/dev/null"),
    *("-c", "core.fsmonitor=false"),
    *("-c", "advice.detachedHead=false"),
)
#: As git says it, in the language that is asked for.
NO_REPOSITORY, LANGUAGE = "not a git repository", {"LC_ALL": "C", "LANGUAGE": "C"}
#: Changed paths, one for each; and paths that git does not track.
NAMES = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff")
OTHERS = ("ls-files", "-z", "--others", "--exclude-standard")


@dataclass(frozen=True)
class Git:
    """The git of a folder; `option` is the one of the command line that needs it. A command may
    take so many `seconds`.
    """

    directory: str
    option: str = ""
    seconds: float = SECONDS

    def __call__(self, *words: str) -> str:
        """The output of one git command. Raises UsageError with its last words."""
        environment = {name: value for name, value in os.environ.items() if name not in INHERITED}
        environment |= LANGUAGE
        environment["GIT_OPTIONAL_LOCKS"] = "0"  # a commit of the user's may run meanwhile
        try:
            done = subprocess.run(
                ("git", "-C", self.directory, *SETTINGS, *words),
                capture_output=True,
                stdin=subprocess.DEVNULL,
                env=environment,
                timeout=self.seconds,
                check=False,
            )
        except FileNotFoundError as error:
            raise UsageError(f"{self.option} needs git, which is not on PATH") from error
        except subprocess.TimeoutExpired as error:
            raise UsageError(f"git {words[0]} took longer than {self.seconds:.0f} s") from error
        if done.returncode:
            lines = os.fsdecode(done.stderr).strip().splitlines()
            said = (lines or [f"it ended with {done.returncode}"])[-1]
            raise UsageError(f"{self.option}: git {words[0]}: {said}")
        return os.fsdecode(done.stdout)

    @property
    def root(self) -> str:
        """The folder of the repository. Raises UsageError outside of one."""
        try:
            return os.path.realpath(self("rev-parse", "--show-toplevel").rstrip("\n"))
        except UsageError as error:
            if NO_REPOSITORY not in str(error):
                raise
            folder = os.path.realpath(self.directory)
            raise UsageError(
                f"{self.option} needs a git repository: {folder} is in none"
            ) from error

    def commit_of(self, ref: str) -> str:
        """The commit that a branch, tag or abbreviation names. Raises UsageError."""
        commit = ""
        if not ref.startswith("-"):
            with suppress(UsageError):
                commit = self("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}").strip()
        if not commit:
            hint = self._hint(ref)
            raise UsageError(f"{self.option} {ref}: no commit of {self.root} has that name{hint}")
        return commit

    def _hint(self, ref: str) -> str:
        """The reason why a commit may not be there, or a name that comes near."""
        if self("rev-parse", "--is-shallow-repository").strip() == "true":
            return "; the clone is shallow: fetch the whole history (`fetch-depth: 0`)"
        return nearest_sentence(ref, self("for-each-ref", "--format=%(refname:short)").split())


@dataclass(frozen=True)
class Changes:
    """The changes in a repository: the paths of changed files, and those of all its Python files.
    They begin at the folder of the repository, which is `root`.
    """

    root: str
    paths: tuple[str, ...]
    python_files: tuple[str, ...]

    def inside(self, path: str, here: Path) -> str:
        """A path from the user's folder as one from the folder of the repository."""
        return Path(os.path.relpath(os.path.realpath(here / path), self.root)).as_posix()


def changes_since(ref: str, here: Path) -> Changes:
    """The changes since a ref, or since the branch point where that is another commit. What is not
    committed counts, and a file that git does not track. Raises UsageError.
    """
    root = Git(str(here), "--since").root
    git = Git(root, "--since")
    commit = git.commit_of(ref)
    with suppress(UsageError):  # without a common ancestor all that differs has changed
        commit = git("merge-base", commit, "HEAD").strip()
    changed = git(*NAMES, commit, "--") + git(*OTHERS)
    tracked = git("ls-files", "-z", "--cached", "--recurse-submodules", "--", "*.py")
    # Those that git does not track, or that are gone, are sources, too.
    others = tuple(each for each in paths_in(changed) if each.endswith(".py"))
    return Changes(root, paths_in(changed), paths_in(tracked) + others)


def recent_changes(here: Path) -> Changes | None:
    """Paths in the order of their last change, those that are not committed first; None where git
    cannot say it.
    """
    try:
        root = Git(str(here), seconds=FEW_SECONDS).root
        git = Git(root, seconds=FEW_SECONDS)
        log = git("log", f"--max-count={RECENT}", "--format=", *NAMES[1:], "--first-parent", "-m")
        return Changes(root, paths_in(git(*OTHERS) + git(*NAMES, "HEAD", "--") + log), ())
    except UsageError:
        return None


def paths_in(text: str) -> tuple[str, ...]:
    """The paths that git printed with `-z`, each once. A repository that git does not track has a
    slash at its end.
    """
    names = (each.strip("\n").rstrip("/") for each in text.split("\0"))
    return tuple(dict.fromkeys(name for name in names if name))
