"""Tianshou: its vectorized environments."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, close_error_lost, errors_in, first_of_workers
from envdoctor.frameworks.profile import Launch, Lines, Profile, Vectorizer, with_factory
from envdoctor.model.errors import kind_of, one_line
from envdoctor.model.trace import Trace

SOURCE = "https://github.com/thu-ml/tianshou/blob/v2.0.1/tianshou/env/worker/subproc.py"
IN_WORKERS = "tianshou-s"  # -subproc and -shmem
PIPE_ERRORS = ("builtins.EOFError", "builtins.ConnectionResetError", "builtins.BrokenPipeError")


def error_lost(trace: Trace) -> str:
    """A worker's reset() or step() raised, and the parent raised that its pipe is closed."""
    raised = first_of_workers(trace, "reset-raised", "step-raised")
    pipes = [error for error in errors_in(trace) if kind_of(error) in PIPE_ERRORS]
    if not raised or not pipes:
        return ""
    return f"{raised} became {one_line(pipes[0])}"


DEFECTS = (
    Defect(
        "error-lost",
        "tianshou",
        "2.0",
        "",
        "what an environment raises ends its worker, and the parent raises that the pipe is closed,"
        " without the error",
        "look at the worker's stderr, or run the environment in a DummyVectorEnv",
        SOURCE,
        error_lost,
        manager=IN_WORKERS,
    ),
    Defect(
        "close-error-lost",
        "tianshou",
        "2.0",
        "",
        "what close() raises ends a worker, and close() of the vector environment returns as if"
        " nothing was",
        "repair close(), and look at the worker's stderr",
        SOURCE,
        close_error_lost,
        manager=IN_WORKERS,
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a vector environment on factories."""
    kind = vectorizer.class_name
    chosen = wanted.keywords("context" if vectorizer.default_words else "")
    return (f"from tianshou.env import {kind}", f"envs = {kind}({wanted.factories}{chosen})")


PROFILE = Profile(
    word="tianshou",
    title="Tianshou",
    package="tianshou",
    distribution="tianshou",
    vectorizers=(
        Vectorizer("tianshou-dummy", "DummyVectorEnv", in_process=True),
        Vectorizer("tianshou-shmem", "ShmemVectorEnv", ends_workers_by_errors=True),
        Vectorizer(
            "tianshou-subproc",
            "SubprocVectorEnv",
            default_words="unless another context is given to it",
            ends_workers_by_errors=True,
        ),
    ),
    defects=DEFECTS,
    import_seconds=60.0,
    second_close_refused=True,
    hosts=(
        "tianshou-dummy hosts all instances in one process; tianshou-subproc builds none in the"
        " parent; tianshou-shmem builds one more there for each worker, closed before it starts."
    ),
    launch=launch,
    launch_id=with_factory(launch),
    make_inside="gymnasium.make",
)
