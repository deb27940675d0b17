"""The environment is not known in workers started by spawn.

What it does
    Builds the environment through each manager with the start method spawn, as a training script
    would, and reads what the worker itself says when the environment that the parent built is not
    known there. The cure is then played in the same place, and promised only where it worked.

Why it matters
    spawn is the only way to start a worker on Windows, the usual one on macOS, and what CUDA and
    most renderers need. The worker begins with an empty registry: an id that the script registered
    or imported in the parent is unknown there, and the parent sees an EOFError or a
    ConnectionResetError.

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
    "REG003",
    "missing-in-spawned-worker",
    where=VECTOR_ONLY,
    start_methods=("spawn",),
    blames_itself=True,
    looks_at={"life": "make"},
)
def missing_in_spawned_worker(view: View) -> Iterator[Finding]:
    yield from report_missing(missing_in_spawned_worker, view)


EXAMPLES = examples_of("spawn")
