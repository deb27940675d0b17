"""Another process gives something else for the same seed and actions.

What it does
    Compares what two processes return for the same seed and actions; the other one hashes strings
    otherwise, as every run of Python does unless PYTHONHASHSEED is set. Workers that managers start
    as programs serve as the other process; where there are none, or where they differ, a second one
    is started. Where it differs, a third one with the same hashes tells whether these are the
    cause.

Why it matters
    It cannot be seen from inside: every process repeats itself, and tomorrow's run, or the worker
    next door, is another.

How to fix it
    Never let the order of a set decide, nor anything that is drawn while modules are imported:

        for name in sorted(self.rooms):         # not: for name in self.rooms, which is a set
            ...
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import SortSets
from envdoctor.model.facts import OtherProcessAlike
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.examples import compared, direct_view, longer_pair
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.comparisons import (
    MORE_SEEDS,
    in_other_process,
    in_process,
    moment,
    unseeded_evidence,
    what_differs,
)


@rule(
    "DET003",
    "differs-between-processes",
    severity="warning",
    where=DIRECT_ONLY,
    verb="reset",
    compares="other-process",
    looks_at={"life": "reset step"},
    follow_ups=("other-process", MORE_SEEDS),
    also_reads=("other-process-alike", MORE_SEEDS),
)
def differs_between_processes(view: View) -> Iterator[Finding]:
    comparisons = [comparison for comparison in in_other_process(view) if comparison.differs]
    if not comparisons or in_process(view):
        return
    words, remedy = cause(view)
    first = comparisons[0].first
    yield differs_between_processes.finding(
        f"the same seed and actions give something else in another process {moment(first)}: "
        f"{what_differs(first, 'in one', 'and')} in the other{words}",
        remedy,
        aim=SortSets(),
        location=view.locate(first.call),
        evidence={
            "comparison": comparisons[0].as_json(),
            "hashes": words,
            **unseeded_evidence(view),
        },
    )


def cause(view: View) -> tuple[str, str]:
    """A clause on what the processes do not share, and what to change."""
    third = view.direct.trace("other-process-alike")
    alike = third.fact(OtherProcessAlike) if third else None
    name = view.class_name
    if alike is not None and not alike.differs:
        return (
            "; with the same PYTHONHASHSEED they agree",
            (
                f"{name} lets the order of a set, or hash() of a text, decide: sort sets before"
                " they are iterated, drawn from or made an array of. A list or the keys of a dict"
                " keep their order."
            ),
        )
    return (
        "",
        (
            f"look in {name} and its modules for what each process has of its own: numbers drawn"
            " while modules are imported, process ids, the time, hash() of a text, the order of a"
            " set. Draw in reset(), from what the seed decides."
        ),
    )


_DIFFERENT = compared(
    "other-process", key="observation", place=[0], values=["3", "7"], name="other-process"
)

EXAMPLES = (
    Example(
        "a set of names decides",
        direct_view(
            _DIFFERENT, compared("other-process-alike", differs=False, name="other-process-alike")
        ),
        "the same seed and actions give something else in another process at the first"
        " reset(): observation[0] is 3 in one and 7 in the other; with the same"
        " PYTHONHASHSEED they agree",
    ),
    Example(
        "a level is drawn at import",
        direct_view(_DIFFERENT, compared("other-process-alike", name="other-process-alike")),
        "the same seed and actions give something else in another process at the first"
        " reset(): observation[0] is 3 in one and 7 in the other",
    ),
    Example(
        "workers differ, a second process does not: vector-differs-from-single",
        direct_view(
            compared(
                "replayed", name="replay", manager="gymnasium-async", start_method="spawn", slot=0
            ),
            compared("other-process", differs=False, name="other-process"),
        ),
    ),
    Example(
        "no two plays are alike: reset-not-seeded", direct_view(_DIFFERENT, compared("same-seed"))
    ),
    Example(
        "those of one process agreed by chance: reset-not-seeded",
        direct_view(_DIFFERENT, longer_pair()),
    ),
    Example(
        "processes agree",
        direct_view(compared("other-process", differs=False, name="other-process")),
    ),
)
