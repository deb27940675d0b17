"""RLlib: its runner of environments."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, close_error_lost, errors_in, first_of_workers
from envdoctor.frameworks.profile import Launch, Lines, OtherLaunch, Profile, Vectorizer
from envdoctor.model.errors import one_line
from envdoctor.model.facts import Restarts, Survivors
from envdoctor.model.records import InstanceRecord
from envdoctor.model.trace import Trace

SOURCE = "https://github.com/ray-project/ray/blob/ray-2.60.0/rllib/env"
RUNNER, REMOTE = "rllib-env-runner", "rllib-remote"

#: Launched as scripts do that give the environment's class instead of a registered name, with the
#: option to go on after an error of an environment.
RESTARTING = OtherLaunch(
    "restarting",
    (("restart_failed_sub_environments", True), ("as_class", True)),
    "with the class of the environment and restart_failed_sub_environments=True",
)


def endless(trace: Trace) -> str:
    """The first error, and how many instances were built anew in one call until that was ended."""
    result = next((restarts for restarts in trace.facts(Restarts) if restarts.endless), None)
    error = next(errors_in(trace), None)
    if result is None or error is None:
        return ""
    frame = error.user_frame
    where = f" at {frame.file}:{frame.line}" if frame else ""
    built = f"{result.built} instances built in one call for {result.instances}"
    return f"{one_line(error)}{where}; {built}, where it was ended here"


def gone_with_the_next(trace: Trace) -> set[int]:
    """Serials of instances of the first launch that outlived its drop, and were freed once the next
    launch had begun.
    """
    survivors = next(
        (survivors for survivors in trace.facts(Survivors) if survivors.life == 0), None
    )
    begun = [verb.t for verb in trace.verbs("make", "began")]
    if survivors is None or len(begun) < 2:
        return set()
    freed = trace.records(InstanceRecord, what="finalized")
    return set(survivors.serials) & {record.serial for record in freed if record.t > begun[1]}


def kept_by_registry(trace: Trace) -> str:
    """Instances of a dropped runner lived on until the next one was built."""
    number = len(gone_with_the_next(trace))
    return f"{number} instances alive until another runner was built" if number else ""


def only_logged(trace: Trace) -> str:
    """The error of an environment ended its actor, and the group raised another one."""
    error = first_of_workers(trace, "reset-raised", "step-raised")
    return error if any(trace.verbs(verb, "raised") for verb in ("reset", "step")) else ""


DEFECTS = (
    Defect(
        "kept-by-registry",
        "ray",
        "2.40",
        "",
        "Gymnasium's registry holds a runner whose environment is a class or a function: a runner"
        " that is dropped without stop() closes no instance",
        "call runner.stop(), and give the environment by a name: ray.tune.register_env(name, make)",
        f"{SOURCE}/single_agent_env_runner.py",
        kept_by_registry,
        manager=RUNNER,
    ),
    Defect(
        "endless-restarts",
        "ray",
        "2.40",
        "",
        "with restart_failed_sub_environments=True its runner builds all instances anew each time"
        " one fails, without a limit, and the error is only logged",
        "leave restart_failed_sub_environments off, as it is by default, until the error is mended",
        f"{SOURCE}/env_runner.py",
        endless,
        manager=RUNNER,
    ),
    Defect(
        "error-only-logged",
        "ray",
        "2.60",
        "",
        "an error of an environment ends the actor of its runner, and the group raises an"
        " ActorDiedError without it; with restart_failed_env_runners=True, the default, it raises"
        " nothing and builds the environment anew",
        "look for it in the worker's log, or train with num_env_runners=0 until it is mended",
        f"{SOURCE}/env_runner_group.py",
        only_logged,
        manager=REMOTE,
    ),
    Defect(
        "close-error-lost",
        "ray",
        "2.40",
        "",
        "stop() of a group only logs the error of an environment's close()",
        "look for it in the worker's log",
        f"{SOURCE}/env_runner_group.py",
        close_error_lost,
        manager=REMOTE,
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a runner, or a group of them, on a factory."""
    return (
        "from ray.tune import register_env",
        f'register_env("mine", lambda _: {wanted.call})',
        *_runner(vectorizer, '"mine"', wanted),
    )


def launch_id(vectorizer: Vectorizer, identifier: str, wanted: Launch) -> Lines:
    """Return the lines of a launch on a registered id."""
    return _runner(vectorizer, f'"{identifier}"', wanted)


def _runner(vectorizer: Vectorizer, environment: str, wanted: Launch) -> Lines:
    kind = vectorizer.class_name
    configured = (
        "from ray.rllib.algorithms.algorithm_config import AlgorithmConfig",
        f"config = AlgorithmConfig().environment({environment})",
    )
    if vectorizer.name == REMOTE:
        return (
            *configured,
            f"from ray.rllib.env.env_runner_group import {kind}",
            f"config = config.env_runners(num_env_runners={wanted.instances})",
            f"group = {kind}(config=config, local_env_runner=False)",
        )
    return (
        "from ray.rllib.algorithms.algorithm_config import AlgorithmConfig",
        f"from ray.rllib.env.single_agent_env_runner import {kind}",
        f"config = AlgorithmConfig().environment({environment})",
        f"config = config.env_runners(num_envs_per_env_runner={wanted.instances})",
        f"runner = {kind}(config=config)",
    )


PROFILE = Profile(
    word="rllib",
    title="RLlib",
    package="ray",
    base_classes=("MultiAgentEnv",),
    distribution="ray",
    vectorizers=(
        Vectorizer(RUNNER, "SingleAgentEnvRunner", in_process=True, other_launches=(RESTARTING,)),
        Vectorizer(REMOTE, "EnvRunnerGroup"),
    ),
    defects=DEFECTS,
    import_seconds=90.0,
    hosts=(
        "rllib-env-runner hosts all instances in one process, in a vector environment; rllib-remote"
        " one in each actor."
    ),
    launch=launch,
    launch_id=launch_id,
    make_inside="gymnasium.make",
)
