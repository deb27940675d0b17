"""OpenEnv: its environments, and the server that builds one for each session."""

from __future__ import annotations

from collections import Counter

from envdoctor.frameworks.defects import Defect, close_error_lost, first_of_workers
from envdoctor.frameworks.profile import Launch, Lines, OtherLaunch, Profile, Vectorizer
from envdoctor.model.records import InstanceRecord
from envdoctor.model.scenario import MORE_INSTANCES
from envdoctor.model.trace import Trace

SERVER = "openenv-server"
SOURCE = (
    "https://github.com/meta-pytorch/OpenEnv/blob/main/src/openenv/core/env_server/http_server.py"
)

#: How sessions end besides by close() of their clients.
ABORTED = OtherLaunch(
    "sessions-aborted",
    (("ends", "aborted"),),
    "where the clients' connections are reset",
    in_workers=True,
)
STOPPED = OtherLaunch(
    "sessions-stopped",
    (("ends", "stopped"), (MORE_INSTANCES, True)),
    "where the clients stop answering, as stopped processes do",
    in_workers=True,
)
HTTP = OtherLaunch(
    "reset-over-http",
    (("ends", "http"), (MORE_INSTANCES, True)),
    "where reset() is asked for over HTTP, without a session",
    in_workers=True,
)
SERVER_FIRST = OtherLaunch(
    "server-ended",
    (("ends", "server-first"),),
    "where SIGTERM ends the server first",
    in_workers=True,
)


ENDS = (ABORTED, STOPPED, HTTP, SERVER_FIRST)


def closed_twice(trace: Trace) -> str:
    """The first error of a close() that the server called once more."""
    calls = Counter(record.key for record in trace.records(InstanceRecord, what="closing"))
    failed = {record.key for record in trace.records(InstanceRecord, what="close-raised")}
    again = sum(calls[key] > 1 for key in failed)
    lost = close_error_lost(trace) or first_of_workers(trace, "close-raised")
    return f"{lost}, {again} instances closed twice" if again else ""


DEFECTS = (
    Defect(
        "closes-again",
        "openenv",
        "0.2",
        "",
        "where close() raises, the server calls it once more, and tells neither its client nor its"
        " log",
        "let close() release each thing once, in an order in which nothing can raise",
        SOURCE,
        closed_twice,
        manager=SERVER,
    ),
)


def launch(vectorizer: Vectorizer, wanted: Launch) -> Lines:
    """The lines of the application that serves a factory."""
    return (
        f"from openenv.core.env_server import {vectorizer.class_name}",
        f"number = {wanted.instances}",
        f"app = {vectorizer.class_name}({wanted.factory}, Act, See, max_concurrent_envs=number)",
    )


PROFILE = Profile(
    word="openenv",
    title="OpenEnv",
    package="openenv",
    distribution="openenv",
    api="openenv",
    environment="an Environment of OpenEnv's kind",
    base_classes=("Environment",),
    vectorizers=(Vectorizer(SERVER, "create_fastapi_app", other_launches=ENDS),),
    defects=DEFECTS,
    import_seconds=60.0,
    seeds_in_reset=True,
    hosts=(
        "openenv-server hosts all instances in one server process, one session each, where the"
        " environment says that this works; else it starts one server for each."
    ),
    launch=launch,
    client="OpenEnv client",
    client_cure="call {}close(), and await it where it is a coroutine,",
    full="CAPACITY_REACHED",
)
