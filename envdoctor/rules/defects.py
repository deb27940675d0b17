"""Known defects of frameworks: which versions have them, what shows that this subject meets one, and what helps.

An entry never speaks for its version alone: something in the journal of this very run must show it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from envdoctor.model.events import ErrorValue, Event, one_line
from envdoctor.model.scenario import RENEWED
from envdoctor.model.trace import TIMED_OUT, Trace
from envdoctor.rules.hidden import forgotten

ASYNC = "gymnasium-async"
SOURCE = "https://github.com/Farama-Foundation/Gymnasium/blob/v1.4.0/gymnasium/vector/async_vector_env.py"

TORCHRL_SOURCE = "https://github.com/pytorch/rl/blob/v0.14.1/torchrl/envs"
DING = "https://github.com/opendilab/DI-engine/blob/v0.5.3/ding/envs/env_manager"

Shows = Callable[[Trace], str]


@dataclass(frozen=True)
class Defect:
    """`package` has it from version `since` up to, and without, `until` (empty: no end is known), where the packages of `beside`
    are at least as new as it says. `shows` tells from a trace what met it, or nothing.
    """

    name: str
    package: str
    since: str
    until: str
    meaning: str
    cure: str
    url: str
    shows: Shows
    beside: tuple[tuple[str, str], ...] = ()
    manager: str = ""


def errors_in(trace: Trace) -> Iterator[ErrorValue]:
    """Every error that a trace knows of."""
    yield from (event["error"] for event in trace.events if event.get("error"))
    survey = trace.fact("survey") or {}
    if survey.get("error"):
        yield survey["error"]


def saying(pattern: str) -> Shows:
    """Shown by an error whose text has the pattern."""

    def shows(trace: Trace) -> str:
        texts = [one_line(error) for error in errors_in(trace)]
        causes = (re.search(pattern, str(error.get("cause") or "")) for error in errors_in(trace))  # long where they came from a worker
        return next((text for text in texts if re.search(pattern, text)), "") or next((match[0] for match in causes if match), "")

    return shows


def _workers_errors(trace: Trace, *what: str) -> list[Event]:
    return [event for event in trace.of("instance") if event["what"] in what and not event.get("parent")]


def close_error_lost(trace: Trace) -> str:
    """A worker's close() raised, and the manager's returned."""
    lost = _workers_errors(trace, "close-raised") if trace.verbs("close", "ended") else []
    return one_line(lost[0].get("error")) if lost else ""


def error_never_arrived(trace: Trace) -> str:
    """A worker's reset() or step() raised, and the parent still waited when its time was over."""
    raised = _workers_errors(trace, "reset-raised", "step-raised") if trace.outcome.kind == TIMED_OUT else []
    return one_line(raised[0].get("error")) if raised else ""


def error_remade(trace: Trace) -> str:
    """What the parent raised is the failure to build the worker's error again."""
    raised = _workers_errors(trace, "reset-raised", "step-raised")
    told = [event.get("error") or {} for name in ("reset", "step") for event in trace.verbs(name, "raised")]
    remade = [error for error in told if error.get("type") == "builtins.TypeError" and "required positional argument" in str(error.get("message"))]
    if not raised or not remade or (raised[0].get("error") or {}).get("type") == "builtins.TypeError":
        return ""
    return f"{one_line(raised[0].get('error'))} became {one_line(remade[0])}"


def attribute_error_swallowed(trace: Trace) -> str:
    """An instance's close() raised an AttributeError under TorchRL, and the batch's returned."""
    lost = [event for event in trace.of("instance", what="close-raised") if str((event.get("error") or {}).get("type")).endswith("AttributeError")]
    under = trace.scenario.manager.startswith("torchrl-") and trace.verbs("close", "ended")
    return one_line(lost[0].get("error")) if lost and under else ""


def other_close_error_lost(trace: Trace) -> str:
    """A worker's close() raised something else, and the manager's returned."""
    return "" if attribute_error_swallowed(trace) else close_error_lost(trace)


def reference_forgotten(trace: Trace) -> str:
    """The first instance that a launch built in the parent was never closed, though the manager was."""
    lost = forgotten(trace, 1) if trace.verbs("close", "ended") else []
    return f"instance {lost[0]['serial']} of process {lost[0]['pid']}, made before all others" if lost else ""


def workers_unwaited_for(trace: Trace) -> str:
    """Workers were zombies when close() had returned."""
    number = max(trace.facts("zombies"), default=0)
    return f"{number} of {trace.scenario.workers} workers" if number and trace.scenario.name != RENEWED else ""


def renewed_unwaited_for(trace: Trace) -> str:
    """A worker was renewed, and the old one was a zombie when close() had returned, beside all the others."""
    number = max(trace.facts("zombies"), default=0) - trace.scenario.workers
    return f"{number + trace.scenario.workers} zombies of {trace.scenario.workers} workers" if trace.scenario.name == RENEWED and number > 0 else ""


DEFECTS = (
    Defect(
        "close-error-lost", "gymnasium", "1.3", "",
        "a worker of AsyncVectorEnv answers before it calls close(), so what close() raises reaches nobody",
        "mend close(); where it must be heard, let it log what it raises", SOURCE, close_error_lost, manager=ASYNC,
    ),
    Defect(
        "error-never-arrives", "gymnasium", "1.3", "",
        "AsyncVectorEnv sends a worker's exception through a queue that drops what does not pickle, and waits for it without a time limit",
        "let the exception carry only text and numbers, or give its class a __reduce__()", SOURCE, error_never_arrived, manager=ASYNC,
    ),
    Defect(
        "error-remade", "gymnasium", "1.3", "",
        "AsyncVectorEnv builds a worker's exception again from its text alone, which fails for a class with more arguments",
        "give the exception's __init__() defaults for all arguments but the message", SOURCE, error_remade, manager=ASYNC,
    ),
    Defect(
        "reference-never-closed", "ding", "0.5", "",
        "its environment managers build one more instance, env_ref, to read the spaces, and never close it",
        "take nothing in the constructor: what is built at the first reset() is not in that one; or call env_ref.close() yourself",
        f"{DING}/base_env_manager.py", reference_forgotten, manager="ding",
    ),
    Defect(
        "workers-not-joined", "ding", "0.5", "",
        "close() of its subprocess managers ends the workers and does not wait for them, so each is a zombie until the next process is started",
        "call multiprocessing.active_children() after close(), where many managers are launched one after the other",
        f"{DING}/subprocess_env_manager.py", workers_unwaited_for, manager="ding",
    ),
    Defect(
        "renewed-workers-stay", "ding", "0.5", "",
        "retry_type='renew' ends the worker whose reset() failed and does not wait for it, so each renewal leaves a zombie and two descriptors "
        "until another process is started after its end",
        "call multiprocessing.active_children() now and then, where resets fail often",
        f"{DING}/subprocess_env_manager.py", renewed_unwaited_for, manager="ding",
    ),
    Defect(
        "shared-memory-only-forked", "ding", "0.5", "",
        "the shared memory of its subprocess managers, on by default, is made for forked workers and cannot be handed to spawned ones",
        "with context='spawn', set shared_memory=False in the manager's cfg", f"{DING}/subprocess_env_manager.py",
        saying(r"SemLock created in a fork context"), manager="ding",
    ),
    Defect(
        "wrapper-not-reopenable", "ding", "0.5", "",
        "DingEnvWrapper.close() deletes its environment and leaves _init_flag set, so that the next reset() finds none; it also swallows "
        "whatever the environment's own close() raises",
        "build a new wrapper instead of using a closed one again; in subprocess managers, which close what failed to reset, set retry_type='renew' "
        "with max_retry", f"{DING.rsplit('/', 1)[0]}/env/ding_env_wrapper.py",
        saying(r"'\w+' object has no attribute '_env'"),
    ),
    Defect(
        "wrapper-needs-reward-range", "ding", "0.5", "",
        "DingEnvWrapper, where it makes the environment from its cfg, asks for reward_range, which Gymnasium 1.0 removed",
        "hand it the environment: DingEnvWrapper(gymnasium.make(...))", f"{DING.rsplit('/', 1)[0]}/env/ding_env_wrapper.py",
        saying(r"object has no attribute 'reward_range'"), beside=(("gymnasium", "1"),),
    ),
    Defect(
        "step-wait-unpacks-none", "gymnasium", "0.26", "0.28",
        "AsyncVectorEnv unpacks the answer of a worker whose step() raised before it looks for the error",
        "python -m pip install --upgrade gymnasium", "https://github.com/Farama-Foundation/Gymnasium/issues/177",
        saying(r"cannot unpack non-iterable NoneType"), manager=ASYNC,
    ),
    Defect(
        "attribute-error-swallowed", "torchrl", "0.11", "",
        "its wrapper takes an AttributeError of close() for a close() that is missing, also one that was raised inside it",
        "mend close()", f"{TORCHRL_SOURCE}/common.py", attribute_error_swallowed,
    ),
    Defect(
        "worker-close-error-lost", "torchrl", "0.11", "",
        "what close() raises ends a worker of ParallelEnv, whose own close() returns as if nothing was",
        "mend close(), and look at the worker's stderr", f"{TORCHRL_SOURCE}/batched_envs.py", other_close_error_lost, manager="torchrl-parallel",
    ),
    Defect(
        "mujoco-solver-iter", "gymnasium", "0.26", "1.0",
        "its MuJoCo window reads a field that MuJoCo 3 renamed",
        'python -m pip install --upgrade "gymnasium>=1.0"', "https://github.com/Farama-Foundation/Gymnasium/issues/749",
        saying(r"MjData' object has no attribute 'solver_iter'"),
    ),
    Defect(
        "numpy-bool8", "gym", "0.24", "",
        "its passive checker, which gym.make() puts around every environment, uses a name that numpy 2 removed",
        'move to gymnasium, or: python -m pip install "numpy<2"', "https://github.com/openai/gym/issues/3294",
        saying(r"module 'numpy' has no attribute 'bool8'"), beside=(("numpy", "2"),),
    ),
    Defect(
        "entry-points-get", "gym", "0.21", "0.26",
        "it asks for plugins in a way that importlib-metadata 5 and Python 3.12 no longer know, and cannot be imported",
        'python -m pip install "importlib-metadata<5", or move to gymnasium', "https://github.com/openai/gym/issues/3122",
        saying(r"'EntryPoints' object has no attribute 'get'"),
    ),
)  # fmt: skip


def installed(defect: Defect, versions: Mapping[str, str]) -> bool:
    """Whether the versions that are installed have it."""
    version = versions.get(defect.package, "")
    if not version or number(version) < number(defect.since) or (defect.until and number(version) >= number(defect.until)):
        return False
    return all(number(versions.get(package, "0")) >= number(least) for package, least in defect.beside)


def number(version: str) -> tuple[int, ...]:
    """`1.0.0a2` as (1, 0, 0), without zeros at its end: 1.0 is 1.0.0."""
    parts = [int(part) for part in re.match(r"[\d.]*", version)[0].split(".") if part]  # type: ignore[index]
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)
