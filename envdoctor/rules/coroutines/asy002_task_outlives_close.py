"""A task is still pending after close().

What it does
    Looks after close() for tasks of the event loop whose coroutine a line of the environment's own
    made, and hears, until the instance is gone, which of them Python destroys while they are
    pending. Tasks that a library makes are not counted, nor one that all instances share. Loops
    that are not asyncio's own (uvloop) report nothing.

Why it matters
    The task holds the instance and all that it owns. It goes on with a closed environment whenever
    its loop runs. Where its loop is closed before, Python logs "Task was destroyed but it is
    pending!", and what should follow in it, its `finally` as well, never runs.

How to fix it
    Keep the task. In close(), cancel it and let the loop run until it has ended:

        async def close(self):
            self._task.cancel()
            await asyncio.wait([self._task])

    In an ordinary method, before the loop is closed:

        def close(self):
            self._task.cancel()
            self._loop.run_until_complete(asyncio.wait([self._task]))
            self._loop.close()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import EndTask
from envdoctor.model.errors import Frame
from envdoctor.model.events import Event
from envdoctor.model.finding import ENVIRONMENT, ERROR, WARNING, Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, fact, life_trace, trace, verb
from envdoctor.rules.engine.looked_at import LIFECYCLE
from envdoctor.rules.engine.measures import counted
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.growth import keeps_instances, leaks_of
from envdoctor.rules.evidence.tasks import tasks_left
from envdoctor.rules.wording.leftovers import its_close


@rule(
    "ASY002",
    "task-outlives-close",
    explains=Cause.TASK_LEFT,
    severity=WARNING,
    where=DIRECT_ONLY,
    looks_at={"life": LIFECYCLE},
    counts=counted("tasks left pending", "tasks"),
    blames_itself=True,
    cured_in_close=True,
    also_reads=(EVERYTHING,),
)
def task_outlives_close(view: View) -> Iterator[Finding]:
    left = tasks_left(view)
    grows = any(keeps_instances(view, leak) for leak in leaks_of(view, "objects"))
    for task in {(task.name, task.place): task for task in left}.values():
        number = sum((other.name, other.place) == (task.name, task.place) for other in left)
        tasks = f"the task {task.name}()" if number == 1 else f"{number} tasks {task.name}()"
        verb = "is" if number == 1 else "are"
        how = (
            f"{verb} destroyed while pending, so the rest never runs"
            if task.destroyed
            else f"{verb} still pending after close()"
        )
        yield task_outlives_close.finding(
            f"{tasks} {how}: made in {task.place.function}()",
            f"keep the task; in {its_close(view)}, cancel() it and let its loop run until it has"
            " ended, before the loop is closed.",
            aim=EndTask(Frame(task.place.file, task.place.line)),
            location=task.place,
            blame=ENVIRONMENT,
            severity=ERROR if grows and not task.destroyed else WARNING,
            key=(task.name, task.place.function),
            evidence={"coroutine": task.name, "tasks": number, "destroyed": task.destroyed},
        )


def _left(life: int = 0, destroyed: bool = False) -> Event:
    place = {"file": "env.py", "line": 9, "function": "reset"}
    value = {"name": "Arm.beat", "place": place, "life": life, "destroyed": destroyed}
    return fact("task-left", value)


def _view(*events: Event) -> View:
    return direct_view(
        trace(*life_trace(before={}, dropped={}).of("reading"), verb("close"), *events)
    )


EXAMPLES = (
    Example(
        "a heartbeat goes on",
        _view(_left()),
        "the task Arm.beat() is still pending after close(): made in reset()",
    ),
    Example(
        "one for each reset, on a loop that is closed",
        _view(_left(destroyed=True), _left(destroyed=True)),
        "2 tasks Arm.beat() are destroyed while pending, so the rest never runs: made in reset()",
    ),
    Example("one that all instances share was made in an earlier life", _view(_left(life=-1))),
    Example("all have ended", _view()),
)
