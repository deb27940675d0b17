"""Probes that are forked from a template: each is like a process of its own, or is one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import QUICK, processes_of

from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import FILE, Subject
from envdoctor.model.trace import FINISHED, SIGNALLED
from envdoctor.run.supervise import templates
from envdoctor.run.supervise.bundle import write_bundle
from envdoctor.run.supervise.launcher import (
    COLD,
    CONFIRMS,
    DIES_FORKED,
    FIRST,
    HASHES,
    WATCHED,
    Launcher,
)
from envdoctor.run.supervise.session import Session
from envdoctor.run.supervise.templates import Templates
from tests.support.waiting import until

LIFE = "make reset step:3 close drop"
ENVIRONMENT = """
import gymnasium
import numpy
{imports}


class Mirror(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        {reset}
        return 0, {{}}

    def step(self, action):
        return 0, 0.0, False, False, {{}}
"""
FACTS = """
import gc, json, os, random, resource, signal, sys, tempfile, threading, time

def facts():
    def read(path):
        with open(path, "rb") as file:
            return file.read()

    def link(number):
        try:
            return os.readlink("/proc/self/fd/" + number).split(":")[0]
        except OSError:
            return ""

    def parent_of_orphan():
        reading, writing = os.pipe()
        if os.fork() == 0:
            middle = os.getpid()
            if os.fork() == 0:
                while os.getppid() == middle:
                    time.sleep(0.001)
                os.write(writing, str(os.getppid()).encode())
            os._exit(0)
        os.wait()
        os.close(writing)
        with os.fdopen(reading) as answer:
            return int(answer.read())

    home = os.path.dirname(os.environ["TMPDIR"])
    variables = dict(part.partition(b"=")[::2] for part in read("/proc/self/environ").split(b"\\0"))
    return {
        "leads its session": os.getsid(0) == os.getpid(),
        "parent": read("/proc/%d/cmdline" % os.getppid()).split(b"\\0")[:4][-1].decode(),
        "guard adopts": parent_of_orphan() == os.getppid(),
        "parent's stdin": os.readlink("/proc/%d/fd/0" % os.getppid()),
        "mark": variables[b"ENVDOCTOR_MARK"].decode() == os.environ["ENVDOCTOR_MARK"],
        "folder": os.getcwd() == os.path.join(home, "cwd"),
        "temporary": tempfile.gettempdir() == os.environ["TMPDIR"],
        "empty": [os.listdir(os.path.join(home, name)) for name in ("cwd", "tmp")],
        "variables": sorted(os.environ),
        "hash": hash("text"),
        "argv": sys.argv,
        "path": [place.rsplit("/", 1)[-1] for place in sys.path],
        "main": sys.modules["__main__"].__name__,
        "descriptors": sorted(filter(None, map(link, os.listdir("/proc/self/fd"))))
        and sorted(link(number).replace(home, "") for number in os.listdir("/proc/self/fd")),
        "native threads": len(os.listdir("/proc/self/task")),
        "threads": [thread.name for thread in threading.enumerate()],
        "handlers": {str(number): str(signal.getsignal(number)) for number in range(1, 32)},
        "masked": sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, ()))),
        "timers": [signal.getitimer(kind) for kind in range(3)],
        "limits": [resource.getrlimit(kind) for kind in range(10)],
        "collector": [gc.get_threshold(), gc.isenabled(), gc.callbacks],
        "killed first": read("/proc/self/oom_score_adj").decode(),
        "stacks": open(os.environ["ENVDOCTOR_STACKS"]).read(),
    }
"""


@dataclass
class Doctor:
    """A session whose probes are forked, on an environment that is written for a test."""

    session: Session
    launcher: Launcher
    folder: Path
    written: int = 0

    def play(
        self, *, imports: str = "", reset: str = "pass", kept: bool = False, **scenario: Any
    ) -> str:
        """Play a life of the environment in a new probe, or in the one before; how it ended."""
        file = self.folder / "mirror.py"
        file.write_text(ENVIRONMENT.format(imports=imports, reset=reset))
        self.written += 1  # a text of the same size in the same second would be the earlier one
        os.utime(file, (self.written, self.written))
        if not kept:
            self.session.renew()
        places = (str(self.folder / "site-packages"),)
        subject = Subject("mirror.py", FILE, path=str(file), search_path=places)
        trace = self.session.play(subject, Scenario("reopen", LIFE, **scenario), 0)
        raised = list(trace.verbs("reset", "raised"))
        assert not raised, raised[0]
        return trace.outcome.kind

    def library(self, text: str) -> None:
        """Install a library that is called `lib`."""
        place = self.folder / "site-packages"
        place.mkdir(exist_ok=True)
        (place / "lib.py").write_text(text)


@contextmanager
def doctor(folder: Path, cold: bool = False) -> Iterator[Doctor]:
    with tempfile.TemporaryDirectory() as parent:
        run = Path(parent, "run")
        run.mkdir()
        bundle = write_bundle(run)
        with (
            closing(Templates(sys.executable, bundle, run, run)) as forking,
            Session(
                sys.executable,
                QUICK,
                bundle,
                run,
                launcher=Launcher(sys.executable, bundle, run, run, None if cold else forking),
            ) as session,
        ):
            yield Doctor(session, session._launcher, folder)
        assert processes_of(parent) == []


WRITE = "import json, facts; json.dump(facts.facts(), open({file!r}, 'w'))"


def facts_of(folder: Path, cold: bool) -> dict[str, Any]:
    """Facts on the second probe of an environment."""
    (folder / "facts.py").write_text(FACTS)
    file = folder / f"facts-{cold}.json"
    with doctor(folder, cold) as patient:
        patient.play()
        patient.play(reset=WRITE.format(file=str(file)))
        assert patient.launcher.forked == (0 if cold else 1)
    return dict(json.loads(file.read_text()))


@pytest.mark.always
def test_forked_probe_is_like_a_process_of_its_own(tmp_path: Path) -> None:
    forked, own = facts_of(tmp_path, cold=False), facts_of(tmp_path, cold=True)
    assert forked == own
    assert forked["mark"]
    assert forked["leads its session"]
    assert forked["guard adopts"]


SHARED = """
import random, numpy
SEEDED, CHANCE = random.Random(7), random.Random()
ARRAYS, FIXED = numpy.random.default_rng(), numpy.random.default_rng(7)
"""
DRAW = """
        import json, lib, random
        drawn = {{
            "by chance": [lib.CHANCE.random(), lib.ARRAYS.random(), numpy.random.random(), random.random()],
            "seeded": [lib.SEEDED.random(), float(lib.FIXED.random())],
        }}
        json.dump(drawn, open({file!r}, "w"))
"""


def test_forked_probes_draw_by_chance_what_processes_of_their_own_would(tmp_path: Path) -> None:
    drawn = []
    with doctor(tmp_path) as patient:
        patient.library(SHARED)
        for number in range(3):
            file = tmp_path / f"{number}.json"
            patient.play(imports="import lib", reset=DRAW.format(file=str(file)).strip())
            drawn.append(json.loads(file.read_text()))
        assert patient.launcher.forked == 2
    first, second, third = drawn
    assert first["seeded"] == second["seeded"] == third["seeded"]
    for numbers in zip(*(each["by chance"] for each in drawn), strict=True):
        assert len(set(numbers)) == 3


ODD_GENERATOR = """
import random
Odd = type("Odd", (random.Random,), {"seed": lambda self, number: None})
ODD = Odd(1)
random.Random.setstate(ODD, random.Random().getstate())
"""
OBJECTIONS = {
    "thread": (
        "import threading, time; threading.Thread(target=time.sleep, args=(9,), daemon=True).start()",
        "the Python thread",
    ),
    "child": (
        "import subprocess; CHILD = subprocess.Popen(['sleep', '600'])",
        "the imports started a process",
    ),
    "socket": (
        "import socket; SOCKET = socket.create_server(('127.0.0.1', 0))",
        "the imports opened socket",
    ),
    "pipe": ("import os; PIPE = os.pipe()", "the imports opened pipe"),
    "file": (
        "import tempfile; FILE = tempfile.TemporaryFile()",
        "the imports opened",
    ),
    "left": (
        "import tempfile; FILE = tempfile.mkstemp(); import os; os.close(FILE[0])",
        "the imports made the file",
    ),
    "memory": (
        "import mmap; MEMORY = mmap.mmap(-1, 4096)",
        "the imports mapped shared memory",
    ),
    "timer": (
        "import signal; signal.setitimer(signal.ITIMER_REAL, 600.0)",
        "the imports set a timer",
    ),
    "project": ("import neighbor", "the libraries import neighbor"),
    "generator": (
        ODD_GENERATOR,
        "a random generator cannot be seeded anew",
    ),
    "grpc": ("import sys, types; sys.modules['grpc'] = types.ModuleType('grpc')", "grpc must not"),
}


@pytest.mark.everything(but=["thread", "left", "project"])
@pytest.mark.parametrize(("library", "words"), OBJECTIONS.values(), ids=OBJECTIONS)
def test_imports_that_a_fork_does_not_copy_are_made_anew(
    library: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "neighbor.py").write_text("")
    with doctor(tmp_path) as patient:
        patient.library(library)
        for _ in range(2):
            assert patient.play(imports="import lib") == FINISHED
        assert patient.launcher.forked == 0
        assert [words in reason for reason in patient.launcher.started] == [False, True]


def test_file_that_an_import_reads_is_opened_anew(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("abcdef")
    read = tmp_path / "read.txt"
    with doctor(tmp_path) as patient:
        patient.library(f"FILE = open({str(tmp_path / 'data.txt')!r}); FILE.buffer.raw.read(2)")
        for _ in range(3):
            patient.play(
                imports="import lib",
                reset=f"open({str(read)!r}, 'a').write(lib.FILE.buffer.raw.read(2).decode())",
            )
        assert patient.launcher.forked == 2
    assert read.read_text() == "cd" * 3


GUARDS = """
import os

def parent(pid):
    with open("/proc/%d/stat" % pid) as file:
        return int(file.read().rpartition(")")[2].split()[1])

def template():
    return parent(os.getppid())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_template_that_an_environment_ends_costs_no_other_scenario(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(templates, "ANSWER", 0.5)
    (tmp_path / "guards.py").write_text(GUARDS)
    end = f"import guards, os; os.kill(guards.template(), {int(number)})"
    with doctor(tmp_path) as patient:
        assert patient.play() == FINISHED
        assert patient.play(reset=end) == FINISHED
        assert patient.play() == FINISHED
        assert patient.play() == FINISHED
        assert patient.launcher.forked >= 2


def test_scenario_that_a_fork_cannot_play_gets_its_own_process(tmp_path: Path) -> None:
    with doctor(tmp_path) as patient:
        patient.play()
        patient.play(hash_seed=1)
        assert patient.launcher.started[HASHES] == 1
        subject = Subject("mirror.py", FILE, path=str(tmp_path / "mirror.py"))
        patient.session.renew()
        patient.session.play(subject, Scenario("survey", "survey"), 0)
        assert patient.launcher.started[WATCHED] == 1
        patient.session.renew()
        watches = (("watches", ("signals",)),)
        patient.session.play(subject, Scenario("survey", "survey", options=watches), 0)
        assert patient.launcher.forked == 1


def test_death_of_a_fork_does_not_count_where_a_new_process_lives(tmp_path: Path) -> None:
    with doctor(tmp_path) as patient:
        patient.library("import os\nBORN = os.getpid()\n")
        dies = "os.getpid() == lib.BORN or os.kill(os.getpid(), 11)"
        ends = [patient.play(imports="import lib, os", reset=dies) for _ in range(3)]
        assert ends == [FINISHED] * 3
        assert patient.launcher.forked == 1
        assert patient.launcher.started == {FIRST: 1, CONFIRMS: 1, DIES_FORKED: 1}


def test_death_that_a_new_process_dies_as_well_is_asked_for_once(tmp_path: Path) -> None:
    with doctor(tmp_path) as patient:
        patient.play()
        dies = "import os; os.kill(os.getpid(), 11)"
        assert [patient.play(reset=dies) for _ in range(2)] == [SIGNALLED] * 2
        assert patient.launcher.started == {FIRST: 1, CONFIRMS: 1}
        assert patient.launcher.forked == 2


def test_death_after_many_lives_counts_though_a_new_process_lives(tmp_path: Path) -> None:
    with doctor(tmp_path) as patient:
        patient.play()
        patient.library("LIVES = []\n")
        third = "lib.LIVES.append(1); len(lib.LIVES) < 3 or os.kill(os.getpid(), 11)"
        ends = [patient.play(imports="import lib, os", reset=third, kept=n > 0) for n in range(5)]
        assert ends[2] == SIGNALLED
        assert ends[3:] == [FINISHED] * 2, "the probe in which it was confirmed is not used again"
        assert patient.launcher.forbidden == ""


FINALIZER = """
import os, threading

class Log:
    def __init__(self, path):
        self.path, self.mkdir = path, os.mkdir

    def __del__(self):
        self.mkdir(self.path)

LOG = Log({path!r})
"""
#: A thread is left, so that the probe is not used again.
DIRTY = "threading.Thread(target=threading.Event().wait, daemon=True).start()"


@pytest.mark.parametrize(
    ("cold", "leaves", "is_freed"),
    [(False, "", False), (False, "; os.open(os.devnull, os.O_RDONLY)", True), (True, "", True)],
    ids=["forked", "forked, with something open", "new"],
)
def test_only_a_fork_with_nothing_open_leaves_without_freeing_modules(
    cold: bool, leaves: str, is_freed: bool, tmp_path: Path
) -> None:
    freed = tmp_path / "freed"
    with doctor(tmp_path, cold=cold) as patient:
        patient.play()
        patient.play(imports=FINALIZER.format(path=str(freed)), reset=DIRTY + leaves)
        assert patient.launcher.forked == (not cold)
        assert freed.exists() is is_freed


def test_cold_forks_nothing(tmp_path: Path) -> None:
    with doctor(tmp_path, cold=True) as patient:
        patient.play()
        patient.play()
        assert (patient.launcher.forked, patient.launcher.started) == (0, {COLD: 2})


DOCTOR = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}]
from test_templates import doctor
import tempfile
tempfile.tempdir = sys.argv[2]
with doctor(Path(sys.argv[1])) as patient:
    patient.play()
    patient.play(reset="import time; open({file!r}, 'w').close(); time.sleep(600)")
"""


@pytest.mark.always
def test_template_dies_with_the_doctor(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    (tmp_path / "run").mkdir()
    program = DOCTOR.format(tests=str(Path(__file__).parent), file=str(begun))
    words = [sys.executable, "-c", program, str(tmp_path), str(tmp_path / "run")]
    with subprocess.Popen(words, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}) as killed:
        try:
            assert until(begun.exists)
            assert len(processes_of(str(tmp_path / "run"))) >= 3
        finally:
            killed.kill()
    assert until(lambda: processes_of(str(tmp_path / "run")) == [])
