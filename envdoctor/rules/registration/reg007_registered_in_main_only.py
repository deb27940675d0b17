"""The environment is registered only where its file is run, not where it is imported.

What it does
    When an id is not known, it reads the files that the SPEC and --import name, and looks for its
    `register()` below `if __name__ == "__main__":`, or in a function that is called there.

Why it matters
    The script works when it is run by hand. Its workers, a test, a notebook or another script
    import the file, and there the id does not exist: workers that are started by spawn import the
    script under another name.

How to fix it
    Register at the top level of the module, where every import runs it:

        gymnasium.register("Walker-v0", entry_point="walkers:Walker")

        if __name__ == "__main__":
            train()
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from envdoctor.model.errors import Frame
from envdoctor.model.facts import GuardedRegistration
from envdoctor.model.finding import ENVIRONMENT, WARNING, Finding, Location
from envdoctor.model.training_aims import MoveAboveGuard
from envdoctor.rules.engine.examples import direct_view, raised, trace, verb
from envdoctor.rules.engine.registry import DIRECT_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.registration.reg001_unknown_environment import name_in
from envdoctor.rules.remedies.missing_in_worker import UNKNOWN_ID, kind_of_error, names


@rule(
    "REG007",
    "registered-in-main-only",
    severity=WARNING,
    where=DIRECT_ONLY,
    needs=("survey",),
    verb="survey",
    blames_itself=True,
    looks_at={"survey": "survey"},
)
def registered_in_main_only(view: View) -> Iterator[Finding]:
    for entry in view.survey.guarded:
        if not is_missed(entry.id, view):
            continue
        text, commands = cure(entry)
        through = f", in {entry.function}(), which is called there" if entry.function else ""
        yield registered_in_main_only.finding(
            f'{entry.id} is registered only below `if __name__ == "__main__":`{through}',
            text,
            commands=commands,
            aim=None if entry.function else MoveAboveGuard(Frame(entry.file, entry.line)),
            location=Location(entry.file, entry.line, entry.function),
            key=(entry.id,),
            evidence={"registered_at": dict(entry.wire)},
            blame=ENVIRONMENT,
        )


def is_missed(identifier: str, view: View) -> bool:
    """Return True if this id is the unknown one: the SPEC itself, or one that its constructor asks
    for.
    """
    if view.survey.why == "unknown":
        return name_in(view.subject) == identifier
    life = view.trace("life")
    errors = [event.error for event in life.verbs("make", "raised")] if life else []
    return any(
        error and kind_of_error(error) in UNKNOWN_ID and names(identifier, error)
        for error in errors
    )


def cure(entry: GuardedRegistration) -> tuple[str, tuple[str, ...]]:
    """Return the line to move, and its new place."""
    file = entry.file.rsplit("/", 1)[-1]
    line = f"{entry.function}()" if entry.function else entry.text
    move = (
        f"call {line} in {file} at the top level"
        if entry.function
        else f"move line {entry.line} of {file} to the top level"
    )
    return f"{move}, above the guard: then every import does it.", (
        (f"{line}  # at the top level of {file}",) if line.endswith(")") else ()
    )


_GUARDED = {
    "id": "Walker-v0",
    "file": "/home/me/train.py",
    "line": 30,
    "text": 'gymnasium.register("Walker-v0", ...)',
    "function": "",
}
_SURVEYED = trace(verb("survey"), name="survey", script="survey")


def _unknown(spec: str, *entries: Mapping[str, object]) -> View:
    view = direct_view(_SURVEYED, found=False, why="unknown", guarded=list(entries))
    return View(spec, view.manager, None, view.traces, view.survey)


EXAMPLES = (
    Example(
        "the script registers it when it is run",
        _unknown("Walker-v0", _GUARDED),
        'Walker-v0 is registered only below `if __name__ == "__main__":`',
    ),
    Example(
        "its main() does",
        _unknown("train:Walker-v0", {**_GUARDED, "function": "main"}),
        'Walker-v0 is registered only below `if __name__ == "__main__":`, in main(), which'
        " is called there",
    ),
    Example(
        "a factory asks for it",
        direct_view(
            _SURVEYED,
            trace(
                verb(
                    "make",
                    "raised",
                    error=raised(
                        "gymnasium.error.NameNotFound", "Environment `Walker` doesn't exist."
                    ),
                )
            ),
            found=True,
            guarded=[_GUARDED],
        ),
        'Walker-v0 is registered only below `if __name__ == "__main__":`',
    ),
    Example("another id is not known", _unknown("Runner-v0", _GUARDED)),
    Example(
        "it is known: another module registers it",
        direct_view(_SURVEYED, trace(verb("make")), found=True, guarded=[_GUARDED]),
    ),
)
