"""close() takes long.

What it does
    Times close() after twenty steps, in the last life that was played. Two seconds and more are worth a note.

Why it matters
    Managers close their environments one after another, and some give each only a few seconds before they end its
    process by force. With 64 environments, two seconds are two minutes at the end of every trial.

How to fix it
    Tell what is running to stop as early as possible, wait for the event and not for a fixed time, and bound the wait:

        def close(self):
            self._stop.set()
            self._recorder.join(timeout=1.0)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.closing import closes
from envdoctor.rules.registry import Example, rule
from envdoctor.rules.samples import direct_view, trace, verb
from envdoctor.rules.view import View

SLOW = 2.0  # seconds


@rule("CLS005", "close-slow", severity=NOTE, verb="close")
def close_slow(view: View) -> Iterator[Finding]:
    ended = [float(close["seconds"]) for close in closes(view.trace("life")) if close["state"] == "ended"]
    if not ended or ended[-1] < SLOW:
        return
    yield close_slow.finding(
        f"close() takes {ended[-1]:.1f} s",
        f"see what {view.class_name}.close() waits for; wait for the event itself, and for a bounded time.",
        location=view.locate("close"),
        evidence={"seconds": ended},
    )


EXAMPLES = (
    Example("it sleeps", direct_view(trace(verb("close", seconds=2.61))), ("close() takes 2.6 s",)),
    Example(
        "only the first one had to import something",
        direct_view(trace(verb("close", seconds=3.0), verb("close", seconds=0.2))),
    ),
)
