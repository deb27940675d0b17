"""A seed reaches what it is given for: the text after the edits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from envdoctor.model.environment_aims import (
    AcceptZero,
    CopyAction,
    CopyReturned,
    KeepSpace,
    OwnRandom,
    PassSeed,
    ReturnAll,
    ReturnNumber,
    SeedAll,
    SeedWhenGiven,
)
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, source


@pytest.mark.parametrize(
    ("parameters", "handed_on"),
    [
        ("*, seed=None, options=None", "seed=seed, options=options"),
        ("seed=None", "seed=seed"),
        ("**kwargs", "**kwargs"),
        ("*, seed=None, **others", "seed=seed, **others"),
    ],
)
def test_wrapper_hands_on_what_its_reset_takes(parameters: str, handed_on: str) -> None:
    text = applied(
        PassSeed("Frames"),
        source(f"""\
            class Frames(Wrapper):
                def reset(self, {parameters}):
                    view, info = self.env.reset()
                    self.camera.reset(3)
                    return view, info
        """),
    )
    assert f"view, info = self.env.reset({handed_on})" in text
    assert "self.camera.reset(3)" in text


PROXY = """\
class Proxy(gym.Env):
    def __init__(self, inner):
        self.inner = inner

    def reset(self):
        return self.inner.reset()


class Frames(Proxy):
    def step(self, action):
        return self.inner.step(action)
"""
SEEDED = "    def seed(self, seed=None):\n"


def test_class_that_holds_an_environment_gets_a_seed_that_hands_on() -> None:
    text = applied(PassSeed("Frames", "seed", "inner"), source(PROXY))
    first = f"{SEEDED}        return self.inner.seed(seed)\n"
    assert f"return self.inner.reset()\n\n{first}\n\nclass Frames" in text
    own = f"{SEEDED}        self.random = Random(seed)\n        return [seed]\n\n"
    before = PROXY.replace("    def reset", f"{own}    def reset")
    handed = own.replace("return [", "self.inner.seed(seed)\n        return [")
    assert applied(PassSeed("Frames", "seed", "inner"), source(before)) == before.replace(
        own, handed
    )


@pytest.mark.parametrize(
    ("method", "holds", "text"),
    [
        ("seed", "other", PROXY),
        ("seed", "inner", f"{PROXY}\n{SEEDED}        return self.inner.seed(seed or 1)\n"),
        ("seed", "inner", f"{PROXY}\n    def seed(self):\n        return []\n"),
        ("reset", "other", PROXY.replace("reset(self)", "reset(self, seed=None)")),
    ],
    ids=["it holds nothing", "it does already", "it takes no seed", "another is reset"],
)
def test_seed_that_cannot_be_handed_on_gets_no_code(method: str, holds: str, text: str) -> None:
    assert list(candidates(PassSeed("Frames", method, holds), source(text, "Frames"))) == []


@pytest.mark.parametrize(
    ("name", "reset"),
    [
        ("Frames", "def reset(self):\n        return self.env.reset()"),
        ("Frames", "def reset(self, seed=None):\n        return self.env.reset(seed=1)"),
        ("Frames", "def step(self, action):\n        return self.env.step(action)"),
        ("Other", "def reset(self, seed=None):\n        return self.env.reset()"),
    ],
)
def test_wrapper_that_has_no_seed_to_hand_on_gets_no_code(name: str, reset: str) -> None:
    where = source(f"class Frames(Wrapper):\n    {reset}\n")
    assert list(candidates(PassSeed(name), where)) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if seed:\n            self.go(seed)", "if seed is not None:"),
        ("if not seed:\n            self.go()", "if seed is None:"),
        ("self.go(1 if seed else 2)", "self.go(1 if seed is not None else 2)"),
        ("self.go(seed or draw())", "self.go(seed if seed is not None else draw())"),
        ("self.rng = seed or 7", "self.rng = (seed if seed is not None else 7)"),
        ("seed = seed or a or b", "seed = (seed if seed is not None else a or b)"),
    ],
)
def test_zero_is_a_seed(before: str, after: str) -> None:
    where = source(f"""\
class Arm(Env):
    def reset(self, seed=None, a=1, b=2, draw=int):
        {before}
""")
    assert after in applied(AcceptZero(), where)


def test_seed_that_is_compared_with_none_gets_no_code() -> None:
    where = source("""\
        class Arm(Env):
            def reset(self, seed=None):
                if seed is not None and self.seeds:
                    self.go(seed)
    """)
    assert list(candidates(AcceptZero(), where)) == []


@pytest.mark.parametrize(
    ("made", "draw", "drawn"),
    [
        ("np.random.RandomState()", "int(WORLD.randint(9))", "int(self.np_random.integers(9))"),
        ("np.random.default_rng(1)", "WORLD.integers(9)", "self.np_random.integers(9)"),
        (
            "random.Random()",
            "WORLD.randint(1, 9)",
            "int(self.np_random.integers(1, 9, endpoint=True))",
        ),
    ],
)
def test_generator_of_the_module_gives_way_to_the_own_one(made: str, draw: str, drawn: str) -> None:
    text = applied(
        OwnRandom("arm.WORLD"),
        source(f"""\
            import random
            import numpy as np
            from gymnasium import Env

            WORLD = {made}

            class Arm(Env):
                def reset(self, *, seed=None, options=None):
                    super().reset(seed=seed)
                    self.place = {draw}
                    return self.place, {{}}
        """),
    )
    assert f"        self.place = {drawn}\n" in text
    assert f"WORLD = {made}\n" in text


def test_value_of_the_module_that_is_not_a_generator_is_left() -> None:
    where = source("""\
        from gymnasium import Env

        WORLD = make()

        class Arm(Env):
            def reset(self, *, seed=None, options=None):
                return WORLD.draw(), {}
    """)
    assert not list(candidates(OwnRandom("arm.WORLD"), where))


OLD = """\
    import numpy as np

    class Arm(Env):
        def __init__(self):
            self.goals = np.random.default_rng()

        def seed(self, seed):
            self.goals = np.random.default_rng(seed)

        def reset(self, seed=None):
            {reset}
"""


@pytest.mark.parametrize("aim", [OwnRandom("self.goals"), SeedAll(("self.goals", "self.goals"))])
def test_reset_hands_its_seed_to_the_own_seed(aim: OwnRandom | SeedAll) -> None:
    where = source(OLD.format(reset="return self.goals.random()"))
    text = applied(aim, where, len(list(candidates(aim, where))) - 1)
    assert "        if seed is not None:\n            self.seed(seed)\n        return" in text


def test_seed_that_is_called_by_reset_is_not_called_again() -> None:
    where = source(OLD.format(reset="self.seed(seed)"))
    edits = [edit for found in candidates(OwnRandom("self.goals"), where) for edit in found]
    assert not any("    self.seed(seed)" in edit.lines for edit in edits)


STACK = """\
    class Pixels(Env):
        def reset(self, *, seed=None):
            return self.frame, {}

    class Stack(Wrapper):
        def reset(self, *, seed=None):
            return self.stacked if self.full else self.frame, {}

        def step(self, action):
            return self.env.step(action)
"""


def test_wrapper_returns_the_copy() -> None:
    where = source(STACK).of("Pixels")
    text = applied(CopyReturned("observation", owner="Stack"), where)
    assert "return (self.stacked if self.full else self.frame).copy(), {}" in text
    assert "            return self.frame, {}" not in text


def test_reward_is_returned_as_a_number() -> None:
    where = source("""\
        class Arm(Env):
            def step(self, action):
                if action is None:
                    return self.view, 0.0, True, False, {}
                return self.view, -np.abs(self.view), False, False, {}
    """)
    text = applied(ReturnNumber(), where)
    assert "return self.view, (-np.abs(self.view)).item(), False, False, {}" in text
    assert "return self.view, (0.0).item(), True" not in text
    text = applied(ReturnNumber(), where, 1)
    assert "return self.view, float(-np.abs(self.view)), False, False, {}" in text


def test_step_begins_with_a_copy_of_its_action() -> None:
    text = applied(CopyAction("Stack"), source(STACK))
    assert "    def step(self, action):\n        action = action.copy()\n" in text


@pytest.mark.parametrize(
    ("made", "test"),
    [
        ("self.rng = np.random.default_rng()", "if seed is not None:"),
        ("self.size = 3", 'if seed is not None or not hasattr(self, "rng"):'),
    ],
)
def test_generator_is_made_anew_where_a_seed_is_given(made: str, test: str) -> None:
    where = source(f"""\
        import numpy as np

        class Arm(Env):
            def __init__(self):
                {made}

            def reset(self, *, seed=None):
                self.rng = np.random.default_rng(self.start)
                return self.rng.random(), {{}}
    """)
    text = applied(SeedWhenGiven(), where)
    assert f"        {test}\n            self.rng = np.random.default_rng(self.start)\n" in text


def test_inherited_reset_gets_the_seed_that_was_given() -> None:
    where = source("""\
        class Arm(Env):
            def reset(self, *, seed=None):
                return super().reset(seed=self.start)
    """)
    assert "super().reset(seed=seed)" in applied(SeedWhenGiven(), where)


def test_generator_in_a_branch_is_made_anew_unless_a_seed_decides() -> None:
    text = """\
        class Arm(Env):
            def reset(self, *, seed=None):
                if self.keeps:
                    self.rng = np.random.default_rng(self.start)
    """
    mended = applied(SeedWhenGiven("Arm"), replace(source(text), class_name=""))
    assert 'if seed is not None or not hasattr(self, "rng"):\n                self.rng' in mended
    decided = text.replace("self.keeps", "seed is not None")
    assert not list(candidates(SeedWhenGiven(), source(decided)))


def test_reset_without_a_seed_is_left() -> None:
    where = source("""\
        class Arm(Env):
            def reset(self):
                self.rng = np.random.default_rng(3)
    """)
    assert not list(candidates(SeedWhenGiven(), where))


def test_all_is_returned_that_gymnasium_wants() -> None:
    where = source("""\
        class Arm(Env):
            def reset(self, *, seed=None):
                def size():
                    return 3
                if seed is None:
                    return self.view
                if self.inner:
                    return self.inner.reset()
                return self.view, {}

            def step(self, action):
                if self.lost:
                    return self.view, -1.0, True, {"lost": True}
                return self.view, 0.0, self.t > 9, False, {}
    """)
    text = applied(ReturnAll(), where)
    assert "    return self.view, {}\n        if self.inner:\n" in text
    assert "return 3\n" in text
    assert "return self.inner.reset()\n        return self.view, {}\n" in text
    assert 'return self.view, -1.0, True, False, {"lost": True}' in text
    assert "return self.view, 0.0, self.t > 9, False, {}" in text


def test_space_is_made_once() -> None:
    where = source("""\
        class Arm(Env):
            @property
            def action_space(self):
                return Box()

            def size(self):
                return 3
    """)
    text = applied(KeepSpace("action_space"), where)
    assert text.startswith("import functools\n")
    assert "    @functools.cached_property\n    def action_space(self):" in text
    assert not list(candidates(KeepSpace("size"), where))


FLEET = """\
    import numpy as np

    class Base(BaseEnv):
        def __init__(self, cfg):
            self.cfg = cfg

        def seed(self, seed, dynamic_seed=True):
            self._seed = seed

        def reset(self):
            return np.random.uniform(-1, 1)

    class Arm(Base):
        def __init__(self, cfg):
            {first}
            {second}
            self.place = 0
"""
MADE = "self._rng = np.random.default_rng()\n"


@pytest.mark.parametrize(
    ("first", "second", "in_base"),
    [
        ("super().__init__(cfg)", "pass", True),
        ("super(Arm, self).__init__(cfg)", "pass", True),
        ("self.place = self.reset()", "super().__init__(cfg)", False),
        ("self.cfg = cfg", "pass", False),
    ],
)
def test_base_that_draws_makes_the_generator_where_its_heirs_begin_with_it(
    first: str, second: str, in_base: bool
) -> None:
    where = source(FLEET.format(first=first, second=second), api="ding")
    text = applied(OwnRandom("numpy.random"), where)
    base, _, heir = text.partition("class Arm")
    assert (MADE in base, MADE in heir) == (in_base, not in_base)
    assert "        self._rng = np.random.default_rng(seed)\n        self._seed = seed\n" in base
    assert "return self._rng.uniform(-1, 1)" in base


def test_heir_that_draws_makes_the_generator_itself() -> None:
    text = FLEET.format(first="super().__init__(cfg)", second="self.x = np.random.uniform(0, 1)")
    where = source(text.replace("np.random.uniform(-1, 1)", "0"), api="ding")
    base, _, heir = applied(OwnRandom("numpy.random"), where).partition("class Arm")
    assert (MADE in base, MADE in heir) == (False, True)
