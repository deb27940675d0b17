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
from envdoctor.rules.engine.registry import VECTOR_ONLY, rule
from envdoctor.rules.engine.view import View
from envdoctor.rules.remedies.missing_in_worker import examples_of, report_missing


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


EXAMPLES = examples_of("forkserver")
