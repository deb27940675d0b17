"""The sides of a comparison that is examined now: an interpreter, a commit, or versions of packages
each.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import field

from envdoctor.errors import UsageError
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.sweep.results import Result, unjudged

MAX_SIDES = 24

_INSTALLED = re.compile("/(site|dist)-packages/")
_REQUIREMENT = re.compile(
    r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^]]*\])?\s*(?:[<>=!~]{1,3}\s*\w|@\s*\S).*"
)


@dataclass(frozen=True)
class ComparedSide:
    """One side. `directory` is where its SPECs are looked up, `variables` are set for what is
    examined. `tree` and `commit` are the root of the user's files and of the commit's: what is
    found below the former is not the commit's. `reason` says why it cannot be examined.
    """

    name: str
    python: str | None = None
    directory: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    tree: str = ""
    commit: str = ""
    reason: str = ""

    def settled(self, result: Result) -> Result:
        """The result, or one without findings where other files than the commit's were seen."""
        file = os.path.realpath(result.judged.source.file) if result.judged.source else ""
        if not self.commit or not _is_own(file, self.tree) or _is_below(file, self.commit):
            return result
        reason = f"its class was found in {file}, which is not of the commit {self.name}"
        return unjudged(result.identity, reason, result.attempts, result.finished)

    def is_outside(self, result: Result) -> bool:
        """Return True if no commit can change the class: it is installed, or outside the
        repository.
        """
        file = os.path.realpath(result.judged.source.file) if result.judged.source else ""
        below = _is_own(file, self.tree) or _is_below(file, self.commit)
        return bool(self.commit and file) and not below


def _is_below(file: str, folder: str) -> bool:
    return bool(folder) and file.startswith(folder.rstrip("/") + "/")


def _is_own(file: str, folder: str) -> bool:
    """Return True if a file below is the repository's, and not of a virtual environment in it."""
    return _is_below(file, folder) and not _INSTALLED.search(file, len(folder.rstrip("/")))


def package_of(requirement: str) -> str:
    """The package that a requirement names: gymnasium for `gymnasium[mujoco]==1.2.0`. Raises
    UsageError.
    """
    match = _REQUIREMENT.fullmatch(requirement)
    if match is None:
        raise UsageError(
            f"invalid --with {requirement!r}: expected a package and its version, such as"
            " numpy==2.4.6"
        )
    return re.sub(r"[-_.]+", "-", match[1]).lower()


def combinations(requirements: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The sides of --with: versions of one package are alternatives, and each is combined with each
    version of another package. Raises UsageError.
    """
    by_package: dict[str, list[str]] = {}
    for text in dict.fromkeys(each.strip() for each in requirements):
        by_package.setdefault(package_of(text), []).append(text)
    result = tuple(itertools.product(*by_package.values()))
    if len(result) > MAX_SIDES:
        raise UsageError(
            f"--with: {len(result)} combinations of versions are more than {MAX_SIDES}; name fewer"
        )
    return result
