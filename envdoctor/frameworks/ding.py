"""DI-engine: its environments, which are reset often and built once, and its managers."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, Saying
from envdoctor.frameworks.hidden_instances import forgotten
from envdoctor.frameworks.profile import (
    FailingLaunch,
    Launch,
    Lines,
    Profile,
    ReuseAdvice,
    Vectorizer,
    with_factory,
)
from envdoctor.model.trace import Trace

WRAPPERS = "https://github.com/opendilab/DI-engine/blob/v0.5.3/ding/envs/env"
SOURCE = f"{WRAPPERS}_manager"


def reference_forgotten(trace: Trace) -> str:
    """The first instance that a launch built in the parent was never closed, though the manager
    was.
    """
    lost = forgotten(trace, 1) if trace.verbs("close", "ended") else []
    return (
        f"instance {lost[0].serial} of process {lost[0].pid}, made before all others"
        if lost
        else ""
    )


def workers_unwaited_for(trace: Trace) -> str:
    """Workers were zombies when close() had returned."""
    number = max(trace.facts("zombies"), default=0)
    return f"{number} of {trace.scenario.workers} workers" if number and not _renews(trace) else ""


def renewed_unwaited_for(trace: Trace) -> str:
    """A worker was renewed, and the old one was a zombie when close() had returned, beside all
    the others.
    """
    number = max(trace.facts("zombies"), default=0) - trace.scenario.workers
    return (
        f"{number + trace.scenario.workers} zombies of {trace.scenario.workers} workers"
        if _renews(trace) and number > 0
        else ""
    )


def _renews(trace: Trace) -> bool:
    """Return True if its manager replaces an instance whose reset() failed."""
    return bool(trace.scenario.option("retry_type") == "renew")


DEFECTS = (
    Defect(
        "reference-never-closed",
        "ding",
        "0.5",
        "",
        "its environment managers build one more instance, env_ref, to read the spaces, and never"
        " close it",
        "take nothing in the constructor: what is built at the first reset() is not in that one; or"
        " call env_ref.close() yourself",
        f"{SOURCE}/base_env_manager.py",
        reference_forgotten,
        manager="ding",
    ),
    Defect(
        "workers-not-joined",
        "ding",
        "0.5",
        "",
        "close() of its subprocess managers ends the workers and does not wait for them, so each is"
        " a zombie until the next process is started",
        "call multiprocessing.active_children() after close(), where many managers are launched one"
        " after the other",
        f"{SOURCE}/subprocess_env_manager.py",
        workers_unwaited_for,
        manager="ding",
    ),
    Defect(
        "renewed-workers-stay",
        "ding",
        "0.5",
        "",
        "retry_type='renew' ends the worker whose reset() failed and does not wait for it, so each"
        " renewal leaves a zombie and two descriptors until another process is started after"
        " its end",
        "call multiprocessing.active_children() now and then, where resets fail often",
        f"{SOURCE}/subprocess_env_manager.py",
        renewed_unwaited_for,
        manager="ding",
    ),
    Defect(
        "shared-memory-only-forked",
        "ding",
        "0.5",
        "",
        "the shared memory of its subprocess managers, on by default, is made for forked workers"
        " and cannot be handed to spawned ones",
        "with context='spawn', set shared_memory=False in the manager's cfg",
        f"{SOURCE}/subprocess_env_manager.py",
        Saying(r"SemLock created in a fork context"),
        manager="ding",
    ),
    Defect(
        "wrapper-not-reopenable",
        "ding",
        "0.5",
        "",
        "DingEnvWrapper.close() deletes its environment and leaves _init_flag set, so that the next"
        " reset() finds none; it also swallows what the environment's own close() raises",
        "build a new wrapper instead of using a closed one again; in subprocess managers, which"
        " close what failed to reset, set retry_type='renew' with max_retry",
        f"{WRAPPERS}/ding_env_wrapper.py",
        Saying(r"'\w+' object has no attribute '_env'"),
    ),
    Defect(
        "wrapper-needs-reward-range",
        "ding",
        "0.5",
        "",
        "DingEnvWrapper, where it makes the environment from its cfg, asks for reward_range, which"
        " Gymnasium 1.0 removed",
        "hand it the environment: DingEnvWrapper(gymnasium.make(...))",
        f"{WRAPPERS}/ding_env_wrapper.py",
        Saying(r"object has no attribute 'reward_range'"),
        beside=(("gymnasium", "1"),),
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a manager on factories: what is not DI-engine's own is wrapped."""
    kind = vectorizer.class_name
    imported, factory = f"from ding.envs import {kind}", wanted.factory
    wrapped: Lines = ()
    if wanted.api != PROFILE.api:
        imported, factory = f"from ding.envs import DingEnvWrapper, {kind}", "make_wrapped"
        wrapped = ("def make_wrapped():", f"    return DingEnvWrapper({wanted.call})")
    chosen = dict(wanted.options)
    if wanted.start_method and wanted.start_method != vectorizer.default_start:
        chosen |= {"context": wanted.start_method, "shared_memory": False}
    return (
        imported,
        *wrapped,
        f"cfg = {kind}.default_config()",
        *(f"cfg.{name} = {value!r}".replace("'", '"') for name, value in chosen.items()),
        f"envs = {kind}([{factory}] * {wanted.instances}, cfg)",
        "envs.launch()",
    )


#: Its class says `context="fork"`, on all systems but Windows.
DEFAULT_START = "fork"

REUSED = (
    "in DI-engine reset() reuses what the first one built; only a relaunch (close, then launch)"
    " builds new instances"
)
OPEN_AGAIN = (
    "set self._init_flag = False in {name}.close(), and let reset() build again what close()"
    " gave back"
)
FIRST_RESET = "build it in the first {name}.reset() only (if not self._init_flag)"

PROFILE = Profile(
    word="ding",
    title="DI-engine",
    package="ding",
    distribution="DI-engine",
    api="ding",
    environment="one of DI-engine",
    base_classes=("BaseEnv",),
    seed_instances="manager.seed(SEED)",
    vectorizers=(
        Vectorizer(
            "ding-async-subproc",
            "AsyncSubprocessEnvManager",
            default_start=DEFAULT_START,
            builds_errors_in_worker=True,
        ),
        Vectorizer("ding-base", "BaseEnvManager", in_process=True, builds_errors_in_worker=True),
        Vectorizer(
            "ding-subproc",
            "SyncSubprocessEnvManager",
            default_start=DEFAULT_START,
            builds_errors_in_worker=True,
            failing_launch=FailingLaunch("spawned-sharing", "spawn", (("shared_memory", True),)),
        ),
    ),
    storages=("ding",),
    defects=DEFECTS,
    hosts=(
        "ding-base hosts all instances in one process; its other managers build one more in the"
        " parent, env_ref, and never close it."
    ),
    launch=launch,
    launch_id=with_factory(launch),
    abstract=("reset", "close"),
    reuse=ReuseAdvice(
        take_at_first_reset=(
            "take it in {name}.reset(), the first time only (if not self._init_flag), and let the"
            " constructor keep no more than the cfg: DI-engine's managers build one more instance,"
            " env_ref, in the parent, and never close it."
        ),
        build_once=f"{FIRST_RESET}: {REUSED}.",
        build_once_short=FIRST_RESET,
        close_only_what_is_open=(
            "let {name}.close() do nothing until the first reset() has set self._init_flag, which"
            " __init__() sets to False: where the first reset() of one instance fails, DI-engine"
            " closes the others as well, which were never reset."
        ),
        flag="_init_flag",
        open_again=(
            f"{OPEN_AGAIN}; DI-engine's managers build new instances when they are launched again,"
            " scripts that keep one instance do not."
        ),
        closed_and_retried=(
            f"{OPEN_AGAIN}; DI-engine's managers build new instances when they are launched again,"
            " scripts that keep one instance do not; the workers of {manager} close the instance"
            " whose reset() raised, and with retry_type='reset' that closed one is reset again; or"
            " set retry_type='renew'."
        ),
    ),
    seeds_global_random=True,
    sends_spaces=False,
)
