"""All instances of a vectorizer were made with the last value of a loop.

What it does
    Compares the arguments with which the instances of each vectorizer were made, and looks in the
    source at the factory that made them. Reported are instances with the same arguments whose
    factory is made in a loop, uses the variable of this loop, and does not keep its value: it is
    looked up when the vectorizer calls the factory, and the loop is over then.

    Only loops that do nothing but collect factories are meant. Where the source does not show that
    the values of the loop differ, it is a note; where it shows that they are equal, nothing is
    said.

Why it matters
    Eight workers that should play eight tasks, sizes or ranks all play the last one. Nothing
    raises.

How to fix it
    Keep the value of its round in each factory:

        envs = SyncVectorEnv([lambda size=size: Arm(size) for size in sizes])
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from envdoctor.model.finding import NOTE, WARNING, Finding, Location
from envdoctor.model.training_draws import LateVariable
from envdoctor.model.training_instances import Calls, Instances
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.beginnings import busy_groups
from envdoctor.rules.evidence.hangs import short
from envdoctor.rules.evidence.training import nothing_made, training_of, view_of, whose
from envdoctor.rules.remedies.aims import bind_late


@rule(
    "TRN037",
    "variable-bound-late",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def variable_bound_late(view: View) -> Iterator[Finding]:
    for group in busy_groups(training_of(view)):
        late, place = group[0].late, group[0].location
        arguments = {each.arguments if each.number == 1 else 0 for each in group}
        if late is None or place is None or len(arguments) > 1 or 0 in arguments:
            continue
        if any(each.late != late for each in group):
            continue
        equal = "" if late.differ else " Where all values of the loop are equal, nothing is wrong."
        yield variable_bound_late.finding(
            f"all {len(group)} instances of {whose(group)} were made with the same arguments: the"
            f" factory at {short(place.file)}:{late.line} looks up `{late.name}` when it is called,"
            " and the loop that sets it is over then",
            f"keep the value of its round in each factory: `lambda {late.name}={late.name}: ...`."
            f"{equal}",
            aim=bind_late(place),
            severity=WARNING if late.differ else NOTE,
            location=replace(place, line=late.line),
            key=(group[0].type, group[0].by),
            evidence={
                "instances": len(group),
                "variable": late.name,
                "pids": sorted({each.pid for each in group}),
                "vectorizer": group[0].by,
            },
        )


def _example(*arguments: int, differ: bool = True, is_late: bool = True, number: int = 1) -> View:
    """The instances of a vectorizer, with digests of their arguments."""
    late = LateVariable("size", 12, differ) if is_late else None
    first = Instances(1, 1, "arm.Arm", Location("/train.py", 14), "sync", late=late)
    first = replace(first, group="1.1", step=Calls(90, 90), number=number)
    return view_of(
        *(replace(first, row=row, arguments=each) for row, each in enumerate(arguments, start=1))
    )


_SAYS = (
    "all 3 instances of Arm made at /train.py:14 were made with the same arguments: the factory at"
    " train.py:12 looks up `size` when it is called, and the loop that sets it is over then"
)

EXAMPLES = (
    Example("three sizes, of which the last is played", _example(7, 7, 7), _SAYS),
    Example("values that the source does not show", _example(7, 7, 7, differ=False), _SAYS),
    Example("arguments of their own", _example(7, 8, 9)),
    Example("arguments that are not known", _example(0, 0, 0)),
    Example("equal arguments on purpose", _example(7, 7, 7, is_late=False)),
    Example("one row for many instances", _example(7, 7, 7, number=4)),
    Example("one instance", _example(7)),
)
