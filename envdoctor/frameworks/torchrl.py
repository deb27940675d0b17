"""TorchRL: its batches of environments, its checker, its replay storages."""

from __future__ import annotations

from envdoctor.frameworks.defects import Defect, close_error_lost
from envdoctor.frameworks.profile import Launch, Lines, Profile, Vectorizer
from envdoctor.model.errors import kind_of, one_line
from envdoctor.model.records import InstanceRecord
from envdoctor.model.trace import Trace

SOURCE = "https://github.com/pytorch/rl/blob/v0.14.1/torchrl/envs"
WITHOUT_BUFFERS = (("use_buffers", False),)


def attribute_error_swallowed(trace: Trace) -> str:
    """An instance's close() raised an AttributeError under TorchRL, and the batch's returned."""
    lost = [
        event
        for event in trace.records(InstanceRecord, what="close-raised")
        if kind_of(event.error).endswith("AttributeError")
    ]
    return one_line(lost[0].error) if lost and trace.verbs("close", "ended") else ""


def other_close_error_lost(trace: Trace) -> str:
    """A worker's close() raised something else, and the manager's returned."""
    return "" if attribute_error_swallowed(trace) else close_error_lost(trace)


DEFECTS = (
    Defect(
        "attribute-error-swallowed",
        "torchrl",
        "0.11",
        "",
        "its wrapper takes an AttributeError of close() for a close() that is missing, also one"
        " that was raised inside it",
        "repair close()",
        f"{SOURCE}/common.py",
        attribute_error_swallowed,
        manager="torchrl",
    ),
    Defect(
        "worker-close-error-lost",
        "torchrl",
        "0.11",
        "",
        "what close() raises ends a worker of ParallelEnv, whose own close() returns as if"
        " nothing was",
        "repair close(), and look at the worker's stderr",
        f"{SOURCE}/batched_envs.py",
        other_close_error_lost,
        manager="torchrl-parallel",
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines that launch a batch on factories: what is not TorchRL's own is wrapped."""
    if wanted.api == PROFILE.api:
        return _batch(vectorizer, wanted)
    wrapped = (
        "from torchrl.envs import GymWrapper",
        "def make_wrapped():",
        f"    return GymWrapper({wanted.call})",
    )
    return wrapped + _batch(
        vectorizer, Launch("make_wrapped", wanted.start_method, wanted.instances, wanted.options)
    )


def launch_id(vectorizer: Vectorizer, identifier: str, wanted: Launch) -> Lines:
    """Return the lines of a launch on a registered id."""
    factory = f'functools.partial(GymEnv, "{identifier}")'
    return (
        "import functools",
        "from torchrl.envs import GymEnv",
        *_batch(vectorizer, Launch(factory, wanted.start_method, wanted.instances, wanted.options)),
    )


def _batch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    kind = vectorizer.class_name
    name = "mp_start_method" if vectorizer.default_start else ""
    chosen = wanted.keywords(name, vectorizer.default_start)
    return (
        f"from torchrl.envs import {kind}",
        f"envs = {kind}({wanted.instances}, {wanted.factory}{chosen})",
    )


def storage_advice(fits_disk: bool) -> Lines:
    """Return other ways to make its storages smaller."""
    return ("use LazyMemmapStorage with a scratch_dir on a disk",) if fits_disk else ()


PROFILE = Profile(
    word="torchrl",
    title="TorchRL",
    package="torchrl",
    distribution="torchrl",
    api="torchrl",
    environment="a torchrl.envs.EnvBase",
    base_classes=("EnvBase",),
    hands_on_infos=False,
    seed_instances="env.set_seed(SEED)",
    vectorizers=(
        Vectorizer(
            "torchrl-parallel",
            "ParallelEnv",
            default_start="spawn",  # unless the script set another one for all of Python
            default_words="unless the script chose another start method",
            without_buffers=WITHOUT_BUFFERS,
            without_shadow=(("metadata_from_workers", True),),
            ends_workers_by_errors=True,
        ),
        Vectorizer("torchrl-serial", "SerialEnv", in_process=True, without_buffers=WITHOUT_BUFFERS),
    ),
    storages=("torchrl-list", "torchrl-memmap", "torchrl-tensor"),
    storage_advice=storage_advice,
    defects=DEFECTS,
    checker=("check-torchrl", "check:torchrl"),
    trains=True,
    import_seconds=90.0,
    patience=16.0,  # it waits 10 s for a worker, and then goes on
    second_close_refused=True,
    replays_itself=True,
    hosts=(
        "torchrl-serial hosts all instances in one process; torchrl-parallel builds one more in the"
        " parent, a shadow to read its specifications from, closed before the workers start:"
        " ParallelEnv(..., metadata_from_workers=True) builds none."
    ),
    launch=launch,
    launch_id=launch_id,
    make_inside="GymEnv",
    seeding="seed {source} in {name}._set_seed(), with the seed that is given.",
)
