"""One instance breaks another of the same process.

What it does
    Builds two instances in one process, steps both, closes the first and steps the second. It is reported when a call of
    one fails after the other was reset, stepped or closed, although the same call works in an instance that is alone.

Why it matters
    Evaluation stands beside training in one process, and so do all instances of Gymnasium's SyncVectorEnv. The one that
    is closed first takes down the others, in a call that has nothing to do with it.

How to fix it
    Let close() give back what belongs to the instance, and leave what all share to the last one:

        _users = 0                      # of the library, in this process

        def close(self):
            if self._open:
                self._open = False
                Viewer._users -= 1
                if Viewer._users == 0:
                    library.quit()      # not: at the first close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.events import ErrorValue, Event, one_line
from envdoctor.model.finding import NOTE, Finding, Remedy
from envdoctor.model.scenario import HUMAN
from envdoctor.model.trace import Trace
from envdoctor.rules.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.rendered import failure, in_mode, lives, mode
from envdoctor.rules.rus004_one_instance_shared_by_workers import shared
from envdoctor.rules.samples import direct_view, raised, trace, verb
from envdoctor.rules.view import View
from envdoctor.rules.words import place_of

CALLS = ("step", "close")  # where it is seen; what fails before is MAK004's
NAMES = ("first", "second")

SCRIPT = "make make reset@0 reset@1 step:3@0 step:3@1 close@0 step:3@1 close@1 drop"


@rule("MAK005", "instances-interfere", where=DIRECT_ONLY, needs=("two-at-once",), verb="step")
def instances_interfere(view: View) -> Iterator[Finding]:
    broken = list(breaks(view, view.trace("life"), view.trace("two-at-once")))
    yield from broken or in_windows(view)


def in_windows(view: View) -> Iterator[Finding]:
    """What two windows do to each other, where nobody asked for windows: a note."""
    windows = [played for played in view.rendered if played.scenario.name == "two-windows"]
    alone = [played for played in lives(view) if mode(played) == HUMAN and not failure(played)]
    for both in windows if alone else ():
        for finding in breaks(view, alone[-1], both):
            yield finding.but(message=f"{finding.message}{in_mode(both)}", severity=NOTE)


def breaks(view: View, alone: Trace | None, both: Trace | None) -> Iterator[Finding]:
    """The call of one that fails because of what was done to the other."""
    broken = broken_call(both) if both else None
    if alone is None or both is None or broken is None or shared(both):
        return
    call, instance = call_in(broken), int(broken["verb"].rpartition("@")[2])
    if not alone.verbs(call, "ended") or alone.verbs(call, "raised"):
        return
    error = broken.get("error")
    remedy = _remedy(view, error)
    yield instances_interfere.finding(
        f"{cause(both, broken, instance)} breaks the {NAMES[instance]} one in the same process: {call}() raises {one_line(error)}",
        remedy.text,
        commands=remedy.commands,
        location=place_of(error) or view.locate(call),
        evidence={"error": error, "script": both.scenario.script, "verb": broken["verb"]},
    )


def _remedy(view: View, error: ErrorValue | None) -> Remedy:
    """Count the users of what is shared; pygame has one window for the whole process, which counting does not change."""
    pygame = str((error or {}).get("type")).startswith("pygame.")
    shared_text = "pygame has one window in a process: show one instance at a time, and call pygame.quit() when the last one closes. "
    text = shared_text if pygame else (
        f"let {view.class_name} share nothing between instances that one of them can take away: give each a handle of its own, or "
        "count the users and give up what they share with the last one. "
    )
    return Remedy(f"{text}Until then host each in a process of its own.", _counting(view.class_name, "pygame.quit()" if pygame else "library.quit()"))


def _counting(name: str, call: str) -> tuple[str, ...]:
    """The lines of a close() that counts the users."""
    return (
        "def close(self):",
        "    if self._open:  # reset() sets it, and counts up",
        "        self._open = False",
        f"        {name}.users -= 1",
        f"        if {name}.users == 0:",
        f"            {call}",
    )


def broken_call(both: Trace) -> Event | None:
    """The first step() or close() that raised, when both instances could be made and reset."""
    failed = next(both.of("verb", state="raised"), None)
    return failed if failed and call_in(failed) in CALLS else None


def call_in(event: Event) -> str:
    """`step` of the verb `step:3@1`."""
    return str(event["verb"]).split(":", maxsplit=1)[0].split("@", maxsplit=1)[0]


def cause(both: Trace, broken: Event, instance: int) -> str:
    """What was done to the other instance last, as the subject of a sentence."""
    done = [event for event in both.of("verb", state="ended") if event["at"] < broken["at"] and event["verb"].endswith(f"@{1 - instance}")]
    words = {"reset": "resetting", "step": "stepping", "close": "closing"}
    return f"{words[call_in(done[-1])] if done else 'making'} the {NAMES[1 - instance]} instance"


_LIFE = trace(verb("make"), verb("reset", at=1), verb("step:20", at=2), verb("close", at=3))
_GONE = raised("pygame.error", "video system not initialized", function="step")
_BEGUN = (verb("make"), verb("make", at=1), verb("reset@0", at=2), verb("reset@1", at=3), verb("step:3@0", at=4))


def _both(*others: Event) -> Trace:
    return trace(*_BEGUN, *others, name="two-at-once", script=SCRIPT)


EXAMPLES = (
    Example(
        "closing one shuts the library down",
        direct_view(
            _LIFE, _both(verb("step:3@1", at=5), verb("close@0", at=6), verb("step:3@1", "raised", at=7, error=_GONE), verb("close@1", at=8))
        ),
        ("closing the first instance breaks the second one in the same process: step() raises pygame.error: video system not initialized",),
    ),
    Example(
        "stepping one moves the other",
        direct_view(_LIFE, _both(verb("step:3@1", "raised", at=5, error=raised("RuntimeError", "episode over")))),
        ("stepping the first instance breaks the second one in the same process: step() raises RuntimeError: episode over",),
    ),
    Example(
        "a second close of what they share",
        direct_view(
            _LIFE,
            _both(verb("step:3@1", at=5), verb("close@0", at=6), verb("step:3@1", at=7), verb("close@1", "raised", at=8, error=raised())),
        ),
        ("closing the first instance breaks the second one in the same process: close() raises RuntimeError: no",),
    ),
    Example(
        "it cannot step when it is alone either",
        direct_view(
            trace(verb("make"), verb("reset", at=1), verb("step:20", "raised", at=2, error=_GONE)),
            _both(verb("step:3@1", "raised", at=5, error=_GONE)),
        ),
    ),
    Example(
        "the second cannot be reset: MAK004",
        direct_view(_LIFE, trace(verb("make"), verb("make", at=1), verb("reset@1", "raised", at=3, error=_GONE), name="two-at-once", script=SCRIPT)),
    ),
    Example("they live side by side", direct_view(_LIFE, _both(verb("step:3@1", at=5), verb("close@0", at=6), verb("step:3@1", at=7)))),
)
