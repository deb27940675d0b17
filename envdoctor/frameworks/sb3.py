"""Stable-Baselines3: its vectorized environments, its checker, its replay buffer."""

from __future__ import annotations

from envdoctor.frameworks.profile import Launch, Lines, OtherLaunch, Profile, Vectorizer

#: How most scripts build its vectorizers.
MAKE_VEC_ENV = OtherLaunch("make-vec-env", (("make_vec_env", True),), "built by make_vec_env()")


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a vectorizer on factories."""
    kind, chosen = vectorizer.class_name, _chosen(vectorizer, wanted)
    return (
        f"from stable_baselines3.common.vec_env import {kind}",
        f"envs = {kind}({wanted.factories}{f', {chosen}' if chosen else ''})",
    )


def launch_id(vectorizer: Vectorizer, identifier: str, wanted: Launch) -> Lines:
    """Return the lines of a launch on a registered id."""
    kind, chosen = vectorizer.class_name, _chosen(vectorizer, wanted)
    arguments = f"n_envs={wanted.instances}, vec_env_cls={kind}"
    if chosen:
        arguments += f', vec_env_kwargs={{"start_method": "{wanted.start_method}"}}'
    return (
        "from stable_baselines3.common.env_util import make_vec_env",
        f"from stable_baselines3.common.vec_env import {kind}",
        f'envs = make_vec_env("{identifier}", {arguments})',
    )


def _chosen(vectorizer: Vectorizer, wanted: Launch) -> str:
    """The start method as an argument, where it is not the default."""
    method = wanted.start_method
    return f'start_method="{method}"' if method and method != vectorizer.default_start else ""


SMALLER = (
    "pass optimize_memory_usage=True and handle_timeout_termination=False, which keeps each"
    " observation once"
)


def storage_advice(_fits_disk: bool) -> Lines:
    """Return other ways to make its replay buffer smaller."""
    return (SMALLER,)


PROFILE = Profile(
    word="sb3",
    title="Stable-Baselines3",
    package="stable_baselines3",
    distribution="stable-baselines3",
    seed_instances="venv.seed(SEED)",
    vectorizers=(
        Vectorizer("sb3-dummy", "DummyVecEnv", in_process=True, other_launches=(MAKE_VEC_ENV,)),
        Vectorizer(
            "sb3-subproc",
            "SubprocVecEnv",
            default_start="forkserver",
            default_words="unless it gets another start method",
            waits_when_forked="a sibling holds the other end of its pipe",
            lines_instead_of_fork=(
                'envs = SubprocVecEnv(factories, start_method="forkserver")  # raises EOFError',
            ),
            other_launches=(MAKE_VEC_ENV,),
        ),
    ),
    storages=("sb3",),
    storage_advice=storage_advice,
    checker=("check-sb3", "check:sb3"),
    trains=True,
    hosts="sb3-dummy hosts all instances in one process; sb3-subproc builds none in the parent.",
    launch=launch,
    launch_id=launch_id,
)
