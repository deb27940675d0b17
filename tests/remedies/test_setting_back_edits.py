"""A seed decides what follows it: the text after the edits."""

from __future__ import annotations

import pytest

from envdoctor.model.environment_aims import (
    AcceptZero,
    ObserveFirst,
    OwnRandom,
    PassSeed,
    SeedMade,
    SetBack,
    SortSets,
)
from envdoctor.model.remedy import Aim
from envdoctor.remedies.composing import candidates
from envdoctor.remedies.source import Source
from tests.remedies.test_edits import applied, source


def has_no_code(aim: Aim, where: Source) -> bool:
    return not list(candidates(aim, where))


ROBOT = """\
    import numpy as np

    FRAMES = 4


    class Robot(Env):
        def __init__(self, size=3):
            self.{name} = {made}

        def reset(self, *, seed=None):
            super().reset(seed=seed)
            {reset}

        def step(self, action):
            self.{name}[-1] = action
"""


def robot(
    name: str = "history", made: str = "np.zeros((FRAMES, 3))", reset: str = "pass"
) -> Source:
    return source(ROBOT.format(name=name, made=made, reset=reset), "Robot")


def test_array_is_made_anew() -> None:
    text = applied(SetBack(), robot())
    line = "        self.history = np.zeros((FRAMES, 3))\n"
    assert f"        super().reset(seed=seed)\n{line}" in text


@pytest.mark.parametrize(
    "where",
    [
        robot(name="running_mean"),
        robot(made="np.zeros(size)"),
        robot(made="[]"),
        robot(reset="self.history = np.ones(3)"),
        robot(reset="self.history[:] = 0"),
        robot(reset="self.history += 1"),
    ],
)
def test_lasting_attributes_and_those_that_reset_sets_stay(where: Source) -> None:
    assert has_no_code(SetBack(), where)


@pytest.mark.parametrize(
    ("reset", "after"),
    [
        ("pass", "        super().reset(seed=seed)\n        self.steps = 0\n"),
        (
            "if self.is_new:\n                self.steps = 0",
            "(seed=seed)\n        self.steps = 0\n",
        ),
    ],
)
def test_named_constant_is_set_back_each_time(reset: str, after: str) -> None:
    where = robot(name="steps", made="0", reset=reset)
    text = applied(SetBack("self.steps"), where)
    assert after in text
    assert text.count("self.steps = 0") == 2
    assert has_no_code(SetBack(), where)


@pytest.mark.parametrize(
    "where",
    [
        robot(name="steps", made="size"),
        robot(name="steps", made="0", reset="self.steps = 0"),
        robot(name="steps", made="0", reset="self.steps += 1"),
        robot(name="speed", made="0"),
        robot(
            "steps",
            "0",
            "if seed:\n                self.steps = 0\n            else:\n                go()",
        ),
    ],
    ids=["given", "set already", "counted on", "another one", "a branch with another"],
)
def test_named_constant_that_reset_may_set_stays(where: Source) -> None:
    assert has_no_code(SetBack("self.steps"), where)


def test_held_object_gets_back_what_it_had() -> None:
    where = source("""\
        import numpy as np


        class Physics:
            def __init__(self):
                self.memory = reserve()
                self.place = np.zeros(2)
                self.speed = np.zeros(2)

            def put(self, place):
                self.place = place

            def move(self):
                self.speed += 1
                self.place += self.speed


        class Arm(Env):
            physics = None

            def reset(self, *, seed=None):
                self.physics = self.physics or Physics()
                self.physics = Physics()
                self.physics.put(0)
    """)
    text = applied(SetBack(), where)
    assert (
        "        if self.physics is not None:\n            self.physics.speed = np.zeros(2)\n"
        in text
    )
    assert "self.physics.place" not in text


METER = """\
    class Meter:
        def __init__(self):
            self.hour, self.load = 0, 3.0

        def refresh(self):
            self.load = 3.0 + self.hour

        def {name}(self):
            self.hour = 0


    class Grid(Env):
        def __init__(self):
            self.meter = Meter()

        def reset(self, *, seed=None):
            super().reset(seed=seed)
            self.meter.{name}()
            return self.look(), {{}}
"""
OF_METER = SetBack("self.meter.load", setter="refresh", owner="Meter")


def test_reset_of_the_held_object_ends_by_the_method_that_sets_the_attribute() -> None:
    where = source(METER.format(name="reset"), "Grid")
    first, *_ = candidates(OF_METER, where)
    (edit,) = first
    assert (edit.owner, edit.lines) == ("Meter", ("self.refresh()",))


def test_reset_of_the_environment_calls_it_where_the_held_object_has_none() -> None:
    text = applied(OF_METER, source(METER.format(name="back"), "Grid"))
    assert "        self.meter.refresh()\n        return self.look(), {}\n" in text


CAR = """\
    import numpy as np


    class Filter:
        def __init__(self):
            self.last = 0.0
            self.calls = 0

        def reset(self):
            self.last = 0.0

        def pass_on(self, value):
            self.last = self.last + value
            self.calls = self.calls + 1


    class Car(Env):
        def __init__(self):
            self.filter = Filter()

        def reset(self, *, seed=None):
            super().reset(seed=seed)
"""


def test_known_attribute_alone_is_set_back() -> None:
    text = applied(SetBack("self.filter.last"), source(CAR, "Car"))
    assert "            self.filter.last = 0.0\n" in text
    assert "self.filter.calls = 0" not in text


def test_object_of_a_known_attribute_is_reset_where_it_can_be() -> None:
    text = applied(SetBack("self.filter.last", resets=True), source(CAR, "Car"))
    assert "        super().reset(seed=seed)\n        self.filter.reset()\n" in text


def test_reset_of_a_held_object_sets_back_what_it_left_out() -> None:
    where = source("""\
        class Battery:
            def __init__(self, size):
                self.full = size
                self.size = size
                self.energy = 0.0

            def charge(self, energy):
                self.size -= 0.1 * energy
                self.energy += energy

            def reset(self):
                self.energy = 0.0


        class Arm(Env):
            kind = Battery

            def __init__(self):
                self.battery = self.kind(6.4)

            def reset(self, *, seed=None):
                self.battery.reset()
    """)
    text = applied(SetBack(), where)
    assert "        self.energy = 0.0\n        self.size = self.full\n" in text


def test_engine_that_takes_a_seed_gets_one() -> None:
    where = source("""\
        import random


        class Engine:
            def __init__(self, seed=None):
                self.seed = seed


        class Arm(Env):
            def __init__(self):
                self.other = Engine()

            def reset(self, *, seed=None):
                self.engine = Engine()
                self.drawing = random.Random()
                self.fixed = Engine(seed=3)
    """)
    text = applied(SeedMade(), where)
    assert "self.engine = Engine(seed=int(self.np_random.integers(2**31)))" in text
    assert "self.drawing = random.Random(int(self.np_random.integers(2**31)))" in text
    assert "self.other = Engine()\n" in text
    assert "self.fixed = Engine(seed=3)\n" in text


def test_sets_are_sorted_where_their_order_decides() -> None:
    where = source("""\
        ROOMS = {"hall", "attic"}
        PLACES = ["a", "b"]


        class Arm(Env):
            def __init__(self):
                self.doors = set()

            def reset(self, *, seed=None):
                rooms = list(ROOMS)
                for door in self.doors:
                    rooms.append(door)
                return [place for place in PLACES], tuple(ROOMS), len(ROOMS)
    """)
    text = applied(SortSets(), where)
    assert "rooms = sorted(ROOMS)\n" in text
    assert "for door in sorted(self.doors):" in text
    assert "[place for place in PLACES], tuple(sorted(ROOMS)), len(ROOMS)" in text


def test_lists_are_not_sorted() -> None:
    assert has_no_code(
        SortSets(),
        source("""\
            class Arm(Env):
                def __init__(self, rooms):
                    self.rooms = rooms

                def reset(self, *, seed=None):
                    return list(self.rooms)
        """),
    )


WRAPPER = """\
    class Lives(Wrapper):
        def reset(self, *, seed=None):
            if {test}:
                return self.env.reset(seed=seed)
            {rest}
"""


@pytest.mark.parametrize(
    ("test", "after"),
    [
        ("self.over", "if self.over or seed is not None:"),
        ("not self.lives", "if (not self.lives) or seed is not None:"),
    ],
)
def test_wrapper_resets_where_there_is_a_seed(test: str, after: str) -> None:
    rest = "else:\n                return self.env.step(0)"
    where = source(WRAPPER.format(test=test, rest=rest), "Lives")
    assert after in applied(PassSeed("Lives"), where)


def test_wrapper_that_resets_in_both_ways_stays() -> None:
    rest = "else:\n                return self.env.reset(seed=seed, options={})"
    where = source(WRAPPER.format(test="self.over", rest=rest), "Lives")
    assert has_no_code(PassSeed("Lives"), where)


HELPER = """\
    class Arm(Env):
        def _is_given(self, seed):
            return seed

        def reset(self, *, seed=None):
            {use}
"""


def test_method_that_says_whether_there_is_a_seed_accepts_zero() -> None:
    where = source(HELPER.format(use="if self._is_given(seed): self.draw(seed)"))
    assert "return seed is not None" in applied(AcceptZero(), where)


def test_method_whose_value_is_used_stays() -> None:
    assert has_no_code(AcceptZero(), source(HELPER.format(use="self.draw(self._is_given(seed))")))


BASE = """\
    class Arm(Env):
        {before}
        def start(self, seed, options):
            if seed is not None:
                super().seed(seed)
            return super().reset(options=options)

        def reset(self, *, seed=None, options=None):
            return self.start(seed, options)
"""


def test_inherited_reset_gets_the_seed() -> None:
    text = applied(OwnRandom("self._np_random"), source(BASE.format(before="")), 1)
    assert (
        "def start(self, seed, options):\n"
        "        return super().reset(seed=seed, options=options)\n" in text
    )


def test_seed_of_the_class_itself_stays() -> None:
    where = source(BASE.format(before="def seed(self, seed): pass\n"))
    assert len(list(candidates(OwnRandom("self._np_random"), where))) == 1
    assert "super().seed(seed)" in applied(OwnRandom("self._np_random"), where)


def test_generator_that_a_method_returns_is_the_own_one() -> None:
    where = source("""\
        import numpy as np

        class Arm(Env):
            def draws(self):
                return np.random

            def reset(self, *, seed=None):
                super().reset(seed=seed)
                return self.draws().uniform(-1, 1)
    """)
    assert "        return self.np_random\n" in applied(OwnRandom("numpy.random"), where)


@pytest.mark.parametrize("use", ["self.draws().randint(3)", "draw(self.draws())"])
def test_generator_without_the_same_function_stays(use: str) -> None:
    where = source(f"""\
        import numpy as np

        class Arm(Env):
            def draws(self):
                return np.random

            def reset(self, *, seed=None):
                super().reset(seed=seed)
                return {use}
    """)
    assert has_no_code(OwnRandom("numpy.random"), where)


ENGINE = """\
    class Engine:
        def sense(self):
            self.seen = [self.place]

        def reset(self, rng):
            self.place = rng.random()
            {more}

        def step(self, move):
            self.place += move
            {update}

    class Robot(Env):
        def reset(self, *, seed=None):
            self.engine.reset(self.np_random)
            return self.engine.seen, {{}}

        def step(self, action):
            self.engine.step(action)
            return self.engine.seen, 0.0, False, False, {{}}
"""


def test_reset_updates_what_is_observed_as_step_does() -> None:
    where = source(ENGINE.format(more="pass", update="self.sense()"), "Robot")
    text = applied(ObserveFirst(), where)
    assert "            pass\n            self.sense()\n\n" in text.replace("    " * 2, "    " * 3)
    assert len(list(candidates(SetBack("self.engine.seen"), where))) == 1
    alone = ENGINE.replace("class Engine", "class Robot(Env)").partition(
        "    class Robot(Env):\n        def reset"
    )[0]
    assert "self.sense()\n\n    def step" in applied(
        ObserveFirst(), source(alone.format(more="pass", update="self.sense()"), "Robot")
    )


@pytest.mark.parametrize(
    ("more", "update"),
    [
        ("self.sense()", "self.sense()"),
        ("pass", "self.sense(move)"),
        ("pass", "self.seen = self.sense()"),
        ("pass", "self.world.sense()"),
        ("pass", "self.unknown()"),
        ("pass", "if move: self.sense()"),
    ],
    ids=["done", "an argument", "a result", "another object", "unknown", "under a condition"],
)
def test_reset_stays_where_step_updates_otherwise(more: str, update: str) -> None:
    assert has_no_code(ObserveFirst(), source(ENGINE.format(more=more, update=update), "Robot"))


QUESTIONS = """\
    import random

    class Robot(Env):
        def __init__(self, {arguments}):
            {made}
            self.at = 0

        def reset(self, *, seed=None, options=None):
            {heeded}
            self.at += 1
"""
DRAWN = "self.order = random.Random(seed).sample(range(9), 9)"


def test_seed_begins_anew_what_the_constructor_began_with_one() -> None:
    where = source(QUESTIONS.format(arguments="seed=0", made=DRAWN, heeded="del seed"), "Robot")
    text = applied(SetBack("self.at"), where)
    assert (
        "        if seed is not None:\n"
        f"            {DRAWN}\n"
        "            self.at = 0\n"
        "        del seed\n"
    ) in text


@pytest.mark.parametrize(
    ("arguments", "made", "heeded"),
    [
        ("seed=0, size=3", DRAWN, "del seed"),
        ("size=3", "self.size = size", "del seed"),
        ("seed=0", "super().__init__(seed)", "del seed"),
        ("seed=0", "random.seed(seed)", "del seed"),
        ("seed=0", DRAWN, "super().reset(seed=seed)"),
    ],
    ids=["more arguments", "no seed", "it calls a base", "it does more", "it is heeded"],
)
def test_seed_of_reset_stays_where_more_depends_on_it(
    arguments: str, made: str, heeded: str
) -> None:
    where = source(QUESTIONS.format(arguments=arguments, made=made, heeded=heeded), "Robot")
    assert has_no_code(SetBack("self.at"), where)
