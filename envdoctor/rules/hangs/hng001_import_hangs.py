"""Importing the environment's module hangs.

What it does
    Imports the module that the SPEC names, with a deadline. When the time is up, the stacks of all
    threads are written, and the last frame that is not Python's own is named.

Why it matters
    Every worker that is not forked imports the module again. One that waits at import for a licence
    server, a lock or a prompt stops every training run before its first step, and no vectorizer has
    a deadline there.

How to fix it
    Do at import only what cannot wait. Connect, compile and ask where it is needed, and with a
    time-out:

        def reset(self, *, seed=None, options=None):
            if self._server is None:
                self._server = connect(timeout=10)
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.model.trace import TIMED_OUT
from envdoctor.rules.engine.examples import direct_view, fact, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, EVERYTHING, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.hangs import first_hang, report_hang
from envdoctor.rules.registration.reg009_script_without_guard import unguarded_work


@rule(
    "HNG001",
    "import-hangs",
    where=DIRECT_ONLY,
    needs=("survey",),
    looks_at={"survey": "survey"},
    of_functions=True,
    also_reads=(EVERYTHING,),
)
def import_hangs(view: View) -> Iterator[Finding]:
    hung = first_hang(view, "survey")
    if hung is not None and not unguarded_work(view):
        remedy = (
            "move what waits out of the module's top level, into the constructor or the first"
            " reset(), with a time-out."
        )
        yield from report_hang(import_hangs, view, hung, "the import", verb="survey", remedy=remedy)


_STACKS = """Current thread 0x01 (most recent call first):
  File "/usr/lib/python3.11/threading.py", line 320 in wait
  File "/home/me/licence.py", line 4 in fetch
  File "/home/me/walker.py", line 9 in <module>
  File "<frozen importlib._bootstrap>", line 241 in _call_with_frames_removed
  File "/tmp/x/bundle.pyz/envdoctor/probe/subject/load.py", line 80 in find
"""

EXAMPLES = (
    Example(
        "a licence is awaited at import",
        direct_view(
            trace(
                verb("survey", "began"),
                name="survey",
                script="survey",
                outcome=TIMED_OUT,
                verb="survey",
                stacks=_STACKS,
            )
        ),
        "the import hangs in licence.py:4, fetch",
    ),
    Example(
        "no stacks could be had",
        direct_view(
            trace(
                verb("survey", "began"),
                name="survey",
                script="survey",
                outcome=TIMED_OUT,
                verb="survey",
            )
        ),
        "the import hangs",
    ),
    Example(
        "it comes back",
        direct_view(
            trace(verb("survey"), fact("survey", {"found": True}), name="survey", script="survey")
        ),
    ),
)
