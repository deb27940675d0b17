"""The constructor raises.

What it does
    Builds the environment in a fresh process, with the arguments that were given.

Why it matters
    Nothing else can be said about an environment that cannot be made.

How to fix it
    Repair the line that is shown: the last one of your own code. If arguments are missing, give
    them:

        envdoctor check my_package:MyEnv -k map_name='"town"' -k port=4000

    Where a package is missing, the command that installs it is shown: the one that the error names,
    or the extra that brings it by the metadata of the package that imports it:

        python -m pip install 'gymnasium[box2d]'
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from envdoctor.model.environment_aims import NameBeside
from envdoctor.model.errors import ErrorValue, kind_of, message_of, one_line, wire_of
from envdoctor.model.finding import Finding
from envdoctor.rules.engine.causes import Cause
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.evidence.used_addresses import (
    ADDRESS_IN_USE,
    another_port,
    used_address,
    used_evidence,
    what_keeps,
    with_used_address,
)
from envdoctor.rules.remedies.what_is_missing import missing_file, remedy_of
from envdoctor.rules.wording.leftovers import place_of


@rule(
    "MAK001",
    "constructor-fails",
    explains=Cause.CONSTRUCTOR_FAILS,
    where=DIRECT_ONLY,
    verb="make",
    looks_at={"life": "make"},
    follow_ups=("ports",),
    in_leak_check=True,
)
def constructor_fails(view: View) -> Iterator[Finding]:
    run = view.trace("life")
    makes = [event for event in run.verbs("make") if event.state != "began"] if run else []
    if not makes or makes[0].state != "raised":
        return
    error = makes[0].error
    text, commands = _remedy(error, view)
    used = used_address(view, error)
    if used:
        text, commands = another_port(view, used), ()
    yield constructor_fails.finding(
        f"the constructor raises {one_line(error)}{what_keeps(used) if used else ''}",
        text,
        commands=commands,
        aim=_aim(error),
        location=place_of(error) or view.locate("__init__"),
        evidence={"error": wire_of(error), **used_evidence(error)},
    )


def _aim(error: ErrorValue | None) -> NameBeside | None:
    """Look beside the code for a file of a relative path."""
    path = missing_file(error) if error is not None else ""
    return NameBeside(path) if path and not path.startswith("/") else None


def _remedy(error: ErrorValue | None, view: View) -> tuple[str, tuple[str, ...]]:
    kind, message = kind_of(error), message_of(error)
    if kind.endswith("TypeError") and "argument" in message:
        text = (
            "".join(
                f" -k {name}=VALUE" for name in re.findall(r"'(\w+)'", message.partition(":")[2])
            )
            or " -k NAME=VALUE"
        )
        return "give the constructor the arguments that it asks for with -k.", (
            f"envdoctor check {view.command}{text}",
        )
    remedy = remedy_of(error, view.survey.executable)
    if remedy is not None:
        return remedy
    if kind.endswith("ImportError"):
        return (
            (
                "install what the environment needs in the interpreter that runs it (--python"
                " chooses one)."
            ),
            (),
        )
    return (
        "repair the line that is shown; nothing else of the environment can be examined before.",
        (),
    )


EXAMPLES = (
    Example(
        "the simulator is missing",
        direct_view(
            trace(
                verb("make", "raised", error=raised("FileNotFoundError", "no such file: town.xml"))
            )
        ),
        "the constructor raises FileNotFoundError: no such file: town.xml",
    ),
    Example(
        "an argument is missing",
        direct_view(
            trace(
                verb(
                    "make",
                    "raised",
                    error=raised(
                        "TypeError",
                        "Sick.__init__() missing 1 required positional argument: 'size'",
                    ),
                )
            )
        ),
        "the constructor raises TypeError: Sick.__init__() missing 1 required positional"
        " argument: 'size'",
    ),
    Example(
        "another program has its port",
        with_used_address(
            direct_view(trace(verb("make", "raised", error=ADDRESS_IN_USE))), "listening"
        ),
        "the constructor raises OSError: Address already in use (port 5005 belongs to"
        " another socket: listening)",
    ),
    Example("it can be made", direct_view(trace(verb("make")))),
    Example(
        "only the second one fails, which is one-instance-per-process",
        direct_view(trace(verb("make"), verb("make", "raised", at=5, error=raised()))),
    ),
)
