"""SuperSuit: vector environments of copies of one PettingZoo environment."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, Saying
from envdoctor.frameworks.hidden_instances import forgotten, never_closed
from envdoctor.frameworks.profile import Launch, Lines, Profile, Vectorizer
from envdoctor.model.errors import one_line
from envdoctor.model.trace import Trace

CONCAT, WORKERS = "supersuit-concat", "supersuit-proc-concat"
VECTOR = "https://github.com/Farama-Foundation/SuperSuit/blob/3.11.0/supersuit/vector"
COPIES = {CONCAT: 1, WORKERS: 2}  # instances that a launch makes besides those that it hosts
COPYING = "env_fn"  # of SuperSuit's, which pickles and unpickles


def original_forgotten(trace: Trace) -> str:
    """The environment that was copied was never closed, though the vector environment was."""
    if not trace.verbs("close", "ended"):
        return ""
    lost = forgotten(trace, COPIES.get(trace.scenario.manager, 1))
    return (
        f"instance {lost[0].serial} of process {lost[0].pid}, made before all others"
        if lost
        else ""
    )


def not_copied(trace: Trace) -> str:
    """The launch raised while it pickled the environment, or unpickled it."""
    for launch in trace.verbs("make", "raised"):
        error = launch.error
        if (
            error
            and error.user is None
            and any(frame.function == COPYING for frame in error.frames)
        ):
            return one_line(error)
    return ""


DEFECTS = (
    Defect(
        "copies-a-live-environment",
        "supersuit",
        "3.0",
        "",
        "concat_vec_envs_v1 pickles the live environment that it is given, so one that holds a"
        " process, a socket or a lock cannot be used",
        "start what does not pickle at the first reset(), or leave it out in __getstate__()",
        "https://github.com/Farama-Foundation/SuperSuit/issues/208",
        not_copied,
        manager="supersuit",
    ),
    Defect(
        "agents-may-not-leave",
        "supersuit",
        "3.0",
        "",
        "pettingzoo_env_to_vec_env_v1 has one row for each agent, and raises where one leaves"
        " before the others",
        "wrap the environment in supersuit.black_death_v3 first",
        f"{VECTOR}/markov_vector_wrapper.py",
        Saying(r"varying numbers of active agents|environment has agent death"),
        manager="supersuit",
    ),
    Defect(
        "original-never-closed",
        "supersuit",
        "3.0",
        "",
        "concat_vec_envs_v1 hosts copies of the environment that it is given, and never closes that"
        " one",
        "close the environment yourself once the vector environment is built",
        f"{VECTOR}/vector_constructors.py",
        original_forgotten,
        manager="supersuit",
    ),
    Defect(
        "never-closed",
        "supersuit",
        "3.9",
        "",
        "close() with num_cpus of 2 or more sends its workers a message that they do not know, and"
        " they end without close() of their environments",
        "let the simulator end when its parent is gone, or use num_cpus=1",
        f"{VECTOR}/multiproc_vec.py",
        never_closed,
        manager=WORKERS,
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch copies of what a factory builds."""
    number = wanted.instances
    processors = 1 if vectorizer.in_process else number
    return (
        "import supersuit",
        f"rows = supersuit.pettingzoo_env_to_vec_env_v1({wanted.call})",
        f"envs = supersuit.{vectorizer.class_name}(rows, {number}, num_cpus={processors})",
    )


PROFILE = Profile(
    word="supersuit",
    title="SuperSuit",
    package="supersuit",
    distribution="SuperSuit",
    vectorizers=(
        Vectorizer(CONCAT, "concat_vec_envs_v1", in_process=True),
        Vectorizer(WORKERS, "concat_vec_envs_v1"),
    ),
    defects=DEFECTS,
    import_seconds=30.0,
    hosts=(
        "supersuit-concat hosts copies of an environment in one process, beside the one that is"
        " copied; supersuit-proc-concat builds two in the parent, and hosts copies in workers."
    ),
    launch=launch,
)
