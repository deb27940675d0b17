"""The environment takes over a signal.

What it does
    Compares who handles which signal before the import and after each call of the first life, from Python's point of view and
    from the kernel's, which also shows handlers that native libraries install.

Why it matters
    Signals belong to the program. An environment that handles SIGINT decides what Ctrl-C does to the training; one that
    handles SIGTERM lets a cluster's polite request to stop run into nothing; SIGALRM and SIGCHLD break time limits and the
    waiting for workers. Outside the main thread the call raises.

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

from envdoctor.model.finding import NOTE, WARNING, Finding
from envdoctor.rules.effects import Effect, effects, sentence, where
from envdoctor.rules.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.samples import direct_view, life_trace
from envdoctor.rules.view import View

NATIVE = "native handler"
CRASHES = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL")  # who handles these wants to tell of a crash


@rule("SFX001", "signal-handler", severity=WARNING, where=DIRECT_ONLY, sensors=("signals",))
def signal_handler(view: View) -> Iterator[Finding]:
    taken = {effect.key: effect for effect in effects(view, "signals") if _taken(effect)}
    for effect in taken.values():
        kept = _kept(view, effect)
        yield signal_handler.finding(
            f"{effect.by} sets the handler of {effect.key}, from {effect.old or 'default'} to {effect.new}"
            f"{'' if kept else ', until close()'}{sentence(effect)}",
            f"leave {effect.key} to the script, or restore the earlier handler in {view.class_name} as soon as the moment is over.",
            commands=(
                f"earlier = signal.signal(signal.{effect.key}, handler)", "try:", "    ...", "finally:",
                f"    signal.signal(signal.{effect.key}, earlier)",
            ),
            location=where(view, effect),
            evidence={"signal": effect.key, **effect.evidence, "kept": kept},
            severity=NOTE if effect.library or effect.new == NATIVE else WARNING,
        )


def _taken(effect: Effect) -> bool:
    """Whether a handler was put in place; that one was taken back is what we ask for."""
    return effect.new not in (None, "default") and effect.key not in CRASHES


def _kept(view: View, effect: Effect) -> bool:
    """Whether the first life's close() left it there."""
    life = view.trace("life")
    held = life.lives[0].readings.get("held", {}).get("signals") if life and life.lives else None
    return held is None or held.get(effect.key) == effect.new


_QUIET = {"signals": {"SIGINT": "_signal.default_int_handler"}}
_TAKEN = {"signals": {"SIGINT": "arm.Arm._on_interrupt"}}

EXAMPLES = (
    Example(
        "Ctrl-C is taken over for good",
        direct_view(life_trace(before=_QUIET, made=_QUIET, reset=_TAKEN, stepped=_TAKEN, held=_TAKEN)),
        ("reset() sets the handler of SIGINT, from _signal.default_int_handler to arm.Arm._on_interrupt",),
    ),
    Example(
        "a library's own, given back",
        direct_view(life_trace(before={"signals": {}}, made={"signals": {"SIGTERM": NATIVE}}, held={"signals": {"SIGTERM": "default"}})),
        ("the constructor sets the handler of SIGTERM, from default to native handler, until close()",),
    ),
    Example("faulthandler", direct_view(life_trace(before=_QUIET, made={"signals": {**_QUIET["signals"], "SIGSEGV": NATIVE}}, held=_QUIET))),
    Example("nobody touches them", direct_view(life_trace(before=_QUIET, made=_QUIET, held=_QUIET))),
)
