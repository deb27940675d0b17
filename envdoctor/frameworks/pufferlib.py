"""PufferLib: its vectorizers of Python environments."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, error_never_arrived
from envdoctor.frameworks.hidden_instances import never_closed
from envdoctor.frameworks.profile import Launch, Lines, Profile, Vectorizer

WORKERS = "puffer-multiprocessing"
SOURCE = "https://github.com/PufferAI/PufferLib/issues/521"


DEFECTS = (
    Defect(
        "never-closed",
        "pufferlib",
        "3.0",
        "",
        "close() of Multiprocessing ends its workers by a signal, so close() of their environments"
        " is never called",
        "let the simulator end when its parent is gone, or call close() from a handler of SIGTERM",
        SOURCE,
        never_closed,
        manager=WORKERS,
    ),
    Defect(
        "error-never-arrives",
        "pufferlib",
        "3.0",
        "",
        "an error ends a worker of Multiprocessing, and the parent waits for its answer without a"
        " time limit",
        "look at the worker's stderr, or run the environment in Serial",
        SOURCE,
        error_never_arrived,
        manager=WORKERS,
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a vectorizer on factories."""
    kind, number = vectorizer.class_name, wanted.instances
    workers = "" if vectorizer.in_process else f", num_workers={number}"
    arguments = f"env_creator={wanted.factory}, buf=buf, seed=seed"
    each = f"[make_puffer] * {number}, [[]] * {number}, [{{}}] * {number}"
    return (
        "from pufferlib import vector",
        "from pufferlib.emulation import GymnasiumPufferEnv",
        "def make_puffer(buf=None, seed=0):",
        f"    return GymnasiumPufferEnv({arguments})",
        f"envs = {kind}({each}, {number}{workers})",
    )


def launch_id(vectorizer: Vectorizer, identifier: str, wanted: Launch) -> Lines:
    """Return the lines of a launch on a registered id."""
    return launch(vectorizer, wanted.on(identifier))


PROFILE = Profile(
    word="puffer",
    title="PufferLib",
    package="pufferlib",
    distribution="pufferlib-core",
    hands_on_infos=False,
    vectorizers=(
        Vectorizer(WORKERS, "vector.Multiprocessing", ends_workers_by_errors=True),
        Vectorizer("puffer-serial", "vector.Serial", in_process=True),
    ),
    defects=DEFECTS,
    import_seconds=60.0,
    hosts=(
        "puffer-serial hosts all instances in one process, and builds one more there that it never"
        " closes; puffer-multiprocessing builds one more in the parent, and one in each worker."
    ),
    launch=launch,
    launch_id=launch_id,
    make_inside="gymnasium.make",
)
