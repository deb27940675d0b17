"""Each instance gets its own of what several shared: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    ForgetGiven,
    MakeOwn,
    SeedMade,
    SharedPlace,
    TakeInstance,
)
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import FILE, applied, source

ARM = source("""\
    class Robot:
        parts = {}

        def move(self):
            Robot.parts["hand"] = Robot.parts.get("hand", 0) + 1

        @classmethod
        def all(cls):
            return Robot.parts


    class Arm(Base):
        joints = [0, 0]

        def __init__(self, robot=Robot(), *, goal=[1,
                                                   2]):
            self.robot = robot
            self.goal = goal

        def step(self, action):
            self.joints[0] += action
""")


def made_own(*places: SharedPlace) -> str:
    return applied(MakeOwn(places), ARM)


def test_default_is_made_in_each_call() -> None:
    text = made_own(SharedPlace("default", "robot of Arm.__init__()", "self.robot", FILE, 15))
    assert "    def __init__(self, robot=None, *, goal=[1,\n" in text
    assert "        if robot is None:\n            robot = Robot()\n        self.robot" in text


def test_argument_is_copied_where_it_is_kept() -> None:
    text = made_own(SharedPlace("module", "arm.ROBOT", "self.robot"))
    assert text.startswith("import copy\n")
    assert "        self.robot = copy.deepcopy(robot)\n" in text


def test_attribute_of_a_class_becomes_one_of_its_instances() -> None:
    text = made_own(SharedPlace("class", "arm.Robot.parts"))
    assert '        self.parts["hand"] = self.parts.get("hand", 0) + 1\n' in text
    assert "        return Robot.parts\n" in text  # of a class method: there is no instance
    assert "    def __init__(self):\n        self.parts = {}\n" in text


def test_attribute_is_made_first_in_a_constructor() -> None:
    text = made_own(SharedPlace("class", "arm.Arm.joints"))
    assert "        self.joints = [0, 0]\n        self.robot = robot\n" in text


def test_all_places_are_changed_together() -> None:
    text = made_own(
        SharedPlace("class", "arm.Arm.joints"), SharedPlace("held", "self.goal", "self.goal")
    )
    assert "self.joints = [0, 0]" in text
    assert "self.goal = copy.deepcopy(goal)" in text


@pytest.mark.parametrize(
    "place",
    [
        SharedPlace("module", "arm.TABLE"),
        SharedPlace("class", "arm.Robot.wheels"),
        SharedPlace("class", "arm.Truck.wheels"),
        SharedPlace("held", "self.map", "self.map"),
        SharedPlace("default", "goal of Arm.__init__()", "self.goal", FILE, 15),
        SharedPlace("default", "speed of Arm.__init__()", "self.speed", FILE, 15),
        SharedPlace("default", "robot of Arm.__init__()", "self.robot", FILE, 3),
    ],
)
def test_place_that_the_source_does_not_tell_is_no_code(place: SharedPlace) -> None:
    known = SharedPlace("class", "arm.Arm.joints")
    assert list(candidates(MakeOwn((known, place)), ARM)) == []


ENGINE = """\
    class Client:
        def __init__(self):
            self.number = connect()

        def __del__(self):
            {freed}

        def disconnect(self):
            disconnect(self.number)


    class Arm(Base):
        def close(self):
            self.client.disconnect()
"""


def test_handle_that_was_given_back_is_forgotten() -> None:
    text = applied(ForgetGiven(), source(ENGINE.format(freed="disconnect(self.number)")))
    assert "        disconnect(self.number)\n        self.number = None\n" in text
    assert "        if self.number is not None:\n            disconnect(self.number)\n" in text


@pytest.mark.parametrize("freed", ["disconnect(self.other)", "self.disconnect()"])
def test_handle_that_is_given_back_otherwise_stays(freed: str) -> None:
    assert not list(candidates(ForgetGiven(), source(ENGINE.format(freed=freed))))


TOOLKIT = """\
    class Application:
        current = None

        @classmethod
        def instance(cls):
            return cls.current or cls()

    class Arm(Env):
        def open(self):
            self.window = Window(Application())
"""


def test_object_of_the_process_is_taken_where_its_class_hands_it_out() -> None:
    assert "Window(Application.instance())" in applied(TakeInstance(), source(TOOLKIT))
    toolkit = TOOLKIT.replace("Window(Application())", "Window(QApplication([]))")
    text = applied(
        TakeInstance(), source(toolkit.replace("class Application", "class QApplication"))
    )
    assert "Window((QApplication.instance() or QApplication([])))" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cls.current or cls()", "cls.current"),
        ("@classmethod", "@property"),
        ("Window(Application())", "Window(Application(3))"),
        ("Window(Application())", "Window(Other())"),
    ],
    ids=["it makes none", "of an instance", "with an argument", "another class"],
)
def test_object_that_its_class_does_not_hand_out_is_made(old: str, new: str) -> None:
    assert not list(candidates(TakeInstance(), source(TOOLKIT.replace(old, new))))


CURRENT = """\
    class Context:
        current = None

    class Renderer:
        def __init__(self):
            {made}

        def draw(self):
            return {drawn}

        def __del__(self):
            Context.current = None

        def close(self):
            if Context.current is self:
                Context.current = None
"""
DRAWN = "Context.current is self"


def test_object_makes_itself_current_before_it_is_used() -> None:
    for aim in (SeedMade(), TakeInstance()):
        text = applied(aim, source(CURRENT.format(made="Context.current = self", drawn=DRAWN)))
        assert "def draw(self):\n        Context.current = self\n" in text
        assert text.count("Context.current = self\n") == 2


@pytest.mark.parametrize(
    ("made", "drawn"),
    [
        ("if Context.current is None: Context.current = self", DRAWN),
        ("Context.current = Context()", DRAWN),
        ("self.current = self", DRAWN),
        ("Context.current = self", "self.place"),
        ("Context.current = self", "Context.other"),
    ],
    ids=["the first stays", "another object", "its own", "not read", "another attribute"],
)
def test_other_attributes_of_a_class_stay(made: str, drawn: str) -> None:
    where = source(CURRENT.format(made=made, drawn=drawn))
    assert not list(candidates(TakeInstance(), where))
