"""Programs that an object starts and gives up while they run, and healthy ones beside them."""

from __future__ import annotations

import gc
import importlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from envdoctor.analysis.made_objects import line_that_makes
from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_ends import GivenUp
from envdoctor.model.training_events import announced
from envdoctor.probe.live.sites import Sites
from envdoctor.watch.pages import PageReport

SLEEP = ["sleep", "60"]
_pids: list[int] = []


class Encoder:
    """Starts a program."""

    stdin = subprocess.DEVNULL

    def __init__(self) -> None:
        self.program = subprocess.Popen(SLEEP, stdin=self.stdin)
        _pids.append(self.program.pid)

    def stop(self) -> None:
        """Ask it to end."""
        self.program.terminate()

    def finish(self) -> None:
        """End its input, and do not wait."""
        assert self.program.stdin is not None
        self.program.stdin.close()

    def wait(self) -> None:
        """End it, and wait."""
        self.program.kill()
        self.program.wait()

    def close(self) -> None:
        """Ask nothing, wait for nothing: what close() does is its own."""


class Piped(Encoder):
    """Writes to its program."""

    stdin = subprocess.PIPE


class Recorder:
    """Has an encoder once it draws."""

    def __init__(self) -> None:
        self.encoder: Encoder | None = None

    def draw(self) -> None:
        """Begin."""
        self.encoder = Encoder()

    def close(self) -> None:
        """Close the encoder, too."""
        if self.encoder is not None:
            self.encoder.close()


class Freed(Encoder):
    """Ends its program when it is freed."""

    def __del__(self) -> None:
        os.kill(self.program.pid, signal.SIGTERM)


class Plain:
    """Has no close()."""

    def __init__(self) -> None:
        self.program = subprocess.Popen(SLEEP)
        _pids.append(self.program.pid)


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """What is journaled, with subprocess followed; all programs are ended afterwards."""
    for cls, name in (
        *((subprocess.Popen, name) for name in ("__init__", "__del__", "send_signal")),
        (Encoder, "close"),
        (Recorder, "close"),
    ):
        monkeypatch.setattr(cls, name, getattr(cls, name))
    journaled: list[dict[str, Any]] = []

    def tell(what: str, **keys: Any) -> None:
        journaled.append({"what": what, "pid": 1, "t": 0.0, **keys})

    place = (__file__, 1, "test")
    Sites(lambda _new=False: None, lambda: place, tell, pytest.fail).follow_programs()
    yield journaled
    for pid in _pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
    _pids.clear()
    subprocess._cleanup()  # type: ignore[attr-defined]


def given_up(events: list[dict[str, Any]]) -> list[GivenUp]:
    """The programs that were given up, as the doctor reads them."""
    gc.collect()
    report = PageReport()
    report.take(map(announced, events))
    return report.given_up


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_program_of_an_object_that_is_freed_without_close_is_given_up(
    events: list[dict[str, Any]],
) -> None:
    Encoder()
    (program,) = given_up(events)
    assert (program.owner, program.outer, program.pid) == ("Encoder", "Encoder", _pids[0])
    assert program.used_at.function.startswith("test_program_of_an_object")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_outer_object_is_the_one_that_the_script_uses(events: list[dict[str, Any]]) -> None:
    recorder = Recorder()
    recorder.draw()
    del recorder
    assert [(each.owner, each.outer) for each in given_up(events)] == [("Encoder", "Recorder")]


LIBRARY = """
import subprocess

class Encoder:
    def __init__(self, pids):
        self.start(pids)

    def start(self, pids):
        self.program = subprocess.Popen(["sleep", "60"])
        pids.append(self.program.pid)

    def close(self):
        self.program.kill()

class Recorder:
    def capture_frame(self, pids):
        self.encoder = Encoder(pids)

    def close(self):
        self.encoder.close()

def launch(pids):
    return Encoder(pids)
"""


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_objects_of_a_library_count_where_the_script_uses_them(
    events: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    (folder / "video_library.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(folder))
    library = importlib.import_module("video_library")
    recorder = library.Recorder()
    recorder.capture_frame(_pids)
    del recorder
    library.launch(_pids)  # what a function of a library launches is its own
    (program,) = given_up(events)
    assert (program.owner, program.outer, program.pid) == ("Encoder", "Recorder", _pids[0])


def use_and_forget(make: Callable[[], Any], *methods: str) -> None:
    """Make an object, call methods of it, and let it go."""
    thing = make()
    for method in methods:
        getattr(thing, method)()


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.parametrize(
    ("make", "methods"),
    [
        (Encoder, ("close",)),
        (Recorder, ("draw", "close")),
        (Encoder, ("stop",)),
        (Piped, ("finish",)),
        (Encoder, ("wait",)),
        (Freed, ()),
        (Plain, ()),
        (lambda: _pids.append(subprocess.Popen(SLEEP).pid), ()),
    ],
    ids=[
        "closed",
        "closed by what has it",
        "asked to end",
        "its input ended",
        "waited for",
        "ended where it is freed",
        "without a close()",
        "started by a function",
    ],
)
def test_healthy_programs_are_not_given_up(
    events: list[dict[str, Any]], make: Callable[[], Any], methods: tuple[str, ...]
) -> None:
    use_and_forget(make, *methods)
    assert not given_up(events)


SCRIPT = """
def record(env):
    recorder = video.Recorder(env)
    recorder.draw()

def compare(env):
    first, second = Recorder(env), Recorder(env)
    first.draw()
"""


def test_line_that_makes_an_object_is_the_only_one_of_its_function() -> None:
    assert line_that_makes(SCRIPT, 4, "Recorder") == 3
    assert line_that_makes(SCRIPT, 8, "Recorder") is None
    assert line_that_makes(SCRIPT, 4, "Writer") is None
    assert line_that_makes("def broken(", 1, "Recorder") is None


def test_training_is_saved_with_what_was_given_up() -> None:
    places = Location("/a.py", 1, "f"), Location("/b.py", 2, "g")
    program = GivenUp(7, "Encoder", "Recorder", *places, Location("/b.py", 1, "g"))
    training = Training((), given_up=(program,))
    assert Training.from_dict(training.as_dict()) == training
