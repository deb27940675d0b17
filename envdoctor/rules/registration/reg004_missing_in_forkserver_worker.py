"""The environment is not known in workers started by forkserver.

What it does
    Builds the environment through each manager with the start method forkserver, as a training
    script would, and reads what the worker itself says when the environment that the parent built
    is not known there. The cure is then played in the same place, and promised only where it
    worked.

Why it matters
    forkserver is the default of Stable-Baselines3, and of Python itself on Linux since 3.14. Its
    workers are forked from a server that never ran the script: an id that the script registered or
    imported is unknown there, and the parent sees an EOFError or a ConnectionResetError.

How to fix it
    Let the factory bring along what it needs. One of:

        gymnasium.make("package:Id-v0")                     # the worker imports the package
        functools.partial(gymnasium.make, gymnasium.spec("Id-v0"))  # the factory carries the spec

        def make_env():
            import package                                  # the factory imports it
            return gymnasium.make("Id-v0")
"""

from __future__ import annotations

from collections.abc import Iterator

from envdoctor.model.finding import Finding
from envdoctor.rules.engine.examples import instance, raised, trace, vector_view
from envdoctor.rules.engine.registry import VECTOR_ONLY, Example, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.remedies.missing_in_worker import report_missing


@rule(
    "REG004",
    "missing-in-forkserver-worker",
    where=VECTOR_ONLY,
    start_methods=("forkserver",),
    blames_itself=True,
    looks_at={"life": "make"},
)
def missing_in_forkserver_worker(view: View) -> Iterator[Finding]:
    yield from report_missing(missing_in_forkserver_worker, view)


def _launch(error: dict[str, object], start_method: str = "forkserver", **survey: str) -> View:
    failed = instance("make-raised", pid=7, parent=False, error=error)
    return vector_view(
        trace(instance("made"), failed, manager="gymnasium-async"),
        start_method=start_method,
        **survey,
    )


_NO_NAME = raised("gymnasium.error.NameNotFound", "Environment `Walker` doesn't exist.")
_NO_MODULE = raised("builtins.ModuleNotFoundError", "No module named 'walkers'")

EXAMPLES = (
    Example(
        "the script imported the package",
        _launch(_NO_NAME, id="Walker-v0", registered_by="walkers"),
        (
            (
                "Walker-v0 is known in the parent, not in a worker started by forkserver:"
                " NameNotFound: Environment `Walker` doesn't exist."
            ),
        ),
    ),
    Example(
        "the script changed sys.path",
        _launch(_NO_MODULE, module="walkers.line"),
        (
            (
                "Sick-v0 is known in the parent, not in a worker started by forkserver:"
                " ModuleNotFoundError: No module named 'walkers'"
            ),
        ),
    ),
    Example(
        "the environment's own error is another rule's",
        _launch(raised("builtins.ValueError", "no"), id="Walker-v0"),
    ),
    Example(
        "the worker knows it",
        vector_view(
            trace(instance("made"), instance("made", pid=7, parent=False)),
            start_method="forkserver",
        ),
    ),
)
