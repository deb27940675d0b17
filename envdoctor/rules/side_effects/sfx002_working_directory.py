"""The environment changes the working directory.

What it does
    Asks for the working directory before the import and after each call of the first life.

Why it matters
    All relative paths of the program depend on it. From then on, checkpoints, logs and data sets
    are read from and written to another folder. A second environment that does the same goes where
    the first one left it.

How to fix it
    Name files by their full path instead of going to them:

        HERE = pathlib.Path(__file__).parent

        def reset(self, *, seed=None, options=None):
            self._level = (HERE / "levels" / "one.txt").read_text()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import StayInDirectory
from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, life_trace
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import effects, sentence, where
from envdoctor.rules.side_effects.sfx009_deleted_directory import left_in_deleted_directory
from envdoctor.rules.wording.leftovers import listing


@rule(
    "SFX002",
    "working-directory",
    severity=NOTE,
    where=DIRECT_ONLY,
    sensors=("directory",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
    gives_way=(Cause.DIRECTORY_DELETED,),
)
def working_directory(view: View) -> Iterator[Finding]:
    changed = effects(view, "directory")
    if changed:
        first = changed[0]
        yield working_directory.finding(
            f"{first.by} changes the working directory from {listing([str(first.old)])} to"
            f" {listing([str(first.new)])}{sentence(first)}",
            f"let {view.class_name} name its files by their full path, from"
            " pathlib.Path(__file__).parent, and leave the directory as it is.",
            aim=StayInDirectory(Frame(first.place.file, first.place.line)) if first.place else None,
            location=where(view, first),
            evidence={
                "changes": [
                    {"phase": effect.by, "old": effect.old, "new": effect.new} for effect in changed
                ],
                "own_code": first.own,
            },
            explained_by=(Cause.DIRECTORY_DELETED,) if left_in_deleted_directory(view) else (),
        )


def _in(directory: str) -> dict[str, dict[str, str]]:
    return {"directory": {"directory": directory}}


EXAMPLES = (
    Example(
        "reset goes to its data",
        direct_view(
            life_trace(before=_in("/lab"), made=_in("/lab"), reset=_in("/data"), held=_in("/data"))
        ),
        "reset() changes the working directory from /lab to /data",
    ),
    Example(
        "it stays", direct_view(life_trace(before=_in("/lab"), made=_in("/lab"), held=_in("/lab")))
    ),
)
