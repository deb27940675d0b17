"""A scenario's end is unknown.

What it does
    Reports each scenario of which the doctor cannot say how it ended: its process vanished without
    a status, or its journal stops before the last line although the process went on. So it is with
    a survey that raises: then not even what the SPEC names is known.

Why it matters
    What that scenario would have shown is unknown. Unknown is a result of its own and never a pass.

How to fix it
    Run it again, alone. If it is lost again, something outside ended it, or the environment writes
    to descriptors that it did not open:

        envdoctor check mypackage:MyEnv-v0 --managers direct
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import ErrorValue, one_line, wire_of
from envdoctor.model.finding import ERROR, WARNING, Finding
from envdoctor.model.records import ScenarioRecord
from envdoctor.model.trace import FINISHED, LOST, Trace
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.engine.registry import Example, rule
from envdoctor.rules.engine.view import View

BUSY = "run it again when the machine is less busy, or allow more time with `--timeout`."
UNKNOWN_END = (
    "run it again; if it is lost again, look for what ends processes or closes foreign descriptors."
)


@rule("DOC002", "scenario-lost", severity=WARNING, needs=("survey", "life"), blames_itself=True)
def scenario_lost(view: View) -> Iterator[Finding]:
    for run in view.traces:
        reason = why_lost(run)
        if reason:
            yield scenario_lost.finding(
                f"the scenario {run.scenario.name} was lost: {reason}",
                BUSY if run.outcome.starved else UNKNOWN_END,
                key=(run.scenario.name,),
                evidence={
                    "script": run.scenario.script,
                    "stderr": run.outcome.stderr,
                    "error": wire_of(survey_error(run)),
                },
                # Without a survey nothing is known at all.
                severity=ERROR if run.scenario.traits.surveys else WARNING,
            )


def why_lost(run: Trace) -> str:
    """Return why the end of a scenario is unknown, or nothing. A search of our own that took too
    long says nothing of the environment: what looks at it is not judged.
    """
    if run.outcome.own:
        return ""
    if run.outcome.kind == LOST:
        return run.outcome.reason or "no reason is known"
    if run.outcome.kind == FINISHED and not any(run.records(ScenarioRecord, state="ended")):
        return "its journal stops before the end"
    error = survey_error(run)
    return f"it raised {one_line(error)}" if error else ""


def survey_error(run: Trace) -> ErrorValue | None:
    """Return the error that the survey raised. It is the only scenario in which no code of the
    environment may raise unnoticed.
    """
    raised = run.verbs("survey", "raised")
    return raised[0].error if raised else None


_ENDED = {"event": "scenario", "t": 0.0, "pid": 1, "state": "ended", "dirty": []}

EXAMPLES = (
    Example(
        "the process vanished",
        direct_view(trace(outcome=LOST, reason="the guard ended")),
        "the scenario life was lost: the guard ended",
    ),
    Example(
        "the machine was too busy",
        direct_view(trace(outcome=LOST, verb="reset", reason="too busy", starved=True)),
        "the scenario life was lost: too busy",
    ),
    Example(
        "the journal stops",
        direct_view(trace()),
        "the scenario life was lost: its journal stops before the end",
    ),
    Example(
        "the survey stumbled",
        direct_view(
            trace(
                verb("survey", "raised", error=raised("KeyError", "'x'")),
                _ENDED,
                name="survey",
                script="survey",
            )
        ),
        "the scenario survey was lost: it raised KeyError: 'x'",
    ),
    Example("it ended", direct_view(trace(_ENDED))),
    Example(
        "our own search took too long",
        direct_view(trace(outcome=LOST, reason="the search took too long", own=True)),
    ),
)
