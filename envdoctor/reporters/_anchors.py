"""The place of a finding in a repository: services that show findings beside the code take none
without a file and a line.
"""

from __future__ import annotations

from pathlib import PurePath

from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.finding import Finding, Location
from envdoctor.model.report import Report
from envdoctor.verdict.redaction import HIDDEN_PATH

#: Folders of libraries: below the root of a repository that holds its virtual environment, and yet
#: no part of it.
LIBRARIES = {"site-packages", "dist-packages"}

#: How what is not a file of the project begins: a hidden place, the home directory, code
#: that was made at run time.
NOWHERE = (HIDDEN_PATH, "~", "<")

MANIFEST = "pyproject.toml"

MAX_PATH = 4096  # characters; no system has longer ones


@dataclass(frozen=True)
class Anchor:
    """A file, relative to the repository's root and with slashes, and a line from 1. `own` says
    that it is the finding's own place, not a stand-in.
    """

    path: str
    line: int
    own: bool = True


def inside(location: Location | None, root: str) -> Anchor | None:
    """The location as an anchor, or None where it is not part of the repository. A root of "." is
    that of an anonymous report, in which files of the project are called as they are there.
    """
    if location is None or not root or len(location.file) > MAX_PATH:
        return None
    try:
        path = PurePath(location.file).relative_to(root)
    except ValueError:
        return None
    if {"..", *LIBRARIES} & set(path.parts) or not path.parts or path.parts[0].startswith(NOWHERE):
        return None
    return Anchor(path.as_posix(), max(1, location.line))


def anchor(finding: Finding, report: Report, root: str, manifest: str = MANIFEST) -> Anchor:
    """The finding's own place; else where its subject is defined; else the first line of the
    manifest.
    """
    own = inside(finding.location, root)
    source = next(
        (subject.source for subject in report.subjects if subject.spec == finding.subject), None
    )
    instead = inside(source, root)
    return own or Anchor(
        instead.path if instead else manifest, instead.line if instead else 1, own=False
    )
