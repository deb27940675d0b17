"""The environment leaves the process in a directory that was deleted.

What it does
    Asks for the working directory before the import, after each call of the first life, and once
    its last reference is gone. One that is deleted while close() is not over, and left before that
    returns, is not counted.

Why it matters
    From then on os.getcwd() raises FileNotFoundError, and so does all that needs an absolute path:
    the next checkpoint, a worker that is started by spawn, an import from the current directory.
    The error names none of them, and appears far from the environment.

How to fix it
    Do not go to the folder: name its files by their full path. Where a library has to be there, go
    back before the folder is deleted:

        def close(self):
            os.chdir(self._came_from)
            self._folder.cleanup()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import StayInDirectory
from envdoctor.model.errors import Frame
from envdoctor.model.finding import ERROR, Finding
from envdoctor.model.trace import Life
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import effects, sentence, where
from envdoctor.rules.wording.leftovers import listing

GONE = "gone"  # what the sensor says of a directory that was deleted
AFTERWARDS = {"held": "close()", "dropped": "dropping it", "collected": "collecting it"}


@rule(
    "SFX009",
    "deleted-directory",
    explains=Cause.DIRECTORY_DELETED,
    severity=ERROR,
    where=DIRECT_ONLY,
    sensors=("directory",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
)
def deleted_directory(view: View) -> Iterator[Finding]:
    by = left_in_deleted_directory(view)
    went = next((effect for effect in effects(view, "directory") if effect.new != GONE), None)
    if not by:
        return
    place = went.place if went else None
    which = f" {listing([str(went.new)])}, to which {went.by} went{sentence(went)}" if went else ""
    yield deleted_directory.finding(
        f"{by} deletes the working directory of the process{which}, and leaves it there",
        f"let {view.class_name} go back to the directory that it came from before it deletes the"
        " folder, or never go there.",
        aim=StayInDirectory(Frame(place.file, place.line)) if place else None,
        location=where(view, went) if went else view.locate("close"),
        evidence={"directory": went.new if went else None, "phase": by, "own_code": True},
    )


def left_in_deleted_directory(view: View) -> str:
    """Return what deleted the directory in which the process is left, or nothing."""
    life = view.trace("life")
    first = life.lifecycles[0] if life and life.lifecycles else None
    if first is None or _directory(first, "before") == GONE:
        return ""
    read = [point for point in AFTERWARDS if _directory(first, point)]
    if not read or _directory(first, read[-1]) != GONE:
        return ""
    early = [effect.by for effect in effects(view, "directory") if effect.new == GONE]
    point = next(point for point in read if _directory(first, point) == GONE)
    return next(iter(early), AFTERWARDS[point])


def _directory(life: Life, point: str) -> str:
    return next(iter(life.by_key("directory", point).values()), "")


def _in(directory: str) -> dict[str, str]:
    return {"directory": directory}


EXAMPLES = (
    Example(
        "close() deletes the folder that reset() went to",
        direct_view(
            sensor_life(
                "directory",
                before=_in("/lab"),
                made=_in("/lab"),
                reset=_in("/lab/run"),
                held=_in(GONE),
                dropped=_in(GONE),
                collected=_in(GONE),
            )
        ),
        "close() deletes the working directory of the process /lab/run, to which reset()"
        " went, and leaves it there",
    ),
    Example(
        "a temporary folder is deleted with its object",
        direct_view(
            sensor_life(
                "directory",
                before=_in("/lab"),
                made=_in("/lab/run"),
                held=_in("/lab/run"),
                dropped=_in(GONE),
                collected=_in(GONE),
            )
        ),
        "dropping it deletes the working directory of the process /lab/run, to which the"
        " constructor went, and leaves it there",
    ),
    Example(
        "it was deleted before",
        direct_view(sensor_life("directory", before=_in(GONE), held=_in(GONE))),
    ),
    Example(
        "it goes back first",
        direct_view(
            sensor_life(
                "directory",
                before=_in("/lab"),
                made=_in("/lab/run"),
                held=_in("/lab"),
                collected=_in("/lab"),
            )
        ),
    ),
)
