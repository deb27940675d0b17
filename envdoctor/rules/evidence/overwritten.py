"""The changes in an environment whose returned arrays are overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from envdoctor.model.errors import one_line, wire_of
from envdoctor.model.facts import SideBySide
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.model.records import VerbRecord
from envdoctor.model.scenario import OVERWRITTEN
from envdoctor.model.trace import FINISHED, Trace
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    fresh_ones_differ,
    moment,
    unseeded_evidence,
    what_differs,
)

WRITTEN = ("observation", "info")  # in the second life, and in the third
CALLS = ("reset", "step")


@dataclass(frozen=True)
class EffectOfWriting:
    """`what` was overwritten, the `call` in which it shows, and what happens, as a predicate."""

    what: str
    call: str
    words: str
    evidence: dict[str, object] = field(default_factory=dict)


def effects_of_writing(view: View) -> Iterator[EffectOfWriting]:
    """The first effect: what it leaves may show in the lives that follow. What differs where the
    same seed gives something else anyway is not an effect of it.
    """
    is_repeatable = not fresh_ones_differ(view)
    for trace in view.optional(OVERWRITTEN)[-1:]:
        reported = trace.fact(SideBySide)
        if reported is None or reported.alone.differs or not reported.alone.calls:
            continue
        failed = next(trace.records(VerbRecord, state="raised"), None)
        for number, comparison in enumerate(reported.instances):
            if comparison.differs and is_repeatable:
                words = what_differs(comparison.first, "then", "and otherwise")
                yield EffectOfWriting(
                    WRITTEN[number],
                    comparison.first.call,
                    f"changes what follows: {words}, {moment(comparison.first)}",
                    {"comparison": comparison.as_json(), **unseeded_evidence(view)},
                )
                return
            if failed is not None and _life_of(trace, failed) == number + 1:
                yield from _breaking(WRITTEN[number], failed)
                return


def _breaking(what: str, failed: VerbRecord) -> Iterator[EffectOfWriting]:
    call = failed.verb.partition(":")[0]
    if call in CALLS and failed.error is not None:
        words = f"makes {call}() raise {one_line(failed.error)}"
        yield EffectOfWriting(what, call, words, {"error": wire_of(failed.error)})


def _life_of(trace: Trace, event: VerbRecord) -> int:
    """The number of the life in which a verb is played, where the scenario came to its end."""
    if trace.outcome.kind != FINISHED:
        return -1
    verbs = trace.scenario.verbs[: event.at]
    return sum(verb.name == "drop" for verb in verbs)
