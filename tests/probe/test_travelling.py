"""Objects that are sent to other processes: payloads, exceptions, specifications; and registrations
that are found by reading.
"""

from __future__ import annotations

import copy
import threading
from pathlib import Path
from typing import Any

import pytest

from envdoctor.model.launch_options import LaunchOptions
from envdoctor.model.subject import FILE, Subject
from envdoctor.probe.adapters import direct
from envdoctor.probe.errors import error_value
from envdoctor.probe.ownership import Ownership
from envdoctor.probe.pickling import exceptions as raising
from envdoctor.probe.pickling.payloads import try_payloads
from envdoctor.probe.pickling.round_trip import attempt
from envdoctor.probe.subject import registering, respec
from envdoctor.probe.surviving import there_and_back
from envdoctor.probe.tracing.instrument import Factory

OWN = Ownership()


class Guarded:
    """Cannot travel."""

    def __init__(self) -> None:
        self._lock = threading.Lock()


class Unequal:
    """Travels, but is not what it was: it has no __eq__."""


def payloads(
    tmp_path: Path, observation: Any = 0, info: Any = None, space: Any = None
) -> dict[str, dict[str, Any]]:
    class Environment:
        def __init__(self) -> None:
            self.observation_space = space

        def reset(self) -> Any:
            return observation, {}

        def step(self, action: Any) -> Any:
            return 0, 0.0, False, False, info or {}

    class Here(Factory):
        def build(self) -> Any:
            return Environment()

    factory = Here(Subject("x", FILE), str(tmp_path / "journal"))
    return try_payloads(direct.launch([factory], None, LaunchOptions()), OWN)


def test_plain_values_can_be_pickled(tmp_path: Path) -> None:
    told = payloads(tmp_path, info={"position": (1, 2)}, space=3)
    assert [told[name]["ok"] for name in ("observation", "info", "observation_space")] == [True] * 3


def test_the_path_of_what_breaks(tmp_path: Path) -> None:
    told = payloads(tmp_path, info={"sim": [Guarded()]})["info"]
    assert (told["path"], told["attribute"], told["call"]) == (
        "info['sim'][0]._lock",
        "_lock",
        "step",
    )
    assert told["owner"].endswith("Guarded")
    assert "cannot pickle" in told["error"]["message"]


def test_an_observation_and_a_space(tmp_path: Path) -> None:
    told = payloads(tmp_path, observation={"map": Guarded()}, space=Unequal())
    assert (told["observation"]["path"], told["observation"]["call"]) == (
        "observation['map']._lock",
        "reset",
    )
    assert "not equal" in told["observation_space"]["error"]["message"]


def test_a_key_is_not_asked_for_its_repr() -> None:
    class Hostile:
        def __repr__(self) -> str:
            raise RuntimeError

    assert attempt({Hostile(): threading.Lock()}, there_and_back, OWN, "info").path == "info[...]"


class TwoArguments(RuntimeError):
    """Its arguments are not those of its constructor."""

    def __init__(self, code: int, where: str) -> None:
        super().__init__(f"{code} at {where}")
        self.code, self.where = code, where


class PassedOn(RuntimeError):
    """Arrives, but cannot be built anew of itself."""

    def __init__(self, code: int, where: str) -> None:
        super().__init__(code, where)


class Locked(RuntimeError):
    """Holds what cannot travel."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.lock = threading.Lock()


class Defaulted(RuntimeError):
    """Arrives everywhere."""

    def __init__(self, code: int, where: str = "") -> None:
        super().__init__(code, where)


@pytest.mark.parametrize(
    ("error", "steps"),
    [
        (TwoArguments(3, "arm"), {"loads"}),
        (PassedOn(3, "arm"), {"again"}),
        (Locked("no"), {"dumps"}),
        (Defaulted(3, "arm"), set()),
        (ValueError("no"), set()),
        (KeyError("no"), set()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_pickling_step_that_breaks_an_error_is_named(error: BaseException, steps: set[str]) -> None:
    assert error_value(error, OWN).get("relay", {}).keys() == steps


def test_classes_that_the_package_raises_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "walks.py").write_text(
        "class Fell(Exception):\n    def __init__(self, leg, step):\n       "
        " super().__init__(leg)\n        self.leg, self.step = leg, step\nclass"
        " Unused(Exception):\n    def __init__(self, leg, step):\n       "
        " super().__init__(leg)\nclass Walker:\n    def step(self, action):\n        raise Fell(1,"
        " 2)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import walks  # type: ignore[import-not-found]

    (told,) = raising.try_exceptions(walks.Walker)
    assert (told["type"], told["line"], told["text"]) == ("walks.Fell", 10, "raise Fell(1, 2)")
    assert (told["parameters"], told["kept"], told["broken"]) == (["leg", "step"], True, [])


GUARDED = """
import gymnasium

def setup():
    gymnasium.register(id="Second-v0", entry_point="x:Y")

gymnasium.register("Third-v0", entry_point="x:Y")

if __name__ == "__main__":
    gymnasium.register(
        "First-v0", entry_point="x:Y")
    setup()
"""


def test_registrations_below_the_guard(tmp_path: Path) -> None:
    file = tmp_path / "script.py"
    file.write_text(GUARDED)
    subject = Subject("script.py", FILE, path=str(file))
    found = registering.guarded_registrations(subject)
    assert [(one["id"], one["line"], one["function"]) for one in found] == [
        ("First-v0", 10, ""),
        ("Second-v0", 5, "setup"),
    ]
    assert registering.registration_of("Third-v0", subject)["line"] == 7
    assert registering.registration_of("Fourth-v0", subject) == {}


def respecified(identifier: str, **kwargs: Any) -> Any:
    gymnasium = pytest.importorskip("gymnasium")
    environment = gymnasium.make(identifier, **kwargs)
    return respec.round_trip(environment, gymnasium.registry[identifier], OWN)


def test_arguments_without_a_truth_value_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    gymnasium = pytest.importorskip("gymnasium")
    numpy = pytest.importorskip("numpy")
    environment = gymnasium.make("CartPole-v1")
    environment.spec.kwargs["prices"] = numpy.arange(3.0)
    monkeypatch.setattr(type(environment.spec), "to_json", lambda spec: spec)
    monkeypatch.setattr(type(environment.spec), "from_json", copy.deepcopy)
    monkeypatch.setattr(respec, "_rebuild", lambda *_: None)
    same = respec.round_trip(environment, gymnasium.registry["CartPole-v1"], OWN)
    assert (same["written"], same["changed"]) == (None, {})
    monkeypatch.setattr(type(environment.spec), "from_json", with_list)
    other = respec.round_trip(environment, gymnasium.registry["CartPole-v1"], OWN)
    assert other["changed"] == {"prices": ["ndarray", "list"]}


def with_list(spec: Any) -> Any:
    """The specification as JSON gives it back: an array has become a list."""
    again = copy.deepcopy(spec)
    again.kwargs["prices"] = list(again.kwargs["prices"])
    return again


def test_a_registered_id_is_not_built_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(respec, "_rebuild", lambda *_: pytest.fail("it was built"))
    told = respecified("CartPole-v1")
    assert (told["written"], told["rebuilt"], told["differs"]) == (None, None, [])
