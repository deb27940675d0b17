"""A template process: imports once what the scenarios of a subject need besides its own code, then
forks a probe, or another template, for each request.

Requests arrive on a socket, each with five descriptors: the guard's COMMAND and REPORT, the child's
own control or request, and its standard output and error. For each one, a middle process is forked.
It forks the child and becomes that child's guard by exec, so that the family of a probe is as it
would be without a template. The answer is the guard's process id.
"""

from __future__ import annotations

import array
import ctypes
import json
import os
import socket
import sys
from typing import List, Optional, Sequence, Tuple

from envdoctor.model.preload import Preload
from envdoctor.model.template_request import ADOPT, DESCRIPTORS, SUBREAPER, ForkRequest, Readiness
from envdoctor.probe import adapters, loaded, preloading, stacks
from envdoctor.probe.frameworks import shapes
from envdoctor.probe.growth.settle import leave_out_libraries
from envdoctor.probe.sensors import Context, Sensors, home, of_process
from envdoctor.probe.system import container_calls, fork_safety
from envdoctor.probe.tracing import effects

MESSAGE = 1 << 16  # bytes of the longest request
MARK = "ENVDOCTOR_MARK"


class _Address:
    """Address of the mark of this process as the kernel reads it. Its children overwrite it."""

    def __init__(self) -> None:
        getenv = ctypes.CDLL(None).getenv
        getenv.restype = ctypes.c_void_p
        self._at: Optional[int] = getenv(MARK.encode())
        self._size = len(os.environ.get(MARK, ""))

    def write(self, mark: str) -> None:
        """Let /proc/self/environ show another mark of the same length."""
        if self._at and len(mark) == self._size:
            ctypes.memmove(self._at, mark.encode(), self._size)


class Template:
    """The imports of one template process. `control` is its socket."""

    def __init__(self, control: int, imports: str) -> None:
        self.control = socket.socket(fileno=control)
        self.by_chance: List[object] = []
        self.files: List[fork_safety.ReadFile] = []
        self.control.send(self._prepare(imports).encoded())

    def _prepare(self, imports: str) -> Readiness:
        """Import, and see whether a fork is like a new process."""
        adapters.own_modules()
        shapes.known()
        sensors = Sensors(Context(home(), os.getppid()))
        before = sensors.read_all(of_process())
        try:
            preload = Preload.read(imports)
        except (OSError, ValueError) as error:
            return Readiness("its list of imports cannot be read: %s" % error)
        known = (self.control.fileno(), *stacks.descriptors())
        objection = (
            fork_safety.forbidden(preload.modules)
            or preloading.load(preload)
            or fork_safety.objection(known)
        )
        after = sensors.read_all(of_process())
        self.by_chance = preloading.seeded_by_chance(preload)
        self.files = fork_safety.read_files(known)
        changed = [
            name
            for name, reading in after.items()
            if any(effects.changes({name: before.get(name)}, {name: reading}))
        ]
        if not objection and _files():
            objection = "the imports made the file %s" % _files()[0]
        try:  # each child does it again
            preloading.seed_anew(self.by_chance)
        except Exception as error:
            objection = objection or "a random generator cannot be seeded anew: %s" % error
        if not objection and not fork_safety.threads_come_back():
            objection = "native threads of the imports do not come back after a fork"
        container_calls.look_at_libraries()
        leave_out_libraries()  # children walk through what is their own: the rest stays shared
        return Readiness(objection, tuple(changed))

    def renew(self) -> None:
        """In a child: have what a new process would not share with others."""
        preloading.seed_anew(self.by_chance)
        for file in self.files:
            file.open_anew()

    def receive(self) -> Optional[Tuple[ForkRequest, List[int]]]:
        """The next request and its descriptors; None when the doctor has no more."""
        numbers = array.array("i")
        room = socket.CMSG_SPACE(DESCRIPTORS * numbers.itemsize)
        data, ancillary, _, _ = self.control.recvmsg(MESSAGE, room)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
        for number in numbers:
            os.set_inheritable(number, False)
        return (ForkRequest.decode(data.decode()), list(numbers)) if data else None

    def answer(self, pid: int) -> None:
        """Name the guard that was started."""
        self.control.send(json.dumps(pid).encode())


def serve(control: int, imports: str) -> int:
    """Fork a child for each request until there are no more, which ends this process. Returns in
    the probes that were forked, with the descriptor of their requests.
    """
    address = _Address()
    template = Template(control, imports)
    while True:
        received = template.receive()
        if received is None:
            os._exit(0)
        request, numbers = received
        _flush()
        pid = os.fork()
        if pid:
            for number in numbers:
                os.close(number)
            template.answer(pid)
            _reap()
            continue
        mine = _become_child(request, numbers, address)
        template.control.close()
        template.renew()
        if not request.imports:
            fork_safety.start_native_threads()
            return mine
        template = Template(mine, request.imports)


def _become_child(request: ForkRequest, numbers: Sequence[int], address: _Address) -> int:
    """In the middle process: fork the child, in which this returns its own descriptor, and become
    its guard.
    """
    command, report, mine, stdout, stderr = numbers
    os.setsid()
    os.chdir(os.path.join(request.home, "cwd"))
    os.dup2(stdout, 1)
    os.dup2(stderr, 2)
    os.close(stdout)
    os.close(stderr)
    environment = {**os.environ, **request.environment}
    if sys.platform == "linux":  # the guard keeps it through exec, and the child does not have it
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child:
        try:
            for number in (command, report, mine):
                os.set_inheritable(number, True)
            numbers_of_guard = map(str, (command, report, mine))
            words = [*request.guard, *numbers_of_guard, *request.named, ADOPT, str(child)]
            os.execve(words[0], words, environment)  # noqa: S606
        finally:
            os._exit(127)
    os.setsid()
    os.close(command)
    os.close(report)
    os.environ.update(request.environment)
    address.write(request.environment[MARK])
    stacks.arm_again()
    _forget_folders()
    return mine


def _flush() -> None:
    """Write out what the imports printed, which each child would write again."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
    ctypes.CDLL(None).fflush(None)


def _forget_folders() -> None:
    """`tempfile` remembers the folder that it found first."""
    tempfile = loaded.module("tempfile")
    if tempfile is not None:
        tempfile.tempdir = None


def _reap() -> None:
    """Take away the guards that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return


def _files() -> List[str]:
    """Return the files in the folders that a probe finds empty."""
    return [name for folder in ("cwd", "tmp") for name in os.listdir(os.path.join(home(), folder))]
