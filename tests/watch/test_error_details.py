"""Circumstances of the exception that ended a script, which its message does not have."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import cast

import gymnasium
import pytest

from envdoctor.model.facts.decoding import decoded
from envdoctor.model.finding import Location
from envdoctor.model.training import Training, TrainingProcess
from envdoctor.model.training_errors import ErrorDetail
from envdoctor.model.training_instances import Calls, Instances, Raised
from envdoctor.probe.live import error_details
from envdoctor.probe.live.boot import Hook
from envdoctor.probe.live.error_details import Detail, detail_of
from envdoctor.probe.live.raised import _entries
from envdoctor.rules.evidence.training import watched_view
from envdoctor.rules.training.trn004_process_died import process_died


class Motor(gymnasium.Env[int, int]):
    """The attribute is of the class, and `torque` of the instance."""

    limits = (5.0, 5.0)

    def __init__(self) -> None:
        self.torque = 0.0
        self.track = self.lap()

    def lap(self) -> Iterator[int]:
        """A generator that cannot be pickled."""
        yield from range(8)


class Recorder(gymnasium.Wrapper[int, int, int, int]):
    """A wrapper with an attribute of its own."""

    frames = ()


class Loading:
    """What loads modules of ours: they are imported here already."""

    def load(self, name: str) -> object:
        """Return the module."""
        __import__(name)
        return sys.modules[name]


HOOK = cast(Hook, Loading())


def _detail(error: BaseException) -> Detail:
    return detail_of(HOOK, error, _entries(error))


@pytest.mark.parametrize(
    ("attribute", "names"),
    [
        ("limits", ["Motor", "limits", "base", "searches"]),
        ("torque", ["Motor", "torque", "base", "searches"]),
        ("frames", ["Recorder", "frames", "searches"]),
    ],
)
def test_layer_that_has_the_attribute_is_named(attribute: str, names: list[str]) -> None:
    outer = gymnasium.wrappers.OrderEnforcing(Recorder(Motor()))
    with pytest.raises(AttributeError) as raised:
        getattr(outer, attribute)
    assert _detail(raised.value) == {"kind": "layer", "names": names}


def test_attribute_that_no_layer_has_is_left_alone() -> None:
    for obj in (gymnasium.wrappers.OrderEnforcing(Motor()), Motor(), None, []):
        with pytest.raises(AttributeError) as raised:
            obj.speed  # type: ignore[union-attr]  # noqa: B018
        assert _detail(raised.value) == {}


def _unpicklable(obj: object) -> BaseException:
    with pytest.raises((TypeError, AttributeError)) as raised:
        ForkingPickler.dumps(obj)
    return raised.value


def test_function_of_a_generator_is_named() -> None:
    detail = _detail(_unpicklable([Motor()]))
    assert (detail["kind"], detail["names"]) == ("generator", ["lap"])
    assert cast(dict[str, object], detail["frame"])["file"] == __file__
    assert _detail(_unpicklable([threading.Lock()])) == {}


class NameNotFound(Exception):
    """As Gymnasium names it."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the user's, in which a package registers ids that are computed."""
    monkeypatch.setattr(error_details, "_folders", lambda: [str(tmp_path)])
    package = tmp_path / "ids_game"
    package.mkdir()
    (package / "__init__.py").write_text(
        "for name in NAMES:\n    register(id=f'idsgame-{name}-v3', entry_point=name)\n"
        "register(id='ids/%s-v0' % first)\nregister('idle-{}'.format(NAMES[0]))\nregister(id=x)\n"
    )
    return tmp_path


@pytest.mark.parametrize(
    "message",
    [
        "Environment `idsgame-attack` doesn't exist.",
        "Environment version `v1` for environment `idsgame-attack` doesn't exist.",
        "Environment `Maze` doesn't exist in namespace ids.",
        "No registered env with id: idsgame-attack-v3",
        "Environment `idle-attack` doesn't exist. Did you mean: `idle-`?".partition(" Did")[0],
    ],
)
def test_module_that_was_not_imported_is_named(folder: Path, message: str) -> None:
    assert folder.is_dir()
    assert _detail(NameNotFound(message)) == {"kind": "registrar", "names": ["ids_game"]}


@pytest.mark.parametrize(
    "message",
    [
        "Environment `game-attack` doesn't exist.",
        "Environment `idsgame` doesn't exist.",
        "Environment `Maze` doesn't exist in namespace roads.",
        "nothing that is named",
    ],
)
def test_other_ids_are_left_alone(folder: Path, message: str) -> None:
    assert folder.is_dir()
    assert _detail(NameNotFound(message)) == {}


def test_imported_module_and_the_script_itself_are_not_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    error = NameNotFound("Environment `idsgame-attack` doesn't exist.")
    monkeypatch.setattr(error_details, "_script", lambda: str(folder / "ids_game"))
    assert _detail(error) == {}
    monkeypatch.undo()
    monkeypatch.setattr(error_details, "_folders", lambda: [str(folder)])
    monkeypatch.setitem(sys.modules, "ids_game", sys)
    assert _detail(error) == {}


AT = Location("/train.py", 18, "make")


def _message(error: Raised) -> tuple[str, str]:
    process = TrainingProcess(1, code=1, raised=error)
    (finding,) = process_died.judge(watched_view(Training((), 1, 1, 0.4, (process,))))
    return finding.message, finding.remedy.text


@pytest.mark.parametrize(
    ("names", "cure"),
    [
        (
            ("Motor", "limits", "base", "searches"),
            (
                "read `env.unwrapped.limits`, or `env.get_wrapper_attr('limits')`, which looks"
                " through all wrappers."
            ),
        ),
        (("Motor", "limits", "base"), "read `env.unwrapped.limits`."),
        (
            ("Recorder", "limits", "searches"),
            "read `env.get_wrapper_attr('limits')`, which looks through all wrappers.",
        ),
        (("Recorder", "limits"), "read it from what is wrapped."),
    ],
)
def test_cure_of_a_wrapper_reads_what_is_in_it(names: tuple[str, ...], cure: str) -> None:
    error = Raised("AttributeError", "no attribute", AT, detail=ErrorDetail("layer", names))
    message, remedy = _message(error)
    assert f": the {names[0]} that it wraps has it" in message
    assert remedy == cure


def test_cure_of_an_unknown_id_is_the_import() -> None:
    detail = ErrorDetail("registrar", ("ids_game",))
    message, remedy = _message(Raised("NameNotFound", "`idsgame`", AT, detail=detail))
    assert message.endswith(": ids_game was not imported, and its import registers that id")
    assert remedy.startswith("write `import ids_game` before the environment is made;")


def test_detail_is_read_from_a_recorded_training() -> None:
    place = {"file": "/levels.py", "line": 6, "function": "levels"}
    data = {"kind": "generator", "names": ["levels"], "location": place}
    error = decoded(Raised, {"type": "TypeError", "detail": data})
    assert error.detail == ErrorDetail("generator", ("levels",), Location(**place))
    assert decoded(Raised, {"type": "TypeError", "detail": None}).detail is None


NOT_DONE = Raised("Error", "Tried to reset environment which is not done", AT, "reset")


def _instances(*episodes: int) -> tuple[Instances, ...]:
    calls = {"number": 1, "make": Calls(1, 1), "reset": Calls(3, 3), "step": Calls(80, 80)}
    return tuple(
        Instances(1, 1 + at, "track.Track", AT, episode=each, **calls)
        for at, each in enumerate(episodes)
    )


@pytest.mark.parametrize(
    ("episodes", "words"),
    [
        ((1001,), ": its episode had 1,001 steps then, and none of them had ended it"),
        ((0,), ""),
        ((40, 50), ""),
    ],
)
def test_steps_of_the_episode_that_a_monitor_refuses_to_leave(
    episodes: tuple[int, ...], words: str
) -> None:
    process = TrainingProcess(1, code=1, raised=NOT_DONE)
    training = Training((), 1, 1, 0.4, (process,), _instances(*episodes))
    (finding,) = process_died.judge(watched_view(training))
    assert finding.message.endswith(words or "steps")
    assert ("its episode" in finding.message) == bool(words)
