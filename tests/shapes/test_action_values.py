"""Texts of actions, their fit to spaces, and actions that consist of fields: by values."""

from __future__ import annotations

import enum
import faulthandler
import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Optional

import numpy as np
import pydantic
import pytest
from gymnasium.spaces import Box, Dict, Discrete, MultiBinary, MultiDiscrete, Text, Tuple

from envdoctor.config.reading import parse as parse_config
from envdoctor.errors import UsageError
from envdoctor.model.actions import ActionSource, played_of, source_of
from envdoctor.model.scenario import Scenario
from envdoctor.model.subject import Subject
from envdoctor.model.trace import TIMED_OUT, Outcome, Trace
from envdoctor.probe import given_actions
from envdoctor.probe.action_classes import Fields, built, made
from envdoctor.probe.actions import Actions
from envdoctor.probe.adapters.openenv.environment import SHAPE as OPENENV
from envdoctor.probe.environment_api import unsaid
from envdoctor.probe.given_actions import GivenActions, Unplayable, fitted
from envdoctor.request import actions
from envdoctor.request.options import Options
from envdoctor.request.settings import Settings
from envdoctor.run.supervise.session import with_hanging_function

if TYPE_CHECKING:
    from decimal import Decimal

SPEC = "env.py:Env"


def settings(text: str = "") -> Settings:
    config = parse_config(text, "envdoctor.toml") if text else None
    return Settings(config, frozenset(), "/there", command_line=True)


@pytest.mark.parametrize(
    ("text", "value"),
    [("3", 3), ('"[4]"', "[4]"), ('{message = "hi"}', {"message": "hi"}), ("[0.5, 1]", [0.5, 1])],
)
def test_one_action_is_toml(text: str, value: object) -> None:
    found = actions.chosen(settings(), SPEC, Options(action=text))
    assert found == ActionSource(text, value)
    assert source_of(found.as_dict()) == found


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hi", "invalid --action 'hi': expected a TOML value; a text needs quotes: '\"hi\"'"),
        (
            'message = "hi"',
            "invalid --action 'message = \"hi\"': expected a TOML value; a table needs braces: '{message = \"hi\"}'",
        ),
        (
            "",
            "invalid --action '': expected a TOML value, such as 3, [0.5, -0.5] or '\"a text\"'",
        ),
        (
            "2026-11-23",
            "invalid --action 2026-11-23: expected texts, numbers, lists and tables, which can be handed to another process",
        ),
    ],
)
def test_invalid_action_is_a_usage_error(text: str, sentence: str) -> None:
    with pytest.raises(UsageError) as caught:
        actions.chosen(settings(), SPEC, Options(action=text))
    assert str(caught.value) == sentence


@pytest.mark.parametrize("text", ["", "CartPole-v1", "policies.py", "a:", "a:b c"])
def test_invalid_function_of_actions_is_a_usage_error(text: str, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies.py").write_text("")
    with pytest.raises(UsageError, match=r"^invalid --actions"):
        actions.chosen(settings(), SPEC, Options(actions=text))


def test_both_are_too_many() -> None:
    with pytest.raises(UsageError, match="--action and --actions do not go together"):
        actions.chosen(settings(), SPEC, Options(action="1", actions="a:b"))


def test_the_command_line_wins_then_the_environment_then_all() -> None:
    both = settings('action = 1\n[environments."env.py:*"]\nactions = "a:b"')
    assert actions.chosen(both, SPEC, Options()).name == "b"
    assert actions.chosen(both, SPEC, Options()).directory == "/there"
    assert actions.chosen(both, "other.py:Env", Options()).value == 1
    assert actions.chosen(both, SPEC, Options(action="2")).value == 2
    assert actions.chosen(settings(), SPEC, Options()) is None
    with pytest.raises(UsageError, match=r"envdoctor.toml:2: --action and --actions"):
        actions.chosen(settings('action = 1\nactions = "a:b"'), SPEC, Options())


def test_a_subject_carries_it_through_json() -> None:
    subject = Subject(SPEC, "file", action=ActionSource("1", 1))
    assert Subject.from_dict(subject.as_dict()) == subject
    assert Subject.from_dict({"text": SPEC, "form": "file"}).action is None
    assert played_of({"kind": "value", "text": "1", "later": 3}).text == "1"
    assert played_of(None) is None


def test_values_are_fitted_to_spaces() -> None:
    space = Dict({"push": Box(-1.0, 1.0, (2,)), "turn": Discrete(3)})
    assert space.contains(fitted({"push": [0, 0.5], "turn": 2}, space))
    assert not space.contains(fitted({"push": [0, 0.5], "turn": 0.5}, space))
    pair = Tuple((Discrete(2), Text(5)))
    assert pair.contains(fitted([1, "ab"], pair))
    assert fitted(1, Discrete(3)).dtype == np.int64
    mine = {"words": ["a"]}
    assert fitted(mine, None) == mine
    assert fitted(mine, None)["words"] is not mine["words"]


@pytest.mark.parametrize(
    ("value", "space"),
    [
        ([300, 1], Box(0, 255, (2,), np.uint8)),
        ([0.5, 1], Box(0, 255, (2,), np.uint8)),
        (300, Box(0, 255, (), np.uint8)),
        ([257, 0], MultiBinary(2)),
        ([2**33, 1], MultiDiscrete([2, 2], dtype=np.int32)),
        ([0, 1, 1], Tuple((Discrete(2), Discrete(2)))),
        (2**70, Discrete(3)),
    ],
)
def test_no_cast_makes_another_action_of_a_value(value: Any, space: Any) -> None:
    assert not space.contains(fitted(value, space))


class Color(enum.Enum):
    RED = 1


class Part(pydantic.BaseModel):
    on: bool


class Full(pydantic.BaseModel):
    text: str
    long: str = pydantic.Field(min_length=9)
    choice: Literal["a", "b"]
    color: Color
    perhaps: Optional[int]
    part: Part
    level: int = pydantic.Field(ge=1, lt=4)
    share: float = pydantic.Field(gt=0.0, le=1.0)
    names: list[str]
    left: int = 7


def test_fields_that_say_enough_are_filled() -> None:
    for seed in range(20):
        action = built(Full, random.Random(seed), {})
        assert (action.text, action.perhaps, action.names, action.left) == ("hello", None, [], 7)
        assert 1 <= action.level < 4
        assert 0 < action.share <= 1
    assert Fields(Full).why_not == ""
    assert Fields(Full).contains(Fields(Full).sample())


class Unbounded(pydantic.BaseModel):
    speed: float


class Endless(pydantic.BaseModel):
    speed: float = pydantic.Field(ge=0, le=float("inf"))


class Nothing(enum.Enum):
    pass


class Empty(pydantic.BaseModel):
    choice: Nothing


@dataclass
class Named:
    price: Decimal


@dataclass
class Own:
    inner: Own


class Strict(pydantic.BaseModel):
    name: str

    @pydantic.field_validator("name")
    @classmethod
    def check(cls, name):
        raise ValueError("it has to be a name that is known")


class Shaped(pydantic.BaseModel):
    code: str = pydantic.Field(pattern="^[a-z]{9}$")


@dataclass
class Whole:
    x: int


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        (Unbounded, "which numbers Unbounded.speed takes cannot be told without bounds"),
        (Whole, "which numbers Whole.x takes cannot be told without bounds"),
        (Shaped, "which texts Shaped.code takes cannot be told from its pattern"),
        (Strict, "Strict does not take {'name': 'hello'}"),
        (Endless, "which numbers Endless.speed takes cannot be told without bounds"),
        (Named, "the fields of Named cannot be read: NameError"),
        (Own, "the fields of Own cannot be read: RecursionError"),
        (Empty, "the fields of Empty cannot be read: IndexError"),
    ],
)
def test_fields_that_do_not_are_not_guessed(kind: type, reason: str) -> None:
    assert Fields(kind).why_not.startswith(reason)


def test_an_object_is_made_of_a_table_or_is_there() -> None:
    assert made(Whole, {"x": 3}) == Whole(3)
    assert made(Unbounded, {"speed": 3}).speed == 3.0
    there = Whole(4)
    assert made(Whole, there) is there
    with pytest.raises(TypeError, match="expected a table with the fields of Whole"):
        made(Whole, 3)


class Buys:
    def step(self, action: Named) -> None: ...


def test_fields_that_cannot_be_read_are_the_reason_why_it_is_not_played() -> None:
    assert unsaid(Buys()).startswith("the fields of Named cannot be read: NameError")


@dataclass
class Two:
    a: bool
    b: bool

    def __post_init__(self) -> None:
        if self.a and self.b:
            raise ValueError("only one of both")


@pytest.fixture
def state(monkeypatch):
    """State of the actions in this process, forgotten after the test."""
    monkeypatch.setattr(given_actions._State, "source", None)
    monkeypatch.setattr(given_actions._State, "function", None)
    monkeypatch.setattr(given_actions._State, "failure", "")
    monkeypatch.setattr(given_actions._State, "actions", None)
    return given_actions._State


@pytest.mark.parametrize("info", [None, {"action_mask": [1]}])
def test_a_later_draw_that_the_class_rejects_cannot_be_played(state, info) -> None:
    drawn = Actions(0)
    drawn.look_at(Fields(Two))
    with pytest.raises(Unplayable, match="Two does not take"):
        for _ in range(99):
            assert isinstance(drawn.draw(info), Two)
    assert state.failure.endswith("only one of both; give one with --action")


def test_change_of_a_given_action_does_not_reach_the_next_step(state) -> None:
    class Words:
        def fit(self, value: Any) -> Any:
            return value["words"]

    state.source = ActionSource("...", {"words": ["a"]})
    given = GivenActions()
    given.next(Words(), None).append("b")
    assert given.next(Words(), None) == ["a"]


def leaves(observation, agent, step):
    raise SystemExit(3)


async def later(observation, agent, step):
    return 0


def test_a_function_that_exits_cannot_be_played(state) -> None:
    state.source, state.function = ActionSource("a:leaves", name="leaves"), leaves
    with pytest.raises(Unplayable, match="--actions a:leaves: it raised SystemExit: 3"):
        GivenActions().next(None, None)


def test_a_coroutine_is_not_a_function(state) -> None:
    given_actions.prepare(
        Subject(SPEC, "file", action=ActionSource("a:later", name="later", module=__name__)), False
    )
    assert state.failure == "--actions a:later: it is a coroutine; expected a function"


class Outer:
    """Its `env` is an affair of its own."""

    env = Buys()

    def step(self, action: Two) -> None: ...


def test_the_env_of_an_environment_says_nothing_of_its_actions() -> None:
    assert OPENENV.actions(Outer()).kind is Two


@pytest.mark.parametrize("generates", [False, True])
def test_a_function_that_does_not_return_is_no_hang_of_step(
    state, tmp_path: Path, generates: bool
) -> None:
    def waits(observation=None, agent=None, step=None):
        with (tmp_path / "stacks").open("w") as file:
            faulthandler.dump_traceback(file)
        return 0

    def generated():
        yield waits()

    state.source = ActionSource("a:waits", name="waits")
    state.function = generated if generates else waits
    GivenActions().next(None, None)
    stacks = (tmp_path / "stacks").read_text()
    scenario = Scenario("life", "make step:20")
    hung = Trace(scenario, Outcome(TIMED_OUT, verb="step:20", stacks=stacks))
    trace = with_hanging_function(hung, state.source)
    assert trace.fact("refused") == "--actions a:waits: it does not return"
    assert with_hanging_function(hung, None) is hung
    elsewhere = Trace(scenario, Outcome(TIMED_OUT, stacks=stacks.replace("ask_function", "step")))
    assert with_hanging_function(elsewhere, state.source) is elsewhere
