"""Defects that one rule reports, and whose remedy may take the whole of what other rules find."""

from __future__ import annotations

from enum import Enum


class Cause(Enum):
    """A defect that explains others. Its rule says `explains=`; rules that give way to it name it
    in `gives_way`, and their findings in `explained_by` or `explained_alone`.
    """

    OBSERVATION_REUSED = "reset() and step() return one array again and again"
    TASK_LEFT = "close() leaves a task"
    CLIENT_LEFT = "a client of an event loop stays open"
    DESCRIPTORS_LEFT = "close() leaves descriptors"
    THREADS_LEFT = "close() leaves threads"
    PROCESSES_LEFT = "close() leaves processes"
    PORTS_LEFT = "close() leaves ports"
    TEMPORARY_FILES_LEFT = "close() leaves temporary files"
    SHARED_MEMORY_LEFT = "close() leaves shared memory"
    INSTANCE_KEPT = "an instance outlives close() and its last reference"
    FREED_BY_COLLECTOR = "only the garbage collector frees an instance"
    GPU_MEMORY_LEFT = "close() leaves GPU memory"
    CONTAINERS_LEFT = "close() leaves containers of an engine"
    REWARD_IS_NO_NUMBER = "rewards are not finite"
    RESET_NOT_SEEDED = "a seed does not determine reset()"
    STEP_NOT_SEEDED = "a seed does not determine step()"
    OBJECTS_GROW = "Python objects grow"
    PYTHON_MEMORY_GROWS = "memory of Python objects grows"
    NATIVE_MEMORY_GROWS = "memory of native libraries grows"
    MAPPED_MEMORY_GROWS = "mapped memory grows"
    DESCRIPTORS_GROW = "descriptors grow"
    THREADS_GROW = "threads grow"
    PROCESSES_GROW = "processes grow"
    SHARED_MEMORY_GROWS = "shared memory grows"
    GPU_MEMORY_GROWS = "GPU memory grows"
    GARBAGE_GROWS = "garbage grows until it is collected"
    FAILS_AGAIN = "each reset() of an instance but its first raises"
    CONSTRUCTOR_FAILS = "the constructor raises"
    ONE_PER_PROCESS = "a process cannot have a second instance"
    INSTANCES_INTERFERE = "two instances change each other"
    SHARED_BY_WORKERS = "workers share one instance"
    SIGNAL_HANDLER = "a signal handler is set"
    DIRECTORY_DELETED = "the working directory was deleted"
    PROCESS_DIED = "a process of the training died"
    CALL_HANGS = "a call of the training does not return"
    CONTAINER_GROWS = "a container of the training grows"
    VECTORIZER_NOT_CLOSED = "vectorizers are not closed"
    HOSTED_TWICE = "a vectorizer has one instance in several places"
    SEED_SHARED = "workers share a seed"
    VECTOR_DIFFERS = "a worker returns something else than an instance alone"
    NOT_PICKLABLE = "what is sent to a worker cannot be pickled"
    FAILS_IN_MANAGER = "it fails only under a manager"
