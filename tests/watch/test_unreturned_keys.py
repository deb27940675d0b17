"""Keys of infos that a line reads at ends, and that no step() of its vectorizer returns."""

from __future__ import annotations

import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_events import announced
from envdoctor.model.training_returned import UnreturnedKey
from envdoctor.probe.live.unreturned_keys import LEAST, follow_final_keys, reads
from envdoctor.watch.pages import PageReport
from tests.support.zoo import examine
from tests.watch.test_watch_trainings import SB3, python

NAME = "batches"
HOOKS = types.SimpleNamespace(FINAL_KEYS={NAME: ("Batch.step",)})
LIBRARY = """
class Batch:
    def __init__(self, *keys):
        self.keys = keys
    def step(self, actions):
        return 0, 0, ended, ended & False, dict.fromkeys(self.keys)
"""
LOOP = """
def collect(envs, steps):
    for _ in range(steps):
        obs, reward, terminated, truncated, infos = envs.step(None)
        {}
"""


class Watched:
    """Instances of a process that journal into a list."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.hook = types.SimpleNamespace(complain=pytest.fail)

    def tell(self, what: str, **keys: Any) -> None:
        self.events.append({"what": what, **keys})

    def is_users(self, file: str) -> bool:
        return file.endswith("train.py")


@pytest.fixture
def watched() -> Watched:
    return Watched()


@pytest.fixture
def library(watched: Watched) -> Iterator[Any]:
    """A framework with a vectorizer of two environments, one of which ends in each step."""
    module: Any = types.ModuleType(NAME)
    module.ended = np.array([True, False])
    exec(compile(LIBRARY, "/usr/lib/python3/site-packages/batches.py", "exec"), vars(module))
    module.Batch.__module__ = NAME
    follow_final_keys(watched, HOOKS, module)
    yield module


def script(folder: Path, line: str) -> Any:
    """The function of a script that collects, and does something with the infos."""
    file, names = folder / "train.py", {}
    file.write_text(LOOP.format(line))
    exec(compile(file.read_text(), str(file), "exec"), names)
    return names["collect"]


MISSED = [
    'x = infos["final_obs"] if False else None',
    'x = "final_info" in infos and infos["final_info"]',
    'x = infos.get("final_info")',
    'x = infos["final_observation"] if truncated.any() else obs',
]
HEALTHY = [
    'x = infos["final_obs"] if "final_obs" in infos else obs',
    'x = infos.get("final_observation", obs)',
    'x = infos["episode"] if "episode" in infos else infos.get("final_info")',
    'x = infos.get("final_info") if envs.autoreset_mode == 1 else None',
    'x = infos.get("final_info") if gym.__version__ < "1" else None',
    'x = other.get("final_info") if False else None',
    'x = "final_info"',
    'x = infos.get("lives")',
]


@pytest.mark.parametrize("line", MISSED)
def test_key_that_no_step_returned_is_journaled_once(
    line: str, library: Any, watched: Watched, tmp_path: Path
) -> None:
    script(tmp_path, line)(library.Batch(), 3 * LEAST)
    (event,) = watched.events
    assert (event["what"], event["type"], event["number"]) == ("unreturned-key", "Batch", LEAST)
    assert (event["frame"]["line"], event["frame"]["function"]) == (5, "collect")
    assert event["message"] in line


@pytest.mark.parametrize("line", HEALTHY)
def test_code_that_looks_for_another_way_is_left_out(
    line: str, library: Any, watched: Watched, tmp_path: Path
) -> None:
    script(tmp_path, f"if False: {line}")(library.Batch(), 3 * LEAST)
    assert not watched.events


def test_key_that_is_returned_at_ends_is_left_out(
    library: Any, watched: Watched, tmp_path: Path
) -> None:
    collect = script(tmp_path, MISSED[1])
    collect(library.Batch("final_info"), 3 * LEAST)
    assert not watched.events


def test_key_that_has_another_name_today_is_left_out(
    library: Any, watched: Watched, tmp_path: Path
) -> None:
    """The vectorizer resets in the same step: that it does not would be wrong."""
    collect = script(tmp_path, MISSED[3])
    collect(library.Batch("final_obs", "final_info"), 3 * LEAST)
    assert not watched.events


def test_owner_of_a_file_is_looked_up_by_what_is_watched(
    library: Any, watched: Watched, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To ask where libraries are takes longer than a step()."""
    monkeypatch.setattr("envdoctor.probe.ownership._libraries", pytest.fail)
    script(tmp_path, MISSED[1])(library.Batch(), 3 * LEAST)
    assert watched.events


def test_few_ends_are_not_enough(library: Any, watched: Watched, tmp_path: Path) -> None:
    collect = script(tmp_path, MISSED[1])
    collect(library.Batch(), LEAST - 1)
    assert not watched.events
    library.ended = np.array([False, False])
    collect(library.Batch(), 3 * LEAST)
    assert not watched.events


def test_ends_of_another_line_do_not_count(library: Any, watched: Watched, tmp_path: Path) -> None:
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
    evaluate = script(tmp_path / "first", "pass")
    collect = script(tmp_path / "second", MISSED[1])
    collect(library.Batch(), 1)
    evaluate(library.Batch(), 3 * LEAST)
    collect(library.Batch("final_info"), 3 * LEAST)
    assert not watched.events


def test_module_without_a_function_is_read_too(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text('o, r, t, u, infos = envs.step(a)\nx = infos["final_obs"]\n')
    code = compile(file.read_text(), str(file), "exec")
    (read,) = reads(code, 1)
    assert (read.key, read.place) == ("final_obs", (str(file), 2, "<module>"))
    assert not list(reads(code, 2))


def test_event_becomes_part_of_the_training() -> None:
    frame = {"file": "/train.py", "line": 28, "function": "collect"}
    event = {"what": "unreturned-key", "pid": 7, "t": 0.0, "frame": frame, "type": "Batch"}
    report = PageReport()
    report.take([announced({**event, "message": "final_obs", "number": 4})])
    known = UnreturnedKey(7, "final_obs", "Batch", 4, Location("/train.py", 28, "collect"))
    assert report.unreturned == [known]
    training = Training((), 7, unreturned=(known,))
    assert Training.from_dict(training.as_dict()) == training


@pytest.mark.parametrize(
    ("twin", "codes"), [("Sick", ["TRN035"]), ("InWorkers", ["TRN035"]), ("Healthy", [])]
)
def test_vectorizers_of_gymnasium_are_followed(twin: str, codes: list[str]) -> None:
    words = ("--", python(SB3), "trn035_key_never_returned.py", twin)
    _, document = examine(*words, command="watch")
    assert [each["code"] for each in document["findings"]] == codes
