"""From the words of `compare` to its sides: interpreters, commits, versions of packages."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from envdoctor.cli.sweep_plan import packages
from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.request import choices
from envdoctor.request.options import Words
from envdoctor.request.settings import Settings
from envdoctor.run.interpreters import interpreter, own_places
from envdoctor.sweep.commits import Commits
from envdoctor.sweep.sides import ComparedSide, combinations
from envdoctor.sweep.venvs import Venvs, cache_folder


@dataclass(frozen=True)
class SideRequest:
    """The options of the command line that make sides."""

    pythons: Words = None
    refs: Words = None
    versions: Words = None

    def __bool__(self) -> bool:
        return bool(self.pythons or self.refs or self.versions)

    def check(self) -> None:
        """Raises UsageError for what does not go together."""
        pythons = tuple(self.pythons or ())
        if self.refs and self.versions:
            raise UsageError("--ref and --with do not go together: compare one after the other")
        if (self.refs or self.versions) and len(pythons) > 1:
            raise UsageError("name one --python beside --ref or --with: the one to examine with")
        if not (self.refs or self.versions) and len(pythons) != 2:
            raise UsageError("name two interpreters: --python BEFORE --python AFTER")


@contextmanager
def sides(asked: SideRequest, settings: Settings, run: Path) -> Iterator[tuple[ComparedSide, ...]]:
    """All sides, ready to be examined; folders of theirs are made in `run`. Raises UsageError."""
    asked.check()
    here, pythons = os.getcwd(), tuple(asked.pythons or ())
    if asked.refs:
        with Commits(here) as commits:
            python = settings.python(next(iter(pythons), None))
            yield tuple(_commits(tuple(asked.refs), commits, python, run))
    elif asked.versions:
        yield _versions(tuple(asked.versions), settings.python(next(iter(pythons), None)), here)
    else:
        yield tuple(ComparedSide(python, choices.interpreter(python), here) for python in pythons)


def _commits(
    refs: Sequence[str], commits: Commits, python: str | None, run: Path
) -> Iterator[ComparedSide]:
    """A folder for each commit; one alone is compared with the files as they are."""
    resolved = [(ref, commits.commit_of(ref)) for ref in refs]
    here = os.getcwd()
    places = own_places(python, here)
    for number, (ref, commit) in enumerate(resolved):
        tree = run / f"commit-{number}"
        folder = commits.checkout(commit, tree)
        root = os.path.realpath(tree)
        variables = _search_path(places, commits.root, root)
        name = ref if commit.startswith(ref) else f"{ref} ({commit[:9]})"
        yield ComparedSide(name, python, folder, variables, commits.root, root)
    if len(resolved) == 1:
        yield ComparedSide("the files as they are", python, here)


def _search_path(places: Sequence[str], tree: str, commit: str) -> Mapping[str, str]:
    """Return the variables with which an interpreter imports from the commit's files in place of
    the user's: for an editable installation, a path of PYTHONPATH, or the usual `src`.
    """
    below = [os.path.relpath(each, tree) for each in map(os.path.realpath, places)]
    paths = [os.path.join(commit, each) for each in below if not each.startswith("..")]
    before = os.getenv("PYTHONPATH", "").split(os.pathsep)
    every = dict.fromkeys([*paths, os.path.join(commit, "src"), *filter(None, before)])
    return {"PYTHONPATH": os.pathsep.join(each for each in every if os.path.isdir(each))}


def _versions(
    requirements: Sequence[str], python: str | None, here: str
) -> tuple[ComparedSide, ...]:
    """An interpreter for each combination; one alone is compared with what is installed."""
    known = interpreter(python, here)
    venvs = Venvs(cache_folder(), known.executable, packages(known))
    venvs.remove_old()
    compared = []
    wanted = combinations(requirements)
    for words in wanted:
        made = venvs.interpreter(words)
        compared.append(
            ComparedSide(" ".join(words), made.python or None, here, reason=made.reason)
        )
    return (*((ComparedSide("as installed", python, here),) if len(wanted) == 1 else ()), *compared)
