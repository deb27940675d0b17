"""Requests of container clients to their engines, and the containers that they started.

A container is a child of its engine, never of the program that asked for it, so lists of processes
do not show its owner. The client's call does: the name that it gave, the file for the container's
id, the labels, and otherwise the image.
"""

from __future__ import annotations

import re
import shlex
from posixpath import abspath, basename, dirname
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

#: What readings, meters and rules call them: containers without more are what Python has.
SENSOR = "engine-containers"

CLIENTS = ("docker", "podman")
COMPOSE = ("docker-compose", "podman-compose")

#: The file below a probe's folder in which its processes write down what they ask for.
RECORD = "containers.jsonl"

#: How a client lists all containers of its engine, one a line.
LISTING = ("ps", "--all", "--no-trunc", "--format", "{{.ID}}\t{{.Names}}\t{{.Image}}")

#: How it lists the ids of those that have a label.
LABELLED = ("ps", "--all", "--no-trunc", "--quiet", "--filter")

PROJECT = "com.docker.compose.project"

#: What tells a client which engine to ask.
VARIABLES = ("DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "CONTAINER_HOST")

_SHELLS = ("sh", "bash", "dash", "zsh")
_SEPARATORS = frozenset(";&|()\n")

#: Options of `run` and `create` that take no value; all others take one.
_SWITCHES = frozenset(
    [
        "--detach",
        "--init",
        "--interactive",
        "--no-healthcheck",
        "--oom-kill-disable",
        "--privileged",
        "--publish-all",
        "--quiet",
        "--read-only",
        "--rm",
        "--tty",
        "--disable-content-trust",
        "--sig-proxy",
        "--use-api-socket",
        "--env-host",
        "--http-proxy",
        "--no-hosts",
        "--no-hostname",
        "--passwd",
        "--read-only-tmpfs",
        "--replace",
        "--rmi",
        "--rootfs",
        "--tls-verify",
        "--unsetenv-all",
    ]
)
_SHORT_SWITCHES = "ditPq"

#: Options before the command that take no value.
_GLOBAL_SWITCHES = frozenset(
    ["--debug", "-D", "--tls", "--tlsverify", "--remote", "-r", "--syslog"]
)

Ask = Callable[[str, Sequence[str]], str]
Content = Callable[[str], str]


class EngineRequest(NamedTuple):
    """One call that asks for containers. `labels` are as --filter takes them; `made` is the id,
    where a library returned it; all that is not known is empty.
    """

    client: str
    name: str = ""
    image: str = ""
    labels: Tuple[str, ...] = ()
    id_file: str = ""
    made: str = ""


class EngineContainer(NamedTuple):
    """One line of a client's list."""

    id: str
    name: str
    image: str

    @property
    def key(self) -> str:
        """The container's name, or the beginning of its id."""
        return self.name or self.id[:12]


class ContainerRecord(NamedTuple):
    """The requests of one process and its descendants. `before` has the ids of earlier containers,
    by client; `paths` where each client is; `environment` the variables that it got.
    """

    paths: Dict[str, str]
    before: Dict[str, Tuple[str, ...]]
    environment: Dict[str, str]
    requests: Tuple[EngineRequest, ...]


def record_of(lines: Iterable[Mapping[str, Any]]) -> ContainerRecord:
    """The record that was written down line by line; other lines are left out."""
    record = ContainerRecord({}, {}, {}, ())
    for line in lines:
        if "before" in line:
            record.paths[line["client"]] = line["path"]
            record.before[line["client"]] = tuple(line["before"])
            record.environment.update(line["environment"])
        elif "request" in line:
            request = EngineRequest(*line["request"])
            request = request._replace(labels=tuple(request.labels))
            record = record._replace(requests=(*record.requests, request))
    return record


def requests_of(words: Sequence[str], folder: str, project: str = "") -> List[EngineRequest]:
    """Return the requests of a command line, also of one that a shell runs. `compose` names its
    project after the `folder` where it runs, unless the environment names a `project`.
    """
    return [
        request
        for command in _commands(list(words))
        for request in [_request_of(command, folder, project)]
        if request is not None
    ]


def _commands(words: List[str]) -> Iterator[List[str]]:
    """The command itself, or those of a shell's text."""
    if len(words) < 3 or basename(words[0]) not in _SHELLS or words[1] not in ("-c", "-lc"):
        yield words
        return
    lexer = shlex.shlex(words[2], posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    command: List[str] = []
    try:
        for word in lexer:
            if set(word) <= _SEPARATORS:
                yield command
                command = []
            else:
                command.append(word)
    except ValueError:  # a quote that is never closed
        return
    yield command


def _request_of(words: List[str], folder: str, project: str) -> Optional[EngineRequest]:
    words = _without_prefix(words)
    program = basename(words[0]) if words else ""
    if program in COMPOSE:
        return _compose(program.split("-")[0], words[1:], folder, project)
    if program not in CLIENTS:
        return None
    rest = _after_options(words[1:], _GLOBAL_SWITCHES)
    if rest[:1] == ["container"]:
        rest = rest[1:]
    if rest[:1] == ["compose"]:
        return _compose(program, rest[1:], folder, project)
    return _run(program, rest[1:]) if rest[:1] in (["run"], ["create"]) else None


def _without_prefix(words: List[str]) -> List[str]:
    """Without `sudo -n` and `env A=1` before it."""
    while words and (
        basename(words[0]) in ("sudo", "env", "exec", "nohup", "setsid")
        or words[0].startswith("-")
        or re.match(r"\w+=", words[0])
    ):
        words = words[1:]
    return words


def _after_options(words: List[str], switches: Iterable[str]) -> List[str]:
    while words and words[0].startswith("-"):
        takes_next = words[0] not in switches and "=" not in words[0]
        words = words[2 if takes_next else 1 :]
    return words


def _run(client: str, words: List[str]) -> EngineRequest:
    """`run` and `create`: options, the image, and what is to run in it."""
    options: Dict[str, List[str]] = {}
    while words and words[0].startswith("-"):
        option, equals, value = words[0].partition("=")
        words = words[1:]
        if not option.startswith("--"):
            option, equals, value = _short(option + equals + value)
        if not equals and option and option not in _SWITCHES and words:
            value, words = words[0], words[1:]
        options.setdefault(option, []).append(value)
    labels = [*options.get("--label", ()), *options.get("-l", ())]
    return EngineRequest(
        client,
        (options.get("--name") or [""])[-1],
        words[0] if words else "",
        tuple(labels),
        (options.get("--cidfile") or [""])[-1],
    )


def _short(word: str) -> Tuple[str, str, str]:
    """The last option of a cluster such as `-dp8000:80`, with the value that it carries."""
    for at, letter in enumerate(word[1:], 1):
        if letter not in _SHORT_SWITCHES:
            value = word[at + 1 :].lstrip("=")
            return "-" + letter, "=" if value else "", value
    return "", "", ""


def _compose(client: str, words: List[str], folder: str, project: str) -> Optional[EngineRequest]:
    """`compose up` and its like: all its containers have the project's label."""
    while words and words[0].startswith("-"):
        option, equals, value = words[0].partition("=")
        words = words[1:]
        if not equals and option not in ("--verbose", "--dry-run", "--all-resources") and words:
            value, words = words[0], words[1:]
        if option in ("-p", "--project-name"):
            project = value
        elif option == "--project-directory" or (option in ("-f", "--file") and "/" in value):
            folder = value if option == "--project-directory" else dirname(value)
    if words[:1] not in (["up"], ["run"], ["create"], ["start"]):
        return None
    named = project or basename(abspath(folder))
    named = re.sub(r"[^a-z0-9_-]", "", named.lower()).lstrip("_-")
    return EngineRequest(client, labels=("%s=%s" % (PROJECT, named),))


def created(client: str, asked: object, made: Any) -> EngineRequest:
    """The request of a library: `asked` is the image, or a configuration of docker-py, `made` what
    was returned, a container or its description. Raises KeyError or AttributeError for others.
    """
    image = asked.get("Image", "") if isinstance(asked, dict) else str(asked)
    return EngineRequest(
        client, image=image, made=made["Id"] if isinstance(made, dict) else made.id
    )


def containers_of(
    record: ContainerRecord, ask: Ask, content: Content
) -> Dict[str, List[EngineContainer]]:
    """The containers that came of the requests and are still there, by client. `ask(client,
    words)` returns what the client prints, and raises where it fails; `content(path)` what is in a
    file, or nothing.
    """
    return {
        client: _of_client(client, record, ask, content)
        for client in sorted({request.client for request in record.requests})
        if client in record.before
    }


def _of_client(
    client: str, record: ContainerRecord, ask: Ask, content: Content
) -> List[EngineContainer]:
    requests = [request for request in record.requests if request.client == client]
    before = set(record.before[client])
    new = [container for container in listed(ask(client, LISTING)) if container.id not in before]
    if not new:
        return []
    names = {request.name for request in requests if request.name}
    ids = {content(request.id_file).strip() for request in requests if request.id_file}
    ids = (ids | {request.made for request in requests}) - {""}
    for request in requests:
        if not (request.name or request.id_file or request.made):
            for label in request.labels:
                ids.update(ask(client, (*LABELLED, "label=" + label)).split())
    ours = [container for container in new if container.name in names or container.id in ids]
    return ours + _by_image(requests, [container for container in new if container not in ours])


def _by_image(
    requests: Sequence[EngineRequest], others: Sequence[EngineContainer]
) -> List[EngineContainer]:
    """Those that only their image tells: none of an image of which more appeared than were asked
    for, since other programs may start it as well.
    """
    plain = [
        request.image
        for request in requests
        if not (request.name or request.id_file or request.labels or request.made)
    ]
    result = []
    for image in dict.fromkeys(plain):
        same = [container for container in others if same_image(container.image, image)]
        if len(same) <= plain.count(image):
            result += same
    return result


def listed(text: str) -> List[EngineContainer]:
    """Parse a client's output for LISTING."""
    rows = [line.split("\t") for line in text.splitlines()]
    return [EngineContainer(*row[:3]) for row in rows if len(row) >= 3]


def same_image(listed_as: str, asked_for: str) -> bool:
    """Return True if both are one image: an engine may add its registry and a tag."""
    full, short = (
        name[: -len(":latest")] if name.endswith(":latest") else name
        for name in (listed_as, asked_for)
    )
    return bool(short) and (full == short or full.endswith("/" + short))
