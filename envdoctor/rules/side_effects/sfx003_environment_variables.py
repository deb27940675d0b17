"""The environment sets or removes environment variables.

What it does
    Compares the variables of the process before the import and after each call of the first life.
    Values are not shown or kept, since they may be secrets; only code for variables that choose a
    display or a device has them. Variables that only count threads are SFX007's. One that
    os.environ.setdefault() sets, where it is missing, is not reported: it leaves the choice to the
    user.

Why it matters
    Variables belong to the whole process and are inherited by every process that it starts: a
    display or a device that is chosen for one environment is chosen for all, and for the learner.
    What is set at an import depends on who imports first.

How to fix it
    Let the user choose, and only fill in what is not set; hand variables to the process that
    needs them:

        os.environ.setdefault("SDL_VIDEODRIVER", "dummy")

        subprocess.Popen(command, env={**os.environ, "DISPLAY": ":7"})
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import SetIfMissing
from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.named_variables import MISSING
from envdoctor.rules.engine.examples import direct_view, life_trace
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import Effect, effects, sentence, where
from envdoctor.rules.wording.leftovers import listing

#: Bookkeeping of Python, the shell and window toolkits that decides nothing.
PRIVATE = ("_", "PWD", "OLDPWD", "SHLVL", "LINES", "COLUMNS")

#: What only makes a library quiet.
QUIETING = (
    "PYGAME_HIDE_SUPPORT_PROMPT",
    "TF_CPP_MIN_LOG_LEVEL",
    "KMP_WARNINGS",
    "GLOG_minloglevel",
)


@rule(
    "SFX003",
    "environment-variables",
    severity=NOTE,
    where=DIRECT_ONLY,
    sensors=("environment",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
)
def environment_variables(view: View) -> Iterator[Finding]:
    changed = [effect for effect in effects(view, "environment") if _is_reported(effect)]
    for by in dict.fromkeys(effect.by for effect in changed):
        own = [effect for effect in changed if effect.by == by]
        first = own[0]
        yield environment_variables.finding(
            f"{by} {listing([f'{_verb(effect)} {effect.key}' for effect in own])}{sentence(first)}",
            "set a variable only where it is missing, with os.environ.setdefault(), or hand it to"
            " the one process that needs it.",
            aim=_aim(own),
            location=where(view, first),
            key=tuple(sorted(effect.key for effect in own)),
            evidence={
                "variables": [
                    {"name": effect.key, "how": _verb(effect), "phase": effect.by} for effect in own
                ],
                "own_code": first.own,
            },
        )


def _aim(changed: list[Effect]) -> SetIfMissing | None:
    """Set them where they are missing, where all lines are known that set them."""
    lines = dict.fromkeys(effect.place for effect in changed)
    places = tuple(Frame(place.file, place.line) for place in lines if place)
    is_known = len(places) == len(lines) and all(effect.new for effect in changed)
    return SetIfMissing(places) if is_known else None


def _is_reported(effect: Effect) -> bool:
    """Return False for the variables that a library's import sets for itself, and for those that
    were missing, and were set by setdefault().
    """
    is_filled = effect.old is None and str(effect.new).endswith(MISSING)
    return not is_filled and (
        not effect.library
        and effect.key not in (*PRIVATE, *QUIETING)
        and not effect.key.endswith(("_NUM_THREADS", "_MAXIMUM_THREADS"))
    )


def _verb(effect: Effect) -> str:
    return "removes" if effect.new is None else "sets" if effect.old is None else "changes"


def _with(**variables: str) -> dict[str, dict[str, str]]:
    return {"environment": variables}


EXAMPLES = (
    Example(
        "a display for everybody",
        direct_view(
            life_trace(
                before=_with(HOME="1", PORT="2"),
                made=_with(HOME="1", DISPLAY="3"),
                held=_with(HOME="1", DISPLAY="3"),
            )
        ),
        "the constructor removes PORT, sets DISPLAY",
    ),
    Example(
        "a driver where none was chosen",
        direct_view(
            life_trace(
                before=_with(),
                made=_with(SDL_VIDEODRIVER=f"SDL_VIDEODRIVER with digest 3{MISSING}"),
                held=_with(SDL_VIDEODRIVER=f"SDL_VIDEODRIVER with digest 3{MISSING}"),
            )
        ),
    ),
    Example(
        "threads are reported elsewhere",
        direct_view(
            life_trace(
                before=_with(), made=_with(OMP_NUM_THREADS="1"), held=_with(OMP_NUM_THREADS="1")
            )
        ),
    ),
)
