"""A rule of the doctor crashed.

What it does
    Turns the exception of a rule into a note that names the rule, so that all others are still
    judged. Reads every journal once as well: one that cannot be read is named here.

Why it matters
    The crashed rule said nothing about this environment, neither good nor bad.

How to fix it
    It is a defect of envdoctor, not of the environment. Save the run, which can be judged again
    without the environment, and send it:

        envdoctor check mypackage:MyEnv-v0 --save run.jsonl
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator

from envdoctor.model.finding import NOTE, Finding
from envdoctor.rules.engine.examples import direct_view, life_trace, trace
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View


@rule("DOC003", "rule-crashed", severity=NOTE, needs=("survey", "life"), blames_itself=True)
def rule_crashed(view: View) -> Iterator[Finding]:
    try:
        for run in view.traces:
            run.verbs("make")
            len(run.lifecycles)
    except (ValueError, TypeError, AttributeError) as error:  # of another version, or damaged
        yield crashed("the reading of the journal", view, error)


def crashed(code: str, view: View, error: Exception) -> Finding:
    """The note for the rule `code`, whose judge raised `error` on `view`."""
    return rule_crashed.finding(
        f"{code} crashed: {type(error).__name__}: {error}",
        "this is a defect of envdoctor; please report it with the saved run.",
        evidence={"rule": code, "traceback": "".join(traceback.format_exception(error))},
    ).but(subject=view.subject, manager=view.manager, start_method=view.start_method)


_DAMAGED = {"event": "reading", "t": 0.0, "pid": 1, "sensors": {}}

EXAMPLES = (
    Example(
        "a journal's line has lost a key",
        direct_view(trace(_DAMAGED)),
        "the reading of the journal crashed: ValueError: ReadingRecord has no key 'point'",
    ),
    Example("a whole journal", direct_view(life_trace(before={"descriptors": {}}))),
)
