"""Runs what is said of a vectorizer in a new process, because most of it ends with workers that
hang or are killed.
"""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
from pathlib import Path
from typing import Any

PATIENCE = 120.0  # seconds for a whole process
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
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.01)
    return bool(condition())

def state(process):
    "The kernel's letter for a process: Z for a zombie; nothing when it is gone."
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


def run(python: str, folder: Path, head: str, body: str) -> dict[str, Any]:
    """What the body told. Its stderr is under the key `stderr`."""
    environment = {**os.environ, "STATEMENT_LOG": str(folder / "log")}
    words = [python, "-c", HEAD + head + textwrap.dedent(body)]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment,
        cwd=folder,
        check=False,
    )
    assert done.stdout, done.stderr
    return {**json.loads(done.stdout), "stderr": done.stderr}
