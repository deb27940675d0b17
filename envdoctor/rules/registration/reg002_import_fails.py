"""Importing the environment's module raises, exits or kills the process.

What it does
    Imports the module that the SPEC names in a process of its own, as a worker would, and reports
    how that failed: the exception with the last line of the user's own code, an exit, or a signal
    with the stacks.

Why it matters
    A worker that is not forked imports the module again. When that fails there, the parent sees an
    EOFError and no reason.

How to fix it
    Keep what may fail out of the module's top level, and declare what it imports as dependencies:

        def __init__(self):
            import simulator  # only who builds the environment needs it
            self._simulator = simulator.start()
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.errors import ErrorValue, kind_of, message_of, one_line, wire_of
from envdoctor.model.finding import ENVIRONMENT, Finding
from envdoctor.model.trace import EXITED, OUT_OF_MEMORY, SIGNALLED, Trace
from envdoctor.rules.engine.examples import direct_view, fact, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.deaths import how_it_died
from envdoctor.rules.evidence.stacks import where_it_was
from envdoctor.rules.registration.reg009_script_without_guard import unguarded_work
from envdoctor.rules.remedies.what_is_missing import Remedy, remedy_of
from envdoctor.rules.wording.leftovers import place_of

FAILED = ("import-raised", "import-exited", "script-raised", "script-exited")
UNPARSED = ("builtins.SyntaxError", "builtins.IndentationError", "builtins.TabError")
TOP_LEVEL = (
    "keep what may fail out of the module's top level: do it in the constructor or at the first"
    " reset()."
)
UNREADABLE = "repair that line; where a newer Python knows what it says, name one with --python."
ALONE = (
    "a file alone is in no package: name it as package.module:Name, in the folder that holds the"
    " package."
)


@rule(
    "REG002",
    "import-fails",
    where=DIRECT_ONLY,
    needs=("survey",),
    blames_itself=True,
    looks_at={"survey": "survey"},
    of_functions=True,
    in_leak_check=True,
)
def import_fails(view: View) -> Iterator[Finding]:
    run = view.trace("survey")
    if run is not None and run.outcome.kind in (EXITED, SIGNALLED, OUT_OF_MEMORY):
        yield from died(view, run)
    elif view.survey.why in FAILED and not unguarded_work(view):
        yield from failed(view, view.survey.error)


def died(view: View, run: Trace) -> Iterator[Finding]:
    """The process did not survive the import."""
    outcome = run.outcome
    yield import_fails.finding(
        f"the process {how_it_died(outcome)} during the import"
        + (f": {outcome.reason}" if outcome.kind == OUT_OF_MEMORY and outcome.reason else ""),
        TOP_LEVEL,
        location=where_it_was(outcome.stacks, view),
        evidence={"outcome": outcome.kind, "stacks": outcome.stacks, "stderr": outcome.stderr},
        blame=ENVIRONMENT,
    )


def failed(view: View, error: ErrorValue | None) -> Iterator[Finding]:
    """The import raised, or asked the interpreter to exit."""
    module = view.survey.module or "the module"
    does = "exits" if view.survey.why.endswith("exited") else "raises"
    text, commands = cure(view, error)
    yield import_fails.finding(
        f"importing {module} {does}: {one_line(error)}",
        text,
        commands=commands,
        location=place_of(error),
        evidence={"error": wire_of(error), "executable": view.survey.executable},
        blame=ENVIRONMENT,
    )


def cure(view: View, error: ErrorValue | None) -> Remedy:
    """The remedy for an import that fails."""
    message = message_of(error)
    if kind_of(error) in UNPARSED:
        return UNREADABLE, ()
    if "relative import" in message:
        return ALONE, ()
    return remedy_of(error, view.survey.executable) or (TOP_LEVEL, ())


def _survey(
    outcome: str = "finished", *, how: dict[str, object] | None = None, **survey: object
) -> View:
    run = trace(
        verb("survey"),
        fact("survey", survey),
        name="survey",
        script="survey",
        outcome=outcome,
        **(how or {}),
    )
    return direct_view(run, **survey)


_MISSING = raised("builtins.ModuleNotFoundError", "No module named 'box2d'", function="<module>")


EXAMPLES = (
    Example(
        "a dependency is missing",
        _survey(found=False, why="import-raised", module="walkers", error=_MISSING),
        "importing walkers raises: ModuleNotFoundError: No module named 'box2d'",
    ),
    Example(
        "a script without a guard",
        _survey(
            found=False,
            why="import-exited",
            module="train",
            error=raised("SystemExit", "2", function="<module>"),
        ),
        "importing train exits: SystemExit: 2",
    ),
    Example(
        "an extension module crashes",
        _survey("signalled", how={"verb": "survey", "signal": "SIGSEGV"}),
        "the process died of SIGSEGV during the import",
    ),
    Example(
        "it calls os._exit()",
        _survey("exited", how={"verb": "survey", "exit_code": 3}),
        "the process ended with exit code 3 during the import",
    ),
    Example(
        "a file without an environment is a question, not a finding",
        _survey(found=False, why="no-environment"),
    ),
    Example("it is imported", _survey(found=True)),
)
