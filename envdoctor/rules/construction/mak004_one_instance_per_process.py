"""A process can host only one instance.

What it does
    Builds two instances in one process, first one after the other, then both at once. It is
    reported when the first one works and the second one cannot be made or reset, or ends the
    process, while no process ends in its first constructor. What the first one left changed (what a
    module or a class keeps, a default argument) is named where a second one can be made once that
    has again what it had at first. If the managers
    that use processes were examined as well, the evidence says whether an instance in each of
    several processes works. Where an address is in use, its port and the state of that are named.

Why it matters
    Gymnasium's SyncVectorEnv hosts all instances in one process, evaluation beside training needs a
    second instance, and AsyncVectorEnv builds a hidden one in the parent (which it closes at once,
    before the workers start).

How to fix it
    Keep the state in a handle for each instance instead of in the library or the module:

        self._simulator = library.simulator_create()        # not: library.simulator_open()

    Copy what the module keeps before the instance changes it:

        settings = copy.deepcopy(TASKS[name])               # not: TASKS[name]
        self.prompt = settings.pop("prompt")

    If the library is not yours, host every instance in a process of its own:

        envs = gymnasium.vector.AsyncVectorEnv([make_env] * 4, context="spawn")
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import FreePort, LeaveToProcess, OneThread, Unblock
from envdoctor.model.errors import ErrorValue, one_line, wire_of
from envdoctor.model.events import Event
from envdoctor.model.finding import Finding
from envdoctor.model.trace import EXITED, SIGNALLED, Trace
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, instance, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.blocking_state import (
    blocking_evidence,
    blocking_places,
    effect_on_second,
    how_to_unblock,
    raises_in,
    with_blocking_place,
)
from envdoctor.rules.evidence.circumstances import died_after_close, hung_beside_another
from envdoctor.rules.evidence.deaths import call_of, end_of
from envdoctor.rules.evidence.hangs import in_frame
from envdoctor.rules.evidence.hosting import (
    cure,
    fails_in_other_processes,
    hosted_in_other_places,
    shadowed,
)
from envdoctor.rules.evidence.stacks import main_first, where_it_was
from envdoctor.rules.evidence.used_addresses import (
    ADDRESS_IN_USE,
    address_of_its_own,
    another_port,
    is_used_by_another,
    used_address,
    used_evidence,
    what_keeps,
    with_used_address,
)
from envdoctor.rules.remedies.launch_lines import name_place
from envdoctor.rules.wording.leftovers import place_of

Case = tuple[str, ErrorValue | None]  # what went wrong in words, and the error that shows it

#: As browsers say it that are driven without coroutines.
LOOP = re.compile(r"\basyncio loop|event loop")
PORT = re.compile(r"\('[^']*', (\d+)\)")  # of asyncio's error: ('127.0.0.1', 9099)

#: What can fail, in the order in which it is played, and the words for it.
STAGES = (
    ("make", "a second instance cannot be made in the same process while the first lives"),
    (
        "reset@0",
        (
            "the first instance cannot be reset any more once a second one was made in the same"
            " process"
        ),
    ),
    ("reset@1", "a second instance cannot be reset in the same process while the first lives"),
)

SCRIPT = "make make reset@0 reset@1 step:3@0 step:3@1 close@0 step:3@1 close@1 drop"


def fails_after_close(life: Trace, view: View) -> Case | None:
    """The second constructor of `life` failed, when the first instance was already given up."""
    errors = life.verbs("make", "raised")
    if not errors:
        return None
    error = errors[0].error
    if "close" in view.survey.lacks:
        state = "given up (it has no close())"
    elif life.verbs("close", "raised"):
        state = "given up (its close() raised)"
    else:
        state = "closed"
    return (
        (
            f"a second instance cannot be made in the same process, although the first was {state}:"
            f" {one_line(error)}"
        ),
        error,
    )


def fails_at_once(both: Trace, resets_alone: bool) -> Case | None:
    """The second instance cannot be made or reset while the first lives. What cannot be reset
    when it is alone shows only whether it can be made.
    """
    for name, words in STAGES if resets_alone else STAGES[:1]:
        calls = [
            event
            for event in both.verbs(name.split("@")[0])
            if event.verb.endswith(name) and event.state != "began"
        ]
        errors = [event for event in calls if event.state == "raised"]
        # A later reset is one in the middle of an episode, which few forbid.
        if errors and (name == "make" or errors[0] is calls[0]):
            error = errors[0].error
            return f"{words}: {one_line(error)}", error
    if both.outcome.kind in (SIGNALLED, EXITED) and (both.outcome.verb, both.outcome.at) == (
        "make",
        1,
    ):
        how = end_of(both.outcome)
        return f"making a second instance while the first lives ends the process ({how})", None
    return None


def _dies_after_close(view: View) -> Case | None:
    died = died_after_close(view)
    if died is None:
        return None
    how = end_of(died.outcome)
    message = "making a second instance in the same process, once the first was closed, ends it"
    return f"{message} ({how})", None


def _hangs_at_once(view: View) -> Case | None:
    hung = hung_beside_another(view)
    if hung is None:
        return None
    call = call_of(hung.outcome.verb)
    place = where_it_was(hung.outcome.stacks, view)
    return (
        f"{call} hangs while a second instance lives in the same process{in_frame(place)}",
        None,
    )


def _one_thread(error: ErrorValue | None) -> OneThread | None:
    """Leave the event loop of the first instance in a thread of its own."""
    return OneThread() if error is not None and LOOP.search(error.message) else None


def is_used_by_first(view: View, error: ErrorValue | None) -> bool:
    """Return whether the first instance has the address, and nothing is known of processes for
    each: where these work, the address is not that of the machine.
    """
    is_known = hosted_in_other_places(view) or fails_in_other_processes(view, error)
    return is_used_by_another(view, error) and not is_known


def _free_port(error: ErrorValue | None) -> FreePort | None:
    """Bind another port in the user's line that could not bind its own."""
    frame = error.user_frame if error else None
    port = PORT.search(error.message) if error else None
    return FreePort(frame, int(port[1]) if port else 0) if frame else None


@rule(
    "MAK004",
    "one-instance-per-process",
    explains=Cause.ONE_PER_PROCESS,
    where=DIRECT_ONLY,
    needs=("two-at-once",),
    verb="make",
    looks_at={"life": "make", "two-at-once": "make reset"},
    follow_ups=("without-shadow", "ports", "blocking-state"),
    also_reads=(EVERYTHING,),
)
def one_instance_per_process(view: View) -> Iterator[Finding]:
    life, both = view.trace("life"), view.trace("two-at-once")
    if life is None or both is None or not life.verbs("make", "ended"):
        return
    resets_alone = bool(life.verbs("reset", "ended"))
    # What cannot be told from a constructor that fails by itself.
    if not resets_alone and not both.verbs("make", "ended"):
        return
    case = (
        (fails_after_close(life, view) if resets_alone else None)
        or fails_at_once(both, resets_alone)
        or _dies_after_close(view)
        or _hangs_at_once(view)
    )
    if case is None:
        return
    message, error = case
    remedy, commands = cure(view, error)
    blocking = blocking_places(view) if error else ()
    if blocking:
        message += effect_on_second(blocking, was_closed=bool(life.verbs("make", "raised")))
        remedy = f"{how_to_unblock(view, blocking)} Until then, {remedy}"
    if blocking and raises_in(view, "reuse", error):  # a process for each does not help
        remedy, commands = how_to_unblock(view, blocking), ()
    used = used_address(view, error)
    if used:
        message, remedy, commands = f"{message}{what_keeps(used)}", another_port(view, used), ()
    in_use = used is not None or is_used_by_first(view, error)
    if in_use and not used:
        remedy, commands = address_of_its_own(view), ()
    died = died_after_close(view) if error is None else None
    if died:
        remedy = (
            f"let {view.class_name}.close() leave to the process what can be initialized only once"
            f" in it, or initialize it anew in the constructor. Until then, {remedy}"
        )
    hung = hung_beside_another(view) if error is None else None
    yield one_instance_per_process.finding(
        message,
        remedy,
        commands=commands,
        aim=(LeaveToProcess() if died else None)
        or (Unblock(blocking) if blocking else _free_port(error) if in_use else _one_thread(error)),
        location=place_of(error)
        or (where_it_was(hung.outcome.stacks, view) if hung else None)
        or (where_it_was(died.outcome.stacks, view) if died else None)
        or view.locate("__init__"),
        evidence={
            **({"stacks": main_first(hung.outcome.stacks)} if hung else {}),
            "error": wire_of(error),
            **used_evidence(error),
            **blocking_evidence(blocking),
            "works_in_other_processes": [
                name_place(place) for place in hosted_in_other_places(view)
            ],
            "shadowed": shadowed(view),
        },
    )


_LIFE = trace(verb("make"), verb("reset", at=1), verb("close", at=3), verb("make", at=5))


def _begun(script: str, came_back: bool = False) -> list[Event]:
    """The events of a script, of which the last verb came back or not."""
    words = script.split()
    last = len(words) - (0 if came_back else 1)
    return [
        event
        for at, word in enumerate(words)
        for event in (verb(word, "began", at=at), *([verb(word, at=at)] if at < last else []))
    ]


def _life_that_came_back() -> Trace:
    return trace(*_begun("make reset step:20 close drop", came_back=True))


def _died_in_second_make() -> Trace:
    return trace(
        *(verb("make"), verb("reset", at=1), verb("close", at=3), verb("make", "began", at=5)),
        outcome=SIGNALLED,
        verb="make",
        at=5,
        signal="SIGSEGV",
    )


_IN_USE = raised("RuntimeError", "simulator is in use")

EXAMPLES = (
    Example(
        "a simulator with global state",
        direct_view(
            _LIFE,
            trace(
                verb("make"),
                verb("make", "raised", at=1, error=_IN_USE),
                name="two-at-once",
                script=SCRIPT,
            ),
        ),
        "a second instance cannot be made in the same process while the first lives:"
        " RuntimeError: simulator is in use",
    ),
    Example(
        "only resetting the second one fails",
        direct_view(
            _LIFE,
            trace(
                verb("make"),
                verb("make", at=1),
                verb("reset@1", "raised", at=3, error=_IN_USE),
                name="two-at-once",
                script=SCRIPT,
            ),
        ),
        "a second instance cannot be reset in the same process while the first lives:"
        " RuntimeError: simulator is in use",
    ),
    Example(
        "the library aborts",
        direct_view(
            _LIFE,
            trace(
                verb("make"),
                name="two-at-once",
                script=SCRIPT,
                outcome="signalled",
                signal="SIGABRT",
                verb="make",
                at=1,
            ),
        ),
        "making a second instance while the first lives ends the process (SIGABRT)",
    ),
    Example(
        "once a process, also after the first is gone",
        direct_view(
            trace(
                verb("make"),
                verb("reset", at=1),
                verb("close", at=3),
                verb("make", "raised", at=5, error=_IN_USE),
            ),
            trace(verb("make", "raised", error=_IN_USE), name="two-at-once", script=SCRIPT),
        ),
        "a second instance cannot be made in the same process, although the first was"
        " closed: RuntimeError: simulator is in use",
    ),
    Example(
        "a flag of the class that close() forgets",
        with_blocking_place(
            direct_view(
                trace(
                    *(verb("make"), verb("reset", at=1), verb("close", at=3)),
                    verb("make", "raised", at=5, error=_IN_USE),
                ),
                trace(verb("make", "raised", error=_IN_USE), name="two-at-once", script=SCRIPT),
            ),
            kind="class",
            name="arm.Simulator.in_use",
            before="False",
        ),
        "a second instance cannot be made in the same process, although the first was"
        " closed: RuntimeError: simulator is in use; it works if arm.Simulator.in_use,"
        " which the class keeps, is False again",
    ),
    Example(
        "a port that the kernel keeps",
        with_used_address(
            direct_view(
                trace(
                    *(verb("make"), verb("reset", at=1), verb("close", at=3)),
                    verb("make", "raised", at=5, error=ADDRESS_IN_USE),
                ),
                trace(verb("make", "raised", error=ADDRESS_IN_USE), name="two-at-once"),
            ),
            "TIME_WAIT",
        ),
        "a second instance cannot be made in the same process, although the first was"
        " closed: OSError: Address already in use (port 5005 is in TIME_WAIT, in which the"
        " kernel keeps it for about a minute after its connection was closed)",
    ),
    Example(
        "a port that the first instance has",
        direct_view(
            _LIFE,
            trace(
                *(verb("make"), verb("make", at=1)),
                verb("reset@1", "raised", at=3, error=ADDRESS_IN_USE),
                name="two-at-once",
                script=SCRIPT,
            ),
        ),
        "a second instance cannot be reset in the same process while the first lives:"
        " OSError: Address already in use",
    ),
    Example(
        "a simulator that close() takes down for good",
        direct_view(
            _died_in_second_make(),
            trace(verb("make"), verb("make", at=1), name="two-at-once", script=SCRIPT),
        ),
        "making a second instance in the same process, once the first was closed, ends it"
        " (SIGSEGV)",
    ),
    Example(
        "it dies in the first constructor of a process as well: worker-died",
        direct_view(
            _died_in_second_make(),
            trace(
                verb("make", "began"),
                name="reuse",
                outcome=SIGNALLED,
                verb="make",
                at=0,
                signal="SIGSEGV",
            ),
            trace(verb("make"), verb("make", at=1), name="two-at-once", script=SCRIPT),
        ),
    ),
    Example(
        "it cannot be reset, which is another matter",
        direct_view(
            trace(
                verb("make"),
                verb("reset", "raised", at=1, error=raised("NoSuchDisplayException", "no display")),
            ),
            trace(
                verb("make"),
                verb("make", "raised", at=1, error=_IN_USE),
                name="two-at-once",
                script=SCRIPT,
            ),
        ),
        "a second instance cannot be made in the same process while the first lives:"
        " RuntimeError: simulator is in use",
    ),
    Example(
        "a simulation a process: the step of the first waits for the second",
        direct_view(
            _life_that_came_back(),
            trace(
                *_begun("make make reset@0 reset@1 step:3@0"),
                name="two-at-once",
                script=SCRIPT,
                outcome="timed-out",
                verb="step:3@0",
                at=4,
            ),
        ),
        "step() hangs while a second instance lives in the same process",
    ),
    Example(
        "step() hangs alone as well: step-hangs",
        direct_view(
            _life_that_came_back(),
            trace(
                *_begun("make reset step:3"), name="reuse", outcome="timed-out", verb="step:3", at=2
            ),
            trace(
                *_begun("make make reset@0 reset@1 step:3@0"),
                name="two-at-once",
                script=SCRIPT,
                outcome="timed-out",
                verb="step:3@0",
                at=4,
            ),
        ),
    ),
    Example(
        "the first one could not be made either: constructor-fails",
        direct_view(
            trace(verb("make", "raised", error=_IN_USE)),
            trace(verb("make", "raised", error=_IN_USE), name="two-at-once", script=SCRIPT),
        ),
    ),
    Example(
        "two are fine",
        direct_view(
            _LIFE,
            trace(
                instance("made"),
                verb("make"),
                verb("make", at=1),
                verb("reset@0", at=2),
                verb("reset@1", at=3),
                name="two-at-once",
                script=SCRIPT,
            ),
        ),
    ),
)
