"""A function uses a name that its module never defines.

What it does
    Reads the source of the environment's class, of its bases in the same package and of its factory
    with pyflakes, without importing it. Reported are names that a function looks up when it runs
    and that the loaded module does not have; code that expects it (except NameError), annotations
    and star imports are left alone.

Why it matters
    Python finds out when the line runs, and the lines that rarely run are those that clean up: a
    NameError in close() or in the branch for a crashed simulator hides the first error, and what
    comes after it is never released.

How to fix it
    Import or define it, and let a linter watch over it:

        import gc

        class Arm(gymnasium.Env):
            def close(self):
                self._client.disconnect()
                gc.collect()               # NameError without the import above

    The linter:

        python -m pip install ruff && ruff check --select F821 .
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.model.environment_aims import Import
from envdoctor.model.facts import UndefinedName
from envdoctor.model.finding import WARNING, Finding, Location
from envdoctor.rules.engine.examples import direct_view
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View

MAX_REPORTED = 10  # names; a file with more has other troubles

Use = Mapping[str, object]


@rule("API010", "undefined-name", severity=WARNING, where=DIRECT_ONLY, about="source")
def undefined_name(view: View) -> Iterator[Finding]:
    uses = view.survey.undefined
    for file, name in list(dict.fromkeys((use.file, use.name) for use in uses))[:MAX_REPORTED]:
        own = [use for use in uses if (use.file, use.name) == (file, name)]
        first, short = own[0], file.rsplit("/", 1)[-1]
        more = f" and {len(own) - 1} more" if len(own) > 1 else ""
        yield undefined_name.finding(
            f"{first.function}() uses {name}, which {short} never defines: NameError when line"
            f" {first.line}{more} runs",
            _remedy(first, short),
            aim=Import(file, first.cure) if first.cure else None,
            location=Location(file, first.line, first.function),
            evidence={"name": name, "lines": [use.line for use in own[:MAX_REPORTED]]},
        )


def _remedy(use: UndefinedName, file: str) -> str:
    if use.cure:
        return f"put `{use.cure}` at the top of {file}."
    if use.nearest:
        return (
            f"write {use.nearest}, if that is what was meant in {use.function}(), or define"
            f" {use.name}."
        )
    return f"define or import {use.name} in {file}, or take the line out of {use.function}()."


def _use(name: str, line: int, cure: str = "", nearest: str = "") -> Use:
    return {
        "name": name,
        "file": "/home/ana/arm.py",
        "line": line,
        "function": "Arm.close",
        "cure": cure,
        "nearest": nearest,
    }


EXAMPLES = (
    Example(
        "the import was forgotten",
        direct_view(undefined=[_use("gc", 31, cure="import gc")]),
        "Arm.close() uses gc, which arm.py never defines: NameError when line 31 runs",
    ),
    Example(
        "a misspelt name, twice",
        direct_view(
            undefined=[_use("cleint", 31, nearest="client"), _use("cleint", 32, nearest="client")]
        ),
        "Arm.close() uses cleint, which arm.py never defines: NameError when line 31 and 1"
        " more runs",
    ),
    Example("every name is there", direct_view(undefined=[])),
)
