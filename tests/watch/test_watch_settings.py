"""Settings that a trainer makes for its environments: what the hook journals of them."""

from __future__ import annotations

import types
from collections.abc import Iterator
from typing import Any

import gymnasium
import pytest

from envdoctor.model import page
from envdoctor.model.finding import Location
from envdoctor.model.training import Training
from envdoctor.model.training_events import announced
from envdoctor.model.training_instances import Instances
from envdoctor.model.training_settings import HiddenAttribute, Setting
from envdoctor.probe.live import settings
from envdoctor.probe.live.counted import ResetCalls, Rows, counted
from envdoctor.probe.live.settings import follow_settings, look_at_settings
from envdoctor.watch.pages import Counts, PageReport, instances

WRAPPER = "gymnasium.core.Wrapper"


class Watched:
    """Instances of a process that journal into a list."""

    name = "7.page"
    wrappers = {WRAPPER: True}

    def __init__(self) -> None:
        self.written: list[dict[str, Any]] = []
        self.hook = types.SimpleNamespace(complain=pytest.fail)

    def tell(self, what: str, **keys: Any) -> None:
        self.written.append({"what": what, **keys})

    def wraps(self, kind: type) -> bool:
        return issubclass(kind, gymnasium.Wrapper)


@pytest.fixture
def watched() -> Iterator[Watched]:
    settings._journaled.clear()
    yield Watched()
    settings._journaled.clear()


class Arm(gymnasium.Env):
    """Uses its level, and says its name to nothing."""

    speed = 2

    def __init__(self, watched: Watched) -> None:
        self.watched, self.level, self.name, self.parts = watched, 0, "arm", []

    def reset(self, **_: Any) -> Any:
        length = self.level * self.speed + len(self.parts)
        look_at_settings(self.watched, page.WIDTH * page.FIRST, self)
        return length, {}


class Plain(gymnasium.Wrapper):
    """One that has nothing of its own."""


class Above(Plain):
    """One that knows the level."""

    def lift(self) -> None:
        self.level = 5


class Configured(Plain):
    """One that sets what it is given."""

    def __init__(self, env: gymnasium.Env, **config: Any) -> None:
        super().__init__(env)
        for key, value in config.items():
            setattr(self, key, value)


def hidden(watched: Watched, env: gymnasium.Env, **attributes: Any) -> list[tuple[str, str]]:
    """Set attributes of a wrapped environment, and return those that are said not to arrive."""
    for name, value in attributes.items():
        setattr(env, name, value)
    env.reset()
    env.reset()
    return [(each["message"], each["type"]) for each in watched.written]


def test_attribute_of_the_outermost_wrapper_is_named_once(watched: Watched) -> None:
    assert hidden(watched, Plain(Plain(Arm(watched))), level=3) == [("level", "Plain")]
    assert watched.written[0]["row"] == 1


def test_attribute_of_the_class_is_one(watched: Watched) -> None:
    assert hidden(watched, Plain(Arm(watched)), speed=3) == [("speed", "Plain")]


@pytest.mark.parametrize(
    "attributes",
    [{"level": 0}, {"name": "first"}, {"other": 3}, {"parts": [1]}, {"level": None}],
    ids=["equal", "not read", "unknown", "not plain", "of another kind"],
)
def test_attribute_that_changes_nothing_is_left_out(
    attributes: dict[str, Any], watched: Watched
) -> None:
    assert hidden(watched, Plain(Arm(watched)), **attributes) == []


def test_attribute_of_the_wrapper_itself_is_left_out(watched: Watched) -> None:
    assert hidden(watched, Above(Arm(watched)), level=3) == []
    assert hidden(watched, Configured(Arm(watched), level=4)) == []


def test_attribute_that_arrives_is_left_out(watched: Watched) -> None:
    env = Plain(Arm(watched))
    env.set_wrapper_attr("level", 4)
    assert hidden(watched, env) == []


class Owner:
    """A class of the script's that has an environment, and wraps none."""

    def __init__(self, env: gymnasium.Env) -> None:
        self.env = env

    def reset(self) -> None:
        self.env.reset()


def test_owner_of_an_environment_is_not_a_wrapper(watched: Watched) -> None:
    assert hidden(watched, Owner(Arm(watched)), level=3) == []  # type: ignore[arg-type]


class Vectorizer:
    """Has the methods that Stable-Baselines3's have."""

    def set_attr(self, attr_name: str, value: object, indices: object = None) -> tuple[str, object]:
        return attr_name, value

    def set_options(self, options: object = None) -> object:
        return options


def test_settings_are_journaled_once_with_their_line(watched: Watched) -> None:
    module = types.SimpleNamespace(__name__="lib.vec", Vectorizer=Vectorizer)
    names = ("Vectorizer.set_attr", "Vectorizer.set_options")
    follow_settings(watched, types.SimpleNamespace(SETTINGS={"lib.vec": names}), module)
    vectorizer = Vectorizer()
    for value in range(2):
        assert vectorizer.set_attr("level", value) == ("level", value)
    assert vectorizer.set_attr(value=5, attr_name="level") == ("level", 5)
    assert vectorizer.set_options({"level": 1}) == {"level": 1}
    events = [announced({**each, "pid": 7, "t": 0.0}) for each in watched.written]
    report = PageReport()
    report.take(events)
    assert [(each.method, each.name, each.vectorizer) for each in report.settings] == [
        ("set_attr", "level", "Vectorizer"),
        ("set_attr", "level", "Vectorizer"),  # another line
        ("set_options", "", "Vectorizer"),
    ]
    assert all(each.location and each.location.file == __file__ for each in report.settings)


def test_hooks_without_settings_change_nothing(watched: Watched) -> None:
    module = types.SimpleNamespace(__name__="lib.other")
    follow_settings(watched, types.SimpleNamespace(), module)
    assert watched.written == []


def test_resets_with_options_are_counted() -> None:
    numbers = [0] * page.WIDTH * 4
    row = page.WIDTH * 2

    class Takes:
        def reset(self, *, seed: object = None, options: object = None) -> None: ...

    rows = Rows()
    calls = (lambda: None, lambda *_: None)
    method = counted(Takes.reset, "reset", numbers, *calls, None, rows, ResetCalls())
    instance = Takes()
    rows[id(instance)] = row + page.RESET
    for keywords in ({}, {"options": None}, {"options": {"level": 1}}, {"seed": 1}):
        method(instance, **keywords)
    assert (numbers[row + page.RESET], numbers[row + page.OPTIONED]) == (4, 1)


def test_hidden_attributes_and_options_are_read_from_the_page() -> None:
    report = PageReport()
    keys = {"what": "hidden", "page": "7.page", "row": 1, "type": "Monitor", "pid": 7, "t": 0.0}
    report.take([announced({**keys, "message": name}) for name in ("level", "speed")])
    numbers = [0] * page.WIDTH
    numbers[page.OPTIONED] = 3
    own = next(instances(Counts("7.page", 7, 1, 0, {1: tuple(numbers)}), report))
    assert own.optioned == 3
    assert own.hidden == (HiddenAttribute("level", "Monitor"), HiddenAttribute("speed", "Monitor"))


def test_settings_are_kept_with_a_training() -> None:
    place = Location("/train.py", 57, "main")
    own = Instances(7, 1, "arm.Arm", optioned=1, hidden=(HiddenAttribute("level", "Monitor"),))
    settings = (Setting("set_attr", "SubprocVecEnv", "level", place), Setting("set_options"))
    training = Training((), instances=(own,), settings=settings)
    assert Training.from_dict(training.as_dict()) == training
