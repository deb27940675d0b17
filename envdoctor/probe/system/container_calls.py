"""Calls of the subject that ask a container engine for containers, and the containers that exist.

What is asked for is written down in a file of the probe's own folder, by any process of the
subject's: the sensor reads it, and so does the doctor, who removes what is left. One audit hook,
only where a client is installed and the subject's code or what it imports speaks of one.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import re
import shutil
import subprocess
import sys
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
)

from envdoctor.model import container_clients
from envdoctor.model.container_clients import (
    CLIENTS,
    LISTING,
    RECORD,
    VARIABLES,
    ContainerRecord,
    EngineContainer,
    EngineRequest,
)
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.system import family

Write = Callable[[Dict[str, Any]], object]
Place = Mapping[str, object]
PlaceOf = Callable[[object, Callable[[str], bool]], Optional[Place]]

PATIENCE = 20.0  # seconds for one answer of a client

_SPEAKS_OF_ONE = re.compile(rb"\b(docker|podman)", re.IGNORECASE)
_MODULES = frozenset(("docker", "podman", "testcontainers"))
_OFTEN = "containers"  # a module of lists and dicts in most packages, in some one that starts them
MAX_FILES, MAX_BYTES = 500, 1 << 18

_CONNECTION = "socket.connect"
_HEARD = frozenset((_CONNECTION, "subprocess.Popen", "os.posix_spawn", "os.exec", "os.system"))

#: Where libraries ask an engine themselves: module, class and method that creates a container, and
#: the client that lists it.
_LIBRARIES = (
    ("docker.api.container", "ContainerApiMixin", "create_container_from_config", "docker"),
    ("podman.domain.containers_create", "CreateMixin", "create", "podman"),
)

#: Kept from before the subject may replace it, so that it does not see ours.
_Popen = subprocess.Popen


class UnknownCall(Exception):
    """A client did not answer, or not in time."""


class _Following:
    """State of the audit hook in this process. `active` is False before `follow`."""

    def __init__(self) -> None:
        self.active = False
        self.hooked = False
        self.path = ""
        self.write: Optional[Write] = None
        self.place: Callable[[object], Optional[Place]] = lambda _frame: None
        self.silent = ""  # why no client is asked any more

    def __call__(self, event: str, arguments: Tuple[object, ...]) -> None:
        """The audit hook. Never raises: an error here would be an error of the environment. Each
        `id()` is an event as well: what is not heard costs next to nothing.
        """
        if event not in _HEARD or not self.active:
            return
        with contextlib.suppress(Exception):
            if event == _CONNECTION:  # a library that was imported late
                follow_libraries()
            else:
                self._hear(event, arguments)

    def _hear(self, event: str, arguments: Tuple[object, ...]) -> None:
        frame = sys._getframe(2)
        # subprocess tells by itself what it has posix_spawn() start.
        if event == "os.posix_spawn" and frame.f_code.co_filename == subprocess.__file__:
            return
        words, folder = _command(event, arguments)
        named = os.getenv("COMPOSE_PROJECT_NAME", "")
        for request in container_clients.requests_of(words, folder, named):
            self.tell(request, frame)

    def tell(self, request: EngineRequest, frame: object) -> None:
        """Write down what was asked for, and which line of the subject's asked."""
        _append(self.path, {"request": request})
        place = self.place(frame)
        if place is not None and self.write is not None:
            target = request.name or request.image or " ".join(request.labels) or request.made
            self.write(
                {"event": "acquisition", "what": "container", "target": target, "frame": place}
            )


_following = _Following()


def clients() -> Dict[str, str]:
    """The clients that are installed, and where."""
    paths = {name: shutil.which(name) for name in CLIENTS}
    return {name: path for name, path in paths.items() if path}


def follow(folder: str, write: Write, ownership: Ownership, place_of: PlaceOf) -> None:
    """From here on, note what this process and what it forks ask for, in a file of `folder`, and
    tell `write` which line asked: `place_of(frame, is_users)` finds it. Nothing where no client is
    installed, or the code speaks of none.
    """
    _following.write, _following.place = write, lambda frame: place_of(frame, ownership.is_users)
    if _following.active:
        return
    installed = clients()
    if not installed or not speaks_of_a_client(ownership):
        return
    _following.path = os.path.join(folder, RECORD)
    if not os.path.exists(_following.path):
        _begin(installed)
    if not _following.hooked:
        sys.addaudithook(_following)
        _following.hooked = True
    _following.active = True
    follow_libraries()


def follow_libraries() -> None:
    """Have the libraries that are loaded and speak to an engine themselves tell what they create,
    once each.
    """
    for module, owner, name, client in _LIBRARIES:
        kind = getattr(sys.modules.get(module), owner, None)
        method = getattr(kind, name, None)
        if method is not None and not hasattr(method, "__wrapped__"):
            setattr(kind, name, _telling(method, client))


def _telling(method: Callable[..., object], client: str) -> Callable[..., object]:
    @functools.wraps(method)
    def create(*arguments: object, **options: object) -> object:
        made = method(*arguments, **options)
        with contextlib.suppress(Exception):
            asked = arguments[1] if len(arguments) > 1 else ""
            request = container_clients.created(client, asked, made)
            _following.tell(request, sys._getframe(1))
        return made

    return create


def is_followed() -> bool:
    """Return whether the subject may ask for containers here."""
    return _following.active


def speaks_of_a_client(ownership: Ownership) -> bool:
    """Return whether the subject's own code names a client, or a loaded module speaks to one."""
    return _looked_at.speak(ownership.roots, ownership.is_users)


def look_at_libraries() -> None:
    """Look at what is loaded now, for the processes that are forked from here: none of it is the
    subject's.
    """
    if clients():
        _looked_at.speak((), lambda _file: False)


class _LookedAt:
    """The modules that were looked at, here or in a process that this was forked from: there are
    thousands where PyTorch is, and each scenario would look at all of them again.
    """

    def __init__(self) -> None:
        self.roots: Tuple[str, ...] = ()
        self.names: Set[str] = set()
        self.speaks = False

    def speak(self, roots: Tuple[str, ...], is_users: Callable[[str], bool]) -> bool:
        """Look at the modules that were not looked at. Return whether one of those speaks to a
        client, or of one where it is the subject's, or one that was looked at did.
        """
        if self.roots and roots != self.roots:  # what was a library may be the subject's now
            self.names.clear()
            self.speaks = False
        self.roots = roots
        loaded = {
            name: module
            for name, module in list(sys.modules.items())
            if name not in self.names and not name.startswith("envdoctor.")
        }
        self.names.update(loaded)
        self.speaks = (
            self.speaks
            or any(_speaks(name.split("."), module) for name, module in loaded.items())
            or any(map(_names_one, _own_files(loaded.values(), is_users)))
        )
        return self.speaks


_looked_at = _LookedAt()


def _speaks(parts: Sequence[str], module: object) -> bool:
    """Return whether a module is a client's, or one that starts containers."""
    if not _MODULES.isdisjoint(parts):
        return True
    file = getattr(module, "__file__", None) if _OFTEN in parts else None
    return isinstance(file, str) and _names_one(file)


def _own_files(modules: Iterable[object], is_users: Callable[[str], bool]) -> Iterator[str]:
    """The files of the subject's own modules, and those that lie beside them in its packages."""
    visited: Set[str] = set()
    for module in modules:
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not is_users(file):
            continue
        folder = os.path.dirname(file)
        beside = _listed(folder) if getattr(module, "__path__", None) else []
        for path in (file, *beside):
            if path.endswith(".py") and path not in visited and len(visited) < MAX_FILES:
                visited.add(path)
                yield path


def _listed(folder: str) -> List[str]:
    try:
        return [os.path.join(folder, name) for name in os.listdir(folder)]
    except OSError:
        return []


def _names_one(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return _SPEAKS_OF_ONE.search(file.read(MAX_BYTES)) is not None
    except OSError:
        return False


def _begin(installed: Dict[str, str]) -> None:
    """Write down what is there before. A client that does not answer now has no engine behind it,
    and is not asked again.
    """
    environment = {name: os.environ[name] for name in VARIABLES if name in os.environ}
    for client, path in installed.items():
        try:
            there = [container.id for container in container_clients.listed(_ask(path, LISTING))]
        except UnknownCall:
            continue
        line = {"client": client, "path": path, "before": there, "environment": environment}
        _append(_following.path, line)


def present() -> Dict[str, List[EngineContainer]]:
    """The containers that the subject asked for and that exist, by client. Raises UnknownCall."""
    if not _following.active:
        return {}
    if _following.silent:
        raise UnknownCall(_following.silent)
    record = _record()
    if not record.requests:
        return {}
    try:
        by_client = container_clients.containers_of(
            record, lambda client, words: _ask(record.paths[client], words), _content
        )
    except UnknownCall as error:
        _following.silent = str(error)
        raise
    family.know_containers(each.id for containers in by_client.values() for each in containers)
    return by_client


def _record() -> ContainerRecord:
    lines = _content(_following.path).splitlines()
    return container_clients.record_of(json.loads(line) for line in lines if line.endswith("}"))


def _ask(path: str, words: Sequence[str]) -> str:
    try:
        process = _Popen(
            [path, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with process:
            try:
                text = process.communicate(timeout=PATIENCE)[0]
            except subprocess.TimeoutExpired:
                process.kill()
                raise UnknownCall("%s did not answer in %d s" % (path, PATIENCE)) from None
    except OSError as error:
        raise UnknownCall("%s cannot be run: %s" % (path, error)) from error
    if process.returncode:
        raise UnknownCall("%s %s ended with %d" % (path, words[0], process.returncode))
    return text.decode("utf-8", "replace")


def _command(event: str, arguments: Tuple[Any, ...]) -> Tuple[List[str], str]:
    """The words of a command, and the folder that it runs in."""
    folder = os.getcwd()
    if event == "os.system":
        return ["sh", "-c", os.fsdecode(arguments[0])], folder
    executable, words = arguments[:2]
    if event == "subprocess.Popen" and arguments[2]:
        folder = os.path.join(folder, os.fsdecode(arguments[2]))
    listed = list(words) if isinstance(words, (list, tuple)) else [words or executable]
    return [os.fsdecode(word) for word in listed], folder


def _append(path: str, line: Mapping[str, object]) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        os.write(descriptor, (json.dumps(line) + "\n").encode())
    finally:
        os.close(descriptor)


def _content(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
