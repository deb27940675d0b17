"""Gymnasium: the environment API that most follow, and its vector environments."""

from __future__ import annotations

from envdoctor.frameworks.defects import (
    Defect,
    Saying,
    close_error_lost,
    error_never_arrived,
    workers_errors,
)
from envdoctor.frameworks.profile import Launch, Lines, Profile, Registry, Vectorizer, with_factory
from envdoctor.model.errors import kind_of, one_line
from envdoctor.model.scenario import EPISODE_DISABLED, EPISODE_SAME_STEP
from envdoctor.model.trace import Trace

SOURCE = (
    "https://github.com/Farama-Foundation/Gymnasium/blob/v1.4.0/gymnasium/vector/"
    "async_vector_env.py"
)


def error_remade(trace: Trace) -> str:
    """Return the parent's error where it is the failure to build the worker's error again."""
    raised = workers_errors(trace, "reset-raised", "step-raised")
    errors = [event.error for name in ("reset", "step") for event in trace.verbs(name, "raised")]
    remade = [
        error
        for error in errors
        if error
        and error.type == "builtins.TypeError"
        and "required positional argument" in error.message
    ]
    if not raised or not remade or kind_of(raised[0].error) == "builtins.TypeError":
        return ""
    return f"{one_line(raised[0].error)} became {one_line(remade[0])}"


DEFECTS = (
    Defect(
        "close-error-lost",
        "gymnasium",
        "1.3",
        "",
        "a worker of AsyncVectorEnv answers before it calls close(), so what close() raises is"
        " lost",
        "repair close(); where it must be heard, let it log what it raises",
        SOURCE,
        close_error_lost,
        manager="gymnasium-async",
    ),
    Defect(
        "error-never-arrives",
        "gymnasium",
        "1.3",
        "",
        "AsyncVectorEnv sends a worker's exception through a queue that drops what does not pickle,"
        " and waits for it without a time limit",
        "let the exception carry only text and numbers, or give its class a __reduce__()",
        SOURCE,
        error_never_arrived,
        manager="gymnasium-async",
    ),
    Defect(
        "error-remade",
        "gymnasium",
        "1.3",
        "",
        "AsyncVectorEnv builds a worker's exception again from its text alone, which fails for a"
        " class with more arguments",
        "give the exception's __init__() defaults for all arguments but the message",
        SOURCE,
        error_remade,
        manager="gymnasium-async",
    ),
    Defect(
        "step-wait-unpacks-none",
        "gymnasium",
        "0.26",
        "0.28",
        "AsyncVectorEnv unpacks the answer of a worker whose step() raised before it looks for the"
        " error",
        "python -m pip install --upgrade gymnasium",
        "https://github.com/Farama-Foundation/Gymnasium/issues/177",
        Saying(r"cannot unpack non-iterable NoneType"),
        manager="gymnasium-async",
    ),
    Defect(
        "mujoco-solver-iter",
        "gymnasium",
        "0.26",
        "1.0",
        "its MuJoCo window reads a field that MuJoCo 3 renamed",
        'python -m pip install --upgrade "gymnasium>=1.0"',
        "https://github.com/Farama-Foundation/Gymnasium/issues/749",
        Saying(r"MjData' object has no attribute 'solver_iter'"),
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a vector environment on factories."""
    called = f"gymnasium.vector.{vectorizer.class_name}"
    return (f"envs = {called}({wanted.factories}{wanted.keywords('context')})",)


REGISTRY = Registry(
    make="gymnasium.make",
    register="gymnasium.register",
    spec="gymnasium.spec",
    through_json="gymnasium.make(EnvSpec.from_json(env.spec.to_json()))",
    wrapper=(
        "class {name}(gymnasium.Wrapper, gymnasium.utils.RecordConstructorArgs):",
        "    def __init__(self, env, **arguments):",
        "        gymnasium.utils.RecordConstructorArgs.__init__(self, **arguments)",
        "        gymnasium.Wrapper.__init__(self, env)",
    ),
)

PROFILE = Profile(
    word="gymnasium",
    title="Gymnasium",
    package="gymnasium",
    distribution="gymnasium",
    api="gymnasium",
    generator="self.np_random",
    environment="a gymnasium.Env",
    base_classes=("Env",),
    autoreset_modes=((EPISODE_SAME_STEP, "SameStep"), (EPISODE_DISABLED, "Disabled")),
    modes_since=(1, 1),
    seed_instances="envs.reset(seed=SEED)",
    vectorizers=(
        Vectorizer(
            "gymnasium-async",
            "AsyncVectorEnv",
            without_shared_memory=(("shared_memory", False),),
            shared_memory_note=(
                "From shared memory, it reads a Text or OneOf once, when it is built, and never"
                " again."
            ),
            without_daemon=(("daemon", False),),
            waits_in="_raise_if_errors",
            rebuilds_errors=True,
        ),
        Vectorizer("gymnasium-sync", "SyncVectorEnv", in_process=True),
    ),
    defects=DEFECTS,
    checker=("check", "check"),
    hosts=(
        "gymnasium-sync hosts all instances in one process; gymnasium-async builds one more in the"
        " parent, closed before the workers start."
    ),
    launch=launch,
    launch_id=with_factory(launch),
    make_inside="gymnasium.make",
    registry=REGISTRY,
    aliases=(("gym", "import gymnasium as gym"), ("spaces", "from gymnasium import spaces")),
    flatten="gymnasium.wrappers.FlattenObservation",
    reshape=(
        "FlattenObservation, TransformObservation and TransformAction of gymnasium.wrappers make"
        " other spaces of them"
    ),
)

#: Vector environments that are the subject themselves.
VECTOR = Profile(
    word="gymnasium",
    title="Gymnasium",
    package="gymnasium",
    distribution="gymnasium",
    api="gymnasium-vector",
    environment="a vector environment",
    base_classes=("VectorEnv",),
    generator="self.np_random",
    registry=REGISTRY,
)
