"""Processes run on after the training has ended.

What it does
    Looks for processes that the training started, directly or through others, and that are still
    running 5 s after its command ended.

Why it matters
    Workers and simulators that are never ended keep memory, ports and the GPU. The next run is
    slower, or cannot start.

How to fix it
    Close the vectorizer also where the training raises:

        try:
            model.learn(1_000_000)
        finally:
            venv.close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import WARNING, Finding
from envdoctor.model.training import Process, Training
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import WHERE_WATCHED, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.training import nothing_made, of, training_of, watched_view
from envdoctor.rules.wording.leftovers import listing

NOT_OVER = "the training was not over when it was last looked at"


def _unjudged(view: View) -> str:
    return nothing_made(view) or ("" if training_of(view).over else NOT_OVER)


@rule(
    "TRN006",
    "process-left-behind",
    severity=WARNING,
    where=WHERE_WATCHED,
    needs=("watch",),
    blames_itself=True,
    unjudged=_unjudged,
    counts=counted("processes left", "processes"),
)
def process_left_behind(view: View) -> Iterator[Finding]:
    training = training_of(view)
    left = training.left
    if left:
        yield process_left_behind.finding(
            f"{of(len(left), 'process', 'processes')} left running:"
            f" {listing(one.command or str(one.pid) for one in left)}",
            remedy_for(training),
            key=(),
            evidence={"processes": {str(one.pid): one.command for one in left}},
        )


def remedy_for(training: Training) -> str:
    """A trainer that is killed ends nothing: daemonic workers stay, too."""
    if training.code < 0 and training.code != -2:
        return (
            "let each worker end when its parent is gone: nothing that the trainer does when it"
            " ends is done where it is killed, and daemon=True does not help. In the worker's loop:"
            " if not multiprocessing.parent_process().is_alive(): env.close(); return"
        )
    return "end what the training starts before it ends."


EXAMPLES = (
    Example(
        "a simulator",
        watched_view(Training((), left=(Process(9, command="simulator --port 7"),))),
        ("1 process left running: simulator --port 7",),
    ),
    Example("none", watched_view(Training(()))),
)
