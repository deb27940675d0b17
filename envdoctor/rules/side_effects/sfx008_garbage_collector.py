"""The environment switches Python's garbage collector off, or sets it otherwise.

What it does
    Asks whether automatic collections are on, at which thresholds they run, and how often
    gc.freeze() was called, before the import and after each call of the first life. What an
    environment gives back before its call returns is not counted. A warning where collections are
    still off after close(), by the environment's own code; a note otherwise.

Why it matters
    The collector belongs to the program. While it is off, no cycle of the learner's objects is
    freed either: the memory of the whole training grows, and nothing points to the environment.
    gc.freeze() keeps all that is garbage at that moment for good.

How to fix it
    Leave the collector to the script. Where a pause would be seen, hold it off for the moment only:

        def step(self, action):
            was_on = gc.isenabled()
            gc.disable()
            try:
                return self._advance(action)
            finally:
                if was_on:
                    gc.enable()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, WARNING, Finding
from envdoctor.rules.engine.examples import direct_view, sensor_life
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.side_effects import Effect, effects, sentence, where
from envdoctor.rules.remedies.aims import remove

ON, THRESHOLDS, FROZEN = "gc.isenabled()", "gc.get_threshold()", "gc.freeze()"
OFF = "False"


@rule(
    "SFX008",
    "garbage-collector",
    severity=WARNING,
    where=DIRECT_ONLY,
    sensors=("collector",),
    looks_at={"life": LIFECYCLE},
    follow_ups=("effects",),
)
def garbage_collector(view: View) -> Iterator[Finding]:
    for effect in effects(view, "collector"):
        if _restores(effect):
            continue
        stays = _stays(view, effect)
        is_off = (effect.key, effect.new) == (ON, OFF)
        yield garbage_collector.finding(
            f"{effect.by} {_deed(effect)}{'' if stays else ', until close()'}{sentence(effect)}",
            "leave the garbage collector to the script, or give it back before the call returns.",
            aim=remove([effect.place]) if effect.own else None,
            location=where(view, effect),
            severity=WARNING if is_off and stays and effect.own else NOTE,
            key=(effect.key,),
            evidence={"setting": effect.key, "kept": stays, **effect.evidence},
        )


def _restores(effect: Effect) -> bool:
    """True for what only gives back what was: in close(), or collections that are on again."""
    return effect.point == "held" or (effect.key, effect.new) == (ON, "True")


def _deed(effect: Effect) -> str:
    if effect.key == ON:
        return "switches automatic garbage collections off"
    if effect.key == FROZEN:
        return "calls gc.freeze(), which keeps what is garbage then for good"
    return f"sets the thresholds of the garbage collector from {effect.old} to {effect.new}"


def _stays(view: View, effect: Effect) -> bool:
    """True unless the first life's close() gave it back."""
    life = view.trace("life")
    held = life.lifecycles[0].by_key("collector", "held") if life and life.lifecycles else {}
    return effect.key == FROZEN or held.get(effect.key, effect.new) == effect.new


_AS_IT_WAS = {ON: "True", THRESHOLDS: "(700, 10, 10)", FROZEN: "0 calls"}
_OFF = {**_AS_IT_WAS, ON: OFF}
_RARE = {**_AS_IT_WAS, THRESHOLDS: "(100000, 50, 50)"}

EXAMPLES = (
    Example(
        "collections are off for good",
        direct_view(
            sensor_life("collector", before=_AS_IT_WAS, made=_AS_IT_WAS, reset=_OFF, held=_OFF)
        ),
        "reset() switches automatic garbage collections off",
    ),
    Example(
        "collections are off until close()",
        direct_view(sensor_life("collector", before=_AS_IT_WAS, made=_OFF, held=_AS_IT_WAS)),
        "the constructor switches automatic garbage collections off, until close()",
    ),
    Example(
        "they are made rare, and what there is is left out",
        direct_view(
            sensor_life(
                "collector",
                before=_AS_IT_WAS,
                made=_RARE,
                reset={**_RARE, FROZEN: "1 call"},
                held={**_RARE, FROZEN: "1 call"},
            )
        ),
        (
            (
                "the constructor sets the thresholds of the garbage collector from (700, 10, 10) to"
                " (100000, 50, 50)"
            ),
            "reset() calls gc.freeze(), which keeps what is garbage then for good",
        ),
    ),
    Example(
        "the collector is as it was",
        direct_view(sensor_life("collector", before=_AS_IT_WAS, reset=_AS_IT_WAS, held=_AS_IT_WAS)),
    ),
)
