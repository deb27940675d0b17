"""Functions that run on the nodes of a Ray cluster: an examination, and a survey of a node's
packages.

They are called in Ray's workers, which change more than they say: SIGINT is blocked, the kernel
ends them first, libraries have one thread, and breakpoint() is Ray's. The environment of the
process above the worker has the node's earlier values; the examination gets that.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from functools import lru_cache
from pathlib import Path

from envdoctor import __version__
from envdoctor.model.fast_dataclass import dataclass
from envdoctor.run.interpreters import Interpreter, interpreter, machine_class
from envdoctor.run.supervise.run_directory import RunDirectory
from envdoctor.sweep.comparing import differing
from envdoctor.sweep.engine import LONGEST, end_process
from envdoctor.sweep.outcomes import ENDINGS, SAID, own_words
from envdoctor.sweep.surroundings import Surroundings

CHANGED = ("OMP_NUM_THREADS", "PYTHONBREAKPOINT")  # what Ray sets in its workers
MACHINE = "class of machine"


@dataclass(frozen=True)
class Place:
    """The folder where SPECs are looked up: `directory` of the driver, or its copy on the node,
    which was sent from `origin` at the driver.
    """

    directory: str
    origin: str

    def here(self, sent: str) -> str:
        """The folder on this node; `sent` is what was sent, if anything was. Raises Unusable."""
        inside = os.path.relpath(self.directory, self.origin)
        below = bool(sent) and not inside.startswith("..")
        text = os.path.normpath(os.path.join(sent, inside)) if below else self.directory
        if not os.path.isdir(text):
            raise Unusable(f"{text} does not exist there: --working-dir sends a folder")
        return text


class Unusable(Exception):
    """A node cannot examine what the others examine. Its text is a sentence."""


@dataclass(frozen=True)
class Work:
    """One examination for a node: the words of its `check`, and what has to be installed."""

    key: str
    words: tuple[str, ...]
    place: Place
    python: str
    expected: Mapping[str, str]


@dataclass(frozen=True)
class Answer:
    """A node's answer: the exit code, and the written files, by ending. `refused` says why nothing
    ran.
    """

    node: str
    code: int = 0
    files: Mapping[str, bytes] = field(default_factory=dict)
    refused: str = ""


def examine(work: Work) -> Answer:
    """Run an examination in a process of its own, to its end."""
    node, sent, variables = _node()
    try:
        directory = work.place.here(sent)
        _compare(work.expected, _installed(work.python, directory))
    except Unusable as error:
        return Answer(node, refused=str(error))
    run = RunDirectory()
    try:
        own = own_words(lambda ending: str(run.path / f"result{ending}"), 0)
        words = [
            *(sys.executable, "-P", "-m", "envdoctor.cli.examination"),
            *(str(os.getpid()), "-", surroundings(variables).as_text(), str(len(own))),
            *work.words,
            *own,
        ]
        code = _run(words, directory, run.path / f"result{SAID}")
        files = {}
        for ending in ENDINGS:
            with suppress(FileNotFoundError):  # it ended before it wrote any
                files[ending] = (run.path / f"result{ending}").read_bytes()
        return Answer(node, code, files)
    finally:
        run.close()


def _run(words: list[str], directory: str, said: Path) -> int:
    with said.open("wb") as file:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            cwd=directory,
            start_new_session=True,
        )
    try:
        process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        pass
    finally:  # also where the driver cancelled this
        if process.returncode is None:
            end_process(process)
    return process.returncode


def ask(python: str | None, place: Place, registry: str, imports: tuple[str, ...]) -> Interpreter:
    """Return the versions of an interpreter on a node. Raises UsageError, and Unusable."""
    _, sent, _ = _node()
    return interpreter(python, place.here(sent), registry, imports)


def machine() -> str:
    """The class of machine of a node."""
    return machine_class()


@lru_cache(maxsize=8)
def _installed(python: str, directory: str) -> Mapping[str, str]:
    """Return the versions that a result depends on; asked once a worker, which serves many
    examinations.
    """
    result = interpreter(python, directory)
    return {
        **result.versions,
        "python": result.python,
        "envdoctor": __version__,
        MACHINE: machine_class(),
    }


def _compare(expected: Mapping[str, str], result: Mapping[str, str]) -> None:
    """Raises Unusable where a node is not as the first one was."""
    for name, was, now in differing(expected, result):
        raise Unusable(
            f"it is not as the first node was ({name}: {was} there, {now} here); a sweep needs"
            " nodes that are alike"
        )


def _node() -> tuple[str, str, Mapping[str, str]]:
    """The name of this node, the folder that was sent to it, and the variables that were asked for
    with it.
    """
    import ray

    context = ray.get_runtime_context()
    sent = dict(context.runtime_env)
    return (
        f"{os.uname().nodename} ({context.get_node_id()[:6]})",
        os.getcwd() if sent.pop("working_dir", None) else "",
        dict(sent.pop("env_vars", None) or {}),
    )


def surroundings(asked: Mapping[str, str]) -> Surroundings:
    """Return the node's environment before Ray changed it: that of the process above this worker.
    Variables that the user asked for stay.
    """
    parent = f"/proc/{os.getppid()}"
    before = _variables(f"{parent}/environ")
    changed = {name: before.get(name) for name in CHANGED if name not in asked}
    score = None
    with suppress(OSError, ValueError):
        score = int(Path(f"{parent}/oom_score_adj").read_text(encoding="ascii"))
    return Surroundings(changed, score, signals=True)


def _variables(path: str) -> dict[str, str]:
    try:
        entries = Path(path).read_bytes().decode(errors="surrogateescape").split("\0")
    except OSError:
        return {}
    return dict(entry.split("=", 1) for entry in entries if "=" in entry)
