"""A part of the training could not be followed.

What it does
    Lists each Python that the training started and that did not report, with the reason that its
    command line and its variables tell; instances that have no row; and frameworks in which
    instances could not be seen.

Why it matters
    What happens there is not in the counts. What passed says nothing of it.

How to fix it
    Let children have the variables of their parent:

        subprocess.Popen(command, env={**os.environ, "SEED": "1"})
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.model.training import Silent, Training, TrainingProcess
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view


@rule(
    "TRN007",
    "process-not-followed",
    severity=NOTE,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=nothing_made,
)
def process_not_followed(view: View) -> Iterator[Finding]:
    training = training_of(view)
    for reason in dict.fromkeys(silent.reason for silent in training.silent):
        those = [silent for silent in training.silent if silent.reason == reason]
        yield process_not_followed.finding(
            f"{of(len(those), 'Python')} not followed: {reason}",
            "start it with the variables of its parent, and without -I, -E and -S.",
            key=(reason,),
            evidence={"processes": {str(silent.pid): silent.command for silent in those}},
        )
    for failed in training.failed:
        yield process_not_followed.finding(
            f"instances of one framework are not counted: {failed}",
            "report it: it is envdoctor that failed.",
            key=(failed.partition(":")[0],),
        )
    unfollowed = sum(process.unfollowed for process in training.processes)
    if unfollowed:
        yield process_not_followed.finding(
            f"{of(unfollowed, 'instance')} not followed: they cannot be referred to weakly, or were"
            " too many",
            "let the class have __weakref__ among its __slots__.",
            key=("instances",),
        )


EXAMPLES = (
    Example(
        "an isolated interpreter",
        watched_view(
            Training((), silent=(Silent(9, "python -I sim.py", "-I leaves PYTHONPATH out"),))
        ),
        "1 Python not followed: -I leaves PYTHONPATH out",
    ),
    Example("all of them report", watched_view(Training((), processes=(TrainingProcess(1),)))),
)
