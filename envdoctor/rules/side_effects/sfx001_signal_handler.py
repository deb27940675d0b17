"""The environment takes over a signal.

What it does
    Compares who handles which signal before the import and after each call of the first life, from
    Python's point of view and from the kernel's, which also shows handlers that native libraries
    install, in place of Python's, too.

Why it matters
    Signals belong to the program. An environment that handles SIGINT decides what Ctrl-C does to
    the training, and with signal.SIG_DFL Ctrl-C ends it before any `finally` has run; one that
    handles SIGTERM lets a cluster's polite request to stop run into nothing; SIGALRM and SIGCHLD
    break time limits and the waiting for workers. Outside the main thread the call raises.

How to fix it
    Leave signals to the script. Where one is needed for a moment, give it back:

        def _with_time_limit(self, call, seconds):
            earlier = signal.signal(signal.SIGALRM, self._on_alarm)
            try:
                signal.alarm(seconds)
                return call()
            finally:
                signal.alarm(0)
                signal.signal(signal.SIGALRM, earlier)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import LeaveSignals
from envdoctor.model.errors import Frame
from envdoctor.model.finding import NOTE, WARNING, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, life_trace, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import Effect, effects, sentence, where

NATIVE = "native handler"
PYTHONS_OWN = "_signal.default_int_handler"  # raises KeyboardInterrupt
#: What a terminal or a cluster sends to end the program.
OF_SCRIPT = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
#: Native handlers of these report a crash: faulthandler, the parachute of pygame, Java.
CRASHES = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGQUIT", "SIGTRAP", "SIGSYS")


@rule(
    "SFX001",
    "signal-handler",
    explains=Cause.SIGNAL_HANDLER,
    severity=WARNING,
    where=DIRECT_ONLY,
    sensors=("signals",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
)
def signal_handler(view: View) -> Iterator[Finding]:
    installed = {effect.key: effect for effect in effects(view, "signals") if _is_installed(effect)}
    for way in dict.fromkeys((effect.by, effect.old, effect.new) for effect in installed.values()):
        own = [
            effect for effect in installed.values() if (effect.by, effect.old, effect.new) == way
        ]
        names, first = [effect.key for effect in own], own[0]
        kept = [effect.key for effect in own if _kept(view, effect)]
        yield signal_handler.finding(
            f"{first.by} sets {'the handlers' if own[1:] else 'the handler'} of"
            f" {' and '.join(names)}, from {first.old or 'default'} to"
            f" {first.new}{_consequence(first)}"
            f"{'' if kept else ', until close()'}{sentence(first)}",
            f"leave {' and '.join(names)} to the script, or let {view.class_name} restore the"
            " earlier handler as soon as the moment is over.",
            aim=_aim(own),
            location=where(view, first),
            key=tuple(names),
            evidence={"signals": names, **first.evidence, "kept": kept},
            severity=NOTE if first.library or first.new == NATIVE else WARNING,
        )


def _aim(installed: list[Effect]) -> LeaveSignals | None:
    """Remove what takes over a signal that belongs to the script."""
    places = [Frame(each.place.file, each.place.line) for each in installed if each.place]
    known = len(places) == len(installed) and all(each.key in OF_SCRIPT for each in installed)
    return LeaveSignals(tuple(places)) if known else None


def _is_installed(effect: Effect) -> bool:
    """Return True if a handler was installed; restoring one is what we ask for. Python's own for
    Ctrl-C is the script's.
    """
    if _interrupts_no_more(effect):
        return True
    if effect.new == NATIVE and (
        effect.key in CRASHES or not effect.key.startswith("SIG") or effect.key.startswith("SIGRT")
    ):
        return False  # real-time signals are there for libraries to talk to themselves
    return effect.new not in (None, "default", PYTHONS_OWN)


def _consequence(effect: Effect) -> str:
    if _interrupts_no_more(effect):
        return ", so Ctrl-C raises no KeyboardInterrupt"
    if (effect.key, effect.old, effect.new) == ("SIGINT", PYTHONS_OWN, NATIVE):
        return ", so Ctrl-C raises KeyboardInterrupt only where that one calls Python's"
    return ""


def _interrupts_no_more(effect: Effect) -> bool:
    """Return True if Ctrl-C ends the process from now on, so that no `finally` of a script runs."""
    return (effect.key, effect.old, effect.new) == ("SIGINT", PYTHONS_OWN, "default")


def _kept(view: View, effect: Effect) -> bool:
    """Return True if the first life's close() left it there."""
    life = view.trace("life")
    first = life.lifecycles[0] if life and life.lifecycles else None
    if first is None or "signals" not in first.at("held"):
        return True
    return first.by_key("signals", "held").get(effect.key) == effect.new


_QUIET = {"signals": {"SIGINT": "_signal.default_int_handler"}}
_DEFAULT = {"signals": {"SIGINT": "default"}}
_INSTALLED = {"signals": {"SIGINT": "arm.Arm._on_interrupt"}}

EXAMPLES = (
    Example(
        "Ctrl-C is taken over for good",
        direct_view(
            life_trace(
                before=_QUIET, made=_QUIET, reset=_INSTALLED, stepped=_INSTALLED, held=_INSTALLED
            )
        ),
        "reset() sets the handler of SIGINT, from _signal.default_int_handler to"
        " arm.Arm._on_interrupt",
    ),
    Example(
        "Ctrl-C ends the process from now on",
        direct_view(life_trace(before=_QUIET, made=_DEFAULT, stepped=_DEFAULT, held=_DEFAULT)),
        "the constructor sets the handler of SIGINT, from _signal.default_int_handler to"
        " default, so Ctrl-C raises no KeyboardInterrupt",
    ),
    Example(
        "a library in C takes over Ctrl-C",
        direct_view(
            life_trace(
                before=_QUIET,
                made={"signals": {"SIGINT": NATIVE}},
                held={"signals": {"SIGINT": NATIVE}},
            )
        ),
        "the constructor sets the handler of SIGINT, from _signal.default_int_handler to"
        " native handler, so Ctrl-C raises KeyboardInterrupt only where that one calls"
        " Python's",
    ),
    Example(
        "a module takes over Ctrl-C, and its environment cannot be made",
        direct_view(
            life_trace("survey", before=_QUIET, imported=_INSTALLED),
            trace(verb("make", "raised"), name="life"),
        ),
        "importing it sets the handler of SIGINT, from _signal.default_int_handler to"
        " arm.Arm._on_interrupt",
    ),
    Example(
        "Ctrl-C is Python's again",
        direct_view(life_trace(before=_DEFAULT, made=_QUIET, held=_QUIET)),
    ),
    Example(
        "a library's own, given back",
        direct_view(
            life_trace(
                before={"signals": {}},
                made={"signals": {"SIGTERM": NATIVE}},
                held={"signals": {"SIGTERM": "default"}},
            )
        ),
        "the constructor sets the handler of SIGTERM, from default to native handler, until"
        " close()",
    ),
    Example(
        "faulthandler",
        direct_view(
            life_trace(
                before=_QUIET,
                made={"signals": {**_QUIET["signals"], "SIGSEGV": NATIVE}},
                held=_QUIET,
            )
        ),
    ),
    Example(
        "they are not touched", direct_view(life_trace(before=_QUIET, made=_QUIET, held=_QUIET))
    ),
)
