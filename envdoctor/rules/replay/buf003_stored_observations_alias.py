"""Stored observations change later.

What it does
    Fingerprints every transition when it is handed to the storage, and reads them back later: slot
    by slot, and through the framework's own sampler. It reports those that are not what they were
    in storages that keep references (TorchRL's ListStorage, DI-engine's DequeBuffer), with the
    slots, the key, the values before and after, and which slots lie in the same memory. An object
    that is returned again and again but never changed does no harm and is not reported.

    Storages that copy (LazyTensorStorage, LazyMemmapStorage, SB3's ReplayBuffer) keep what they are
    given. A loop in front of them may still hold two references to one array: TorchRL's wrapper of
    Gymnasium does, and stores the next observation twice. A wrapper that copies prevents this:
    DI-engine's DingEnvWrapper copies, your own BaseEnv may not. Rule API011 reports the array
    itself.

Why it matters
    Every stored observation is the last one. The losses look plausible, and nothing is learned.

How to fix it
    Return a copy:

        return self._observation.copy(), reward, terminated, truncated, {}
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.analysis.replay_buffers import NAME
from envdoctor.model.environment_aims import CopyReturned
from envdoctor.model.facts import KeptTransitions, as_json
from envdoctor.model.finding import INTERACTION, Finding
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.replay_buffers import (
    filled,
    forecast,
    not_filled,
    stored,
    stored_view,
)


@rule(
    "BUF003",
    "stored-observations-alias",
    where=DIRECT_ONLY,
    needs=(NAME,),
    blames_itself=True,
    unjudged=not_filled,
)
def stored_observations_alias(view: View) -> Iterator[Finding]:
    for item in stored(view):
        kept = item.kept
        if not kept.wrong or item.forecast.copies:
            continue
        yield stored_observations_alias.finding(
            f"{item.name} keeps references, and {kept.wrong} of {kept.compared} transitions"
            f" that were read back are not what was stored{_first(kept)}{_shared(kept)}",
            f"let {view.class_name} return a copy of its observation, in reset() as well as in"
            " step().",
            aim=CopyReturned("observation"),
            location=view.locate("step"),
            evidence={
                "storage": item.name,
                "compared": kept.compared,
                "wrong": kept.wrong,
                "slots": list(kept.slots),
                "first": as_json(kept.first),
                "shared": list(kept.shared),
            },
            blame=INTERACTION,
        )


def _first(kept: KeptTransitions) -> str:
    first = kept.first
    if first is None:
        return ""
    place = "".join(f"[{number}]" for number in first.place or ())
    before, after = first.values
    return f": in slot {first.slot} {first.key}{place} was {before} and is {after}"


def _shared(kept: KeptTransitions) -> str:
    slots = ", ".join(map(str, kept.shared))
    return f"; slots {slots} lie in the same memory" if slots else ""


_FIRST = {"key": "observation", "place": [0], "what": "value", "values": ["1.0", "7.0"], "slot": 3}

EXAMPLES = (
    Example(
        "one array for all observations",
        stored_view(
            forecast(),
            filled(
                kept={
                    "compared": 500,
                    "wrong": 500,
                    "slots": [1, 2],
                    "first": _FIRST,
                    "shared": [1, 2],
                }
            ),
        ),
        "torchrl-list keeps references, and 500 of 500 transitions that were read back are"
        " not what was stored: in slot 3 observation[0] was 1.0 and is 7.0; slots 1, 2 lie"
        " in the same memory",
    ),
    Example(
        "all are what they were",
        stored_view(forecast(), filled(kept={"compared": 500, "wrong": 0})),
    ),
)
