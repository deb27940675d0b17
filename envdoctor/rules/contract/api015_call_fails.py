"""A call fails somewhere in what was played.

What it does
    Looks through everything that was played for an error, a hang or the death of a process that no
    other rule reports: at step 40 of an episode, at its end, in one instance of a manager, in one
    of 50 resets without a seed, which begin as many different episodes. It says in which step of
    which episode it came, and how often. Mistakes in render modes that were not asked for are
    notes.

Why it matters
    Most tests end after twenty steps, with one seed; most bugs of an environment wait for the end
    of an episode, or for a beginning that is rare. A training meets them all.

How to fix it
    Repair the line that is shown. More of an episode, and more episodes, are followed with

        envdoctor check SPEC --steps 5000 --episodes 20
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import Mend
from envdoctor.model.errors import ErrorValue, kind_of, one_line, wire_of
from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import BEGINNINGS, verb_name
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.optional_scenarios import in_mode, rendered_traces
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.episodes import episodes_missing
from envdoctor.rules.evidence.failures import Failure, failures
from envdoctor.rules.wording.leftovers import place_of

METHODS = {"the constructor": "__init__"}

#: Errors that only code makes.
MISTAKES = (
    "AssertionError",
    "AttributeError",
    "IndexError",
    "KeyError",
    "NameError",
    "NotImplementedError",
    "TypeError",
    "UnboundLocalError",
    "ZeroDivisionError",
)


# It gives way to every finding that tells the same failure (see engine/judging.py).
@rule(
    "API015",
    "call-fails",
    verb="reset",
    last_resort=True,
    unjudged=episodes_missing,
    in_leak_check=True,
)
def call_fails(view: View) -> Iterator[Finding]:
    known: dict[tuple[object, ...], list[Failure]] = {}
    for failure in failures(view):
        known.setdefault(failure.identity, []).append(failure)
    for alike in known.values():
        # What fails in a plain life is not reported as what only a rare beginning brings about.
        placed = (other for other in alike if other.moment and other.scenario != BEGINNINGS)
        first = next(placed, alike[0])
        often = len(alike)
        times = f" (in {often} scenarios)" if often > 1 else ""
        method = METHODS.get(first.call, first.call.rstrip("()"))
        yield call_fails.finding(
            f"{first.call} {first.text}{first.moment}{times}",
            f"Repair {view.class_name}.{method}(), at the line that is shown.",
            aim=Mend(first.error) if first.error else None,
            location=first.location or view.locate(method),
            evidence={
                "scenario": first.scenario,
                "scenarios": sorted({failure.scenario for failure in alike}),
                "error": wire_of(first.error),
                "stacks": first.stacks,
                "failed": often,
            },
            key=(first.call, first.error.type if first.error else first.text),
        )
    if view.is_direct:
        yield from _in_modes(view)


def _in_modes(view: View) -> Iterator[Finding]:
    """Mistakes of the environment's own lines in render modes that were not asked for. What a
    machine without a screen, or without a library, cannot do is not a mistake.
    """
    known: dict[str, list[tuple[Trace, ErrorValue]]] = {}
    for lifecycle in rendered_traces(view):
        event = next(lifecycle.records(VerbRecord, state="raised"), None)
        error = event.error if event else None
        if (
            event is not None
            and error is not None
            and kind_of(error).removeprefix("builtins.") in MISTAKES
            and _is_own_line(error)
        ):
            call = f"{verb_name(event.verb)}()"
            known.setdefault(f"{call} raises {one_line(error)}", []).append((lifecycle, error))
    for text, alike in known.items():
        lifecycle, error = alike[0]
        yield call_fails.finding(
            f"{text}{in_mode(*(item for item, _ in alike))}",
            f"Repair {view.class_name}.render(), at the line that is shown, or take the mode out of"
            " metadata.",
            location=place_of(error) or view.locate("render"),
            severity=NOTE,
            evidence={
                "scenario": lifecycle.scenario.name,
                "error": error.wire,
                "failed": len(alike),
            },
            key=("rendered", error.type),
        )


def _is_own_line(error: ErrorValue) -> bool:
    """Return True if the innermost line is one of the environment's."""
    return error.user == len(error.frames or ()) - 1


_RARE = raised("RuntimeError", "no place is left", "arm.py", 12, "reset")
_EARLY = raised("IndexError", "list index out of range", "arm.py", 31, "step")

EXAMPLES = (
    Example(
        "at step 40",
        direct_view(
            trace(verb("reset")),
            trace(
                verb("make"),
                verb("reset", at=1),
                verb("episode:2000", "raised", at=2, error=_EARLY, episode=1, step=40),
                name="episode",
            ),
        ),
        "step() raises IndexError: list index out of range, at step 40 of an episode",
    ),
    Example(
        "it hangs at the end of the second episode",
        direct_view(
            trace(verb("reset")),
            trace(
                verb("episode:2000x3", "began", at=2),
                fact("last-step", {"episode": 2, "step": 200}),
                name="episode",
                outcome=TIMED_OUT,
                verb="episode:2000x3",
            ),
        ),
        "step() hangs, at step 200 of episode 2",
    ),
    Example(
        "one beginning of many fails",
        direct_view(
            trace(verb("reset")),
            trace(
                verb("make"),
                verb("reset", at=1),
                verb("beginnings:50x20", "raised", at=2, error=_RARE, episode=37, step=0),
                name="beginnings",
            ),
        ),
        "reset() raises RuntimeError: no place is left, at its 37th reset without a seed",
    ),
    Example(
        "one beginning of many never comes",
        direct_view(
            trace(verb("reset")),
            trace(
                verb("beginnings:50x20", "began"),
                fact("last-step", {"episode": 3, "step": 0}),
                name="beginnings",
                outcome=TIMED_OUT,
                verb="beginnings:50x20",
            ),
        ),
        "reset() hangs, at its 3rd reset without a seed",
    ),
    Example(
        "its reset with the seed of the first one hangs where no stack could be read",
        direct_view(
            trace(verb("reset")),
            trace(verb("reseed", "began"), name="reuse", outcome=TIMED_OUT, verb="reseed"),
        ),
        "reset() hangs",
    ),
    Example(
        "a closed instance hangs when it is used again: another rule has a note on it",
        direct_view(
            trace(verb("reset")),
            trace(
                verb("reset"),
                verb("close", at=1),
                verb("reset", "began", at=2),
                name="reopen",
                outcome=TIMED_OUT,
                verb="reset",
            ),
        ),
    ),
    Example(
        "all goes well",
        direct_view(
            trace(verb("reset")),
            trace(
                verb("episode:2000", at=2, steps=9, episodes=[{"step": 9, "how": "terminated"}]),
                name="episode",
            ),
        ),
    ),
)
