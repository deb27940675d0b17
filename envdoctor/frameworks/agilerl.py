"""AgileRL: its vector environments of PettingZoo's parallel ones."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, close_error_lost
from envdoctor.frameworks.hidden_instances import cut_off
from envdoctor.frameworks.profile import Launch, Lines, Profile, Vectorizer
from envdoctor.model.trace import Trace

WORKERS = "agilerl-async"
SOURCE = "https://github.com/AgileRL/AgileRL/blob/main/agilerl/vector/pz_async_vec_env.py"


def ends_lost(trace: Trace) -> str:
    """Episodes that ended, whose last observations were those of the next ones."""
    ended = sum(len(verb.episodes) for verb in trace.verbs("episode", "ended"))
    return f"the ends of {ended} episodes" if ended else ""


def close_cut_off(trace: Trace) -> str:
    """Instances in workers were ended in the middle of their close()."""
    number = cut_off(trace)
    return f"close() of {number} {'instance' if number == 1 else 'instances'}" if number else ""


DEFECTS = (
    Defect(
        "last-observation-lost",
        "agilerl",
        "2.0",
        "",
        "a worker of AsyncPettingZooVecEnv resets its environment when all agents are done, and"
        " hands on the first observation and info of the next episode in place of the last ones",
        "do not learn a value from the observation of a truncated step, or end no episode by a"
        " truncation",
        SOURCE,
        ends_lost,
        manager=WORKERS,
    ),
    Defect(
        "close-cut-off",
        "agilerl",
        "2.0",
        "",
        "close() gives each worker of AsyncPettingZooVecEnv one second, and then ends it by SIGTERM"
        " in the middle of close() of its environment",
        "let close() of the environment end within a second, or close it before",
        SOURCE,
        close_cut_off,
        manager=WORKERS,
    ),
    Defect(
        "close-error-lost",
        "agilerl",
        "2.0",
        "",
        "what close() of an environment raises ends its worker, and close() of"
        " AsyncPettingZooVecEnv returns as if nothing was",
        "repair close(), and look at the worker's stderr",
        SOURCE,
        close_error_lost,
        manager=WORKERS,
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a vector environment on factories."""
    kind = vectorizer.class_name
    return (
        f"from agilerl.vector import {kind}",
        f"envs = {kind}({wanted.factories}{wanted.keywords('context')})",
    )


PROFILE = Profile(
    word="agilerl",
    title="AgileRL",
    package="agilerl",
    distribution="agilerl",
    hands_on_infos=False,
    hands_on_last_observations=False,
    vectorizers=(
        Vectorizer(
            WORKERS,
            "AsyncPettingZooVecEnv",
            default_words="unless another context is given to it",
            waits_in="_raise_if_errors",
            rebuilds_errors=True,
            ends_workers_in_close=True,
        ),
    ),
    defects=DEFECTS,
    import_seconds=60.0,
    hosts=(
        "agilerl-async hosts each instance in a worker, and builds one more in the parent, closed"
        " before the workers start."
    ),
    launch=launch,
)
