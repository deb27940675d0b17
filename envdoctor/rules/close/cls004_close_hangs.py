"""close() does not return.

What it does
    Gives every call a deadline. When close() passes it, in any scenario, the stacks of the
    process and of its workers are written down before they are ended. Where it waits in join(), the
    remedy names the lines of the other threads; where a process or a thread of the environment had
    ended by an error, or runs a method of the object that the environment is a copy of, the message
    says so.

Why it matters
    Most managers wait for their workers without a limit: one close() that hangs stops the whole
    training, at its very end, before the results are written.

How to fix it
    Look at the stack: it is most often a join() or a get() whose other side has gone already. Tell
    the other side to end first, and bound the wait:

        def close(self):
            self._frames.put(None)  # the recorder ends when it sees this
            self._recorder.join(timeout=5.0)
            if self._recorder.is_alive():
                warnings.warn("the recorder does not stop")
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.environment_aims import EndWait
from envdoctor.model.errors import Frame
from envdoctor.model.finding import Finding
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.engine.examples import direct_view, instance, trace, vector_view
from envdoctor.rules.engine.registry import EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.close_calls import thread_of_original, unfinished_closes
from envdoctor.rules.evidence.ended_by_error import ended_by_error
from envdoctor.rules.evidence.hangs import hung_in, joined_words, short
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.evidence.waiting import wait_for_gone

_BOUND = "tell the other side to end first, and bound the wait."
_UNCOPIED = (
    "do not copy the environment: copy.copy() shares its queues and threads, and what close() sets"
    " in the copy does not reach the thread of the original."
)


@rule("CLS004", "close-hangs", looks_at={"life": "close?"}, also_reads=(EVERYTHING,))
def close_hangs(view: View) -> Iterator[Finding]:
    # Else PRC003.
    hung = [
        trace
        for trace in view.traces
        if hung_in(trace, "close", view) and wait_for_gone(trace, view) is None
    ]
    if not hung:
        yield from _finalizer_hangs(view)
        return
    pending = unfinished_closes(hung[0])
    if view.is_direct or pending:
        yield _environment_hangs(view, hung, pending)
    else:
        yield close_hangs.finding(
            f"close() of the manager hangs{_after(hung[0])}, although no environment's close() is"
            " pending",
            "see in the stacks which process it waits for.",
            key=("manager",),
            evidence=_evidence(hung, pending),
        )


def _environment_hangs(view: View, hung: list[Trace], pending: list[dict[str, int]]) -> Finding:
    frame = where_it_was(hung[0].outcome.stacks, view, through="close")
    place = f" in {short(frame.file)}:{frame.line}, {frame.function}" if frame else ""
    ended = ended_by_error(hung[0], view)
    why = f": {ended.words}" if ended else ""
    what = f"{view.class_name}.close()"
    cure = joined_words(hung[0], frame) or f"see what {what} waits for there; "
    method = thread_of_original(hung[0])
    if method and not ended:
        why = f": the environment is a copy, and a thread runs {method}() of its original"
    return close_hangs.finding(
        f"close() hangs{place}{_after(hung[0])}{why}",
        ended.remedy(what) if ended else f"{cure}{_UNCOPIED if method else _BOUND}",
        aim=EndWait(Frame(frame.file, frame.line)) if frame and not ended else None,
        location=frame or view.locate("close"),
        key=("close",),
        evidence=_evidence(hung, pending),
    )


def _finalizer_hangs(view: View) -> Iterator[Finding]:
    hung = [trace for trace in view.traces if hung_in(trace, "drop", view)]
    frame = where_it_was(hung[0].outcome.stacks, view) if hung else None
    if hung:
        yield close_hangs.finding(
            "giving up the closed object"
            f" hangs{f' in {short(frame.file)}:{frame.line}, {frame.function}' if frame else ''}",
            f"wait for nothing in a finalizer of {view.class_name} (__del__, weakref.finalize): end"
            " it in close(), where the wait is bounded.",
            location=frame or view.locate("close"),
            key=("finalizer",),
            evidence=_evidence(hung, []),
        )


def _after(trace: Trace) -> str:
    """In which circumstances, unless they are the ordinary ones."""
    return (
        ""
        if trace.scenario.traits.plain
        else f" in the scenario {trace.scenario.name} ({trace.scenario.script})"
    )


def _evidence(hung: list[Trace], pending: list[dict[str, int]]) -> dict[str, object]:
    return {
        "ceiling": hung[0].outcome.reason,
        "stacks": hung[0].outcome.stacks,
        "pending": pending,
        "scenario": hung[0].scenario.name,
        "scenarios": [trace.scenario.name for trace in hung],
    }


def _hanging(verb: str = "close", pid: int = 1, stacks: str = "") -> Trace:
    return trace(instance("closing", pid=pid), outcome=TIMED_OUT, verb=verb, stacks=stacks)


STACKS = """Thread 0x02 (most recent call first):
  File "/home/me/walker.py", line 12 in record
Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 327 in wait
  File "/home/me/walker.py", line 30 in flush
  File "/home/me/walker.py", line 25 in close
"""

JOINS = """Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 1119 in join
  File "/home/me/walker.py", line 25 in close
Thread 0x02 (most recent call first):
  File "/usr/lib/python3.11/queue.py", line 171 in get
  File "/home/me/walker.py", line 12 in record
"""

EXAMPLES = (
    Example(
        "it joins a thread that waits",
        direct_view(_hanging(stacks=JOINS)),
        "close() hangs in walker.py:25, close",
    ),
    Example(
        "a copy of an environment, whose thread is that of the original",
        direct_view(
            trace(
                instance("closing", thread_of="Player.challenge"),
                outcome=TIMED_OUT,
                verb="close",
                stacks=JOINS,
            )
        ),
        "close() hangs in walker.py:25, close: the environment is a copy, and a thread runs"
        " Player.challenge() of its original",
    ),
    Example(
        "it waits for a recorder",
        direct_view(_hanging(stacks=STACKS)),
        "close() hangs in walker.py:30, flush",
    ),
    Example(
        "only without a reset",
        direct_view(
            trace(
                name="close-before-reset", script="make close drop", outcome=TIMED_OUT, verb="close"
            )
        ),
        "close() hangs in the scenario close-before-reset (make close drop)",
    ),
    Example(
        "a worker's close() hangs, and the manager waits",
        vector_view(_hanging(pid=7)),
        "close() hangs",
    ),
    Example(
        "the manager waits for nothing",
        vector_view(
            trace(instance("closing"), instance("closed"), outcome=TIMED_OUT, verb="close")
        ),
        "close() of the manager hangs, although no environment's close() is pending",
    ),
    Example(
        "the finalizer joins a thread that has no reason to end",
        direct_view(_hanging(verb="drop", stacks=STACKS.replace("in close", "in __del__"))),
        "giving up the closed object hangs in walker.py:30, flush",
    ),
    Example(
        "a checker calls it",
        direct_view(_hanging(verb="check", stacks=STACKS)),
        "close() hangs in walker.py:30, flush",
    ),
    Example("it hangs in step()", direct_view(_hanging(verb="step:20"))),
)
