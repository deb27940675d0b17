"""Runs what is said of a vectorizer in a new process, because most of it ends with workers that
hang or are killed.
"""

from __future__ import annotations

import json
import os
import selectors
import signal
import socket
import subprocess
import textwrap
import time
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 600.0  # seconds for a whole process; a call that must come back has as long as that
ROOT = Path(__file__).parents[2]

HEAD = """
import collections, gc, json, multiprocessing, os, signal, sys, threading, time
import gymnasium, numpy

LOG = os.environ["STATEMENT_LOG"]
MAIN = os.getpid()

def log(word):
    with open(LOG, "a") as file:
        file.write("%d %s\\n" % (os.getpid(), word))

def logged(word, parent=None):
    "How often a word was logged: in the parent (True), in workers (False), or in all."
    lines = [line.split() for line in open(LOG)] if os.path.exists(LOG) else []
    return sum(found == word and parent in (None, int(pid) == MAIN) for pid, found in lines)

class Env(gymnasium.Env):
    "Counts its rewards from 1; `acts` are called before the method of their name."
    observation_space = gymnasium.spaces.Box(-1.0, 1.0, (1,), numpy.float32)
    action_space = gymnasium.spaces.Discrete(2)
    metadata = {"render_modes": []}

    def __init__(self, **acts):
        self.acts, self.steps = acts, 0
        if "make" in acts:
            acts["make"]()
        log("made")

    def do(self, name):
        self.acts.get(name, lambda: None)()

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.steps = 0
        self.do("reset")
        return numpy.zeros(1, numpy.float32), {}

    def step(self, action):
        self.do("step")
        self.steps += 1
        return numpy.zeros(1, numpy.float32), float(self.steps), False, False, {}

    def close(self):
        log("closing")
        self.do("close")
        log("closed")

def factories(count, bad=None, **acts):
    "As many factories; the one with the index `bad` has the acts, in workers only."
    def build(index):
        return Env(**(acts if index == bad and os.getpid() != MAIN else {}))
    return [lambda index=index: build(index) for index in range(count)]

def fail(text="on purpose"):
    raise RuntimeError(text)

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def sleep_for_ever():
    threading.Event().wait()

def outcome(call, patience=30.0):
    "`ok`, the name of what it raised, or `hangs`."
    told = []
    def run():
        try:
            call()
            told.append("ok")
        except BaseException as error:
            told.append(type(error).__name__)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(patience)
    return told[0] if told else "hangs"

def until(condition, patience=20.0):
    "Wait for what other processes do."
    deadline = time.monotonic() + patience
    while True:
        holds = bool(condition())  # once each time: what holds for a moment may be over then
        if holds or time.monotonic() > deadline:
            return holds
        time.sleep(0.01)

def state(process):
    "The kernel's letter for a process at rest: Z for a zombie; nothing when it is gone."
    # One that is about to wait is R for a moment, on a busy machine for longer.
    letters = []
    def rests():
        letters.append(letter(process))
        return letters[-1] not in ("R", "D")
    until(rests)
    return letters[-1]

def letter(process):
    try:
        return open("/proc/%d/stat" % process.pid).read().rpartition(")")[2].split()[0]
    except OSError:
        return ""

def descriptors():
    return len(os.listdir("/proc/self/fd"))

def pinned_by(launch):
    "How many descriptors each of three that were closed keeps, and how many are left once they were collected."
    kept = [launch()]
    kept.pop().close()
    gc.collect()
    numbers = [descriptors()]
    for _ in range(3):
        kept.append(launch())
        kept[-1].close()
        numbers.append(descriptors())
    kept.clear()
    gc.collect()
    return [later - earlier for earlier, later in zip(numbers, numbers[1:])], descriptors() - numbers[0]

SHORT = 1.5  # seconds after which a call counts as one that hangs, where that is what is said of it

def tell(**value):
    sys.stdout.write(json.dumps(value))
    sys.stdout.flush()
    for process in list(multiprocessing.process._children):
        process.kill()
    os._exit(0)
"""


#: What the process is that holds the framework. It imports once, and each statement runs in a fork
#: of it: a new process, as it was right after the import, without the seconds that an import takes.
HOLDER = """
import array, json, os, signal, socket, sys, traceback

def hold(channel):
    while True:
        message, rights, _, _ = channel.recvmsg(1 << 20, socket.CMSG_SPACE(2 * 4))
        if not message:
            return
        streams = array.array("i", rights[0][2])
        child = os.fork()
        if child == 0:
            channel.close()
            for number, stream in enumerate(streams, start=1):
                os.dup2(stream, number)
                os.close(stream)
            return json.loads(message)
        for stream in streams:
            os.close(stream)
        channel.send(str(child).encode())
        os.waitpid(child, 0)

def state_it():
    asked = hold(socket.socket(fileno=int(sys.argv.pop())))
    if asked is None:
        return
    os.chdir(asked["folder"])
    os.environ["STATEMENT_LOG"] = asked["log"]
    globals().update(LOG=asked["log"], MAIN=os.getpid())
    exec(compile(asked["body"], "<string>", "exec"), globals())

state_it()
"""


def fixtures(python: str, head: str) -> tuple[Any, Any]:
    """The fixtures of a module of statements: the process that holds its framework, and what the
    body of a statement tells.
    """

    @pytest.fixture(scope="module")
    def holder() -> Iterator[Holder]:
        with closing(Holder(python, head)) as holder:
            yield holder

    @pytest.fixture
    def told(holder: Holder, tmp_path: Path) -> Any:
        return partial(holder.told, tmp_path)

    return holder, told


class Holder:
    """A process that has imported a framework, for the statements of one module."""

    def __init__(self, python: str, head: str) -> None:
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [python, "-c", HEAD + head + HOLDER, str(theirs.fileno())],
                env={**os.environ, "STATEMENT_LOG": os.devnull},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def told(self, folder: Path, body: str) -> dict[str, Any]:
        """Return the reports of the body. Its stderr is under the key `stderr`."""
        asked = {
            "folder": str(folder),
            "log": str(folder / "log"),
            "body": textwrap.dedent(body),
        }
        (out, out_end), (err, err_end) = os.pipe(), os.pipe()
        message = json.dumps(asked).encode()
        socket.send_fds(self._channel, [message], [out_end, err_end])
        os.close(out_end)
        os.close(err_end)
        self._channel.settimeout(PATIENCE)
        child = int(self._channel.recv(64))
        stdout, stderr = read_all(child, out, err)
        assert stdout, stderr
        return {**json.loads(stdout), "stderr": stderr}

    def close(self) -> None:
        """Let it end."""
        self._channel.close()
        self._process.wait(PATIENCE)


def read_all(child: int, *streams: int) -> list[str]:
    """Read pipes until no process has them open any more. Kill the child where that takes too long."""
    texts = dict.fromkeys(streams, b"")
    deadline = time.monotonic() + PATIENCE
    with selectors.DefaultSelector() as waiting:
        for stream in streams:
            waiting.register(stream, selectors.EVENT_READ)
        while waiting.get_map():
            ready = waiting.select(deadline - time.monotonic())
            if not ready:
                os.kill(child, signal.SIGKILL)
                raise TimeoutError(f"the statement took {PATIENCE:.0f} s: {texts}")
            for key, _ in ready:
                piece = os.read(key.fd, 1 << 16)
                texts[key.fd] += piece
                if not piece:
                    waiting.unregister(key.fd)
    for stream in streams:
        os.close(stream)
    return [text.decode() for text in texts.values()]
