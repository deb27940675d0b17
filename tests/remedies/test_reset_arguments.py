"""reset() takes `seed` and `options`, and what an episode draws obeys the seed."""

from __future__ import annotations

import pytest

from envdoctor.model.failure_aims import TakeArguments
from envdoctor.remedies.composing import candidates
from tests.remedies.test_edits import applied, source

PLAIN = """\
    import random

    import numpy as np


    class Arm(gymnasium.Env):
        def __init__(self):
            {made}

        def reset(self{arguments}):
            {first}
            return self.look(), {{}}

        def look(self):
            return {drawn}
"""
WITHOUT = "self.count = 0"


def plain(
    arguments: str = "", first: str = WITHOUT, drawn: str = "self.count", made: str = WITHOUT
) -> str:
    """A class with such a reset()."""
    return PLAIN.format(arguments=arguments, first=first, drawn=drawn, made=made)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ", *, seed=None, options=None"),
        (", seed=None", ", seed=None, options=None"),
        (", *, seed=None", ", *, seed=None, options=None"),
        (", options=None", ", options=None, seed=None"),
        (", level=0", ", level=0, *, seed=None, options=None"),
        (", level: int = 0", ", level: int = 0, *, seed=None, options=None"),
        (", level: int", ", level: int, *, seed=None, options=None"),
        (", *levels", ", *levels, seed=None, options=None"),
    ],
)
def test_both_are_taken_beside_other_arguments(before: str, after: str) -> None:
    text = applied(TakeArguments(), source(plain(before)))
    assert f"    def reset(self{after}):\n" in text
    is_seeded = "seed" not in before
    assert text.count("super().reset(seed=seed)\n") == is_seeded


@pytest.mark.parametrize("arguments", [", *, seed=None, options=None", ", **kwargs"])
def test_reset_that_takes_both_is_left(arguments: str) -> None:
    assert not [*candidates(TakeArguments(), source(plain(arguments)))]


@pytest.mark.parametrize(
    ("made", "drawn", "after"),
    [
        (WITHOUT, "np.random.uniform()", "return self.np_random.uniform()"),
        (WITHOUT, "random.random()", "return self.np_random.random()"),
        (
            "self.rng = np.random.default_rng()",
            "self.rng.random()",
            "if seed is not None:\n            self.rng = np.random.default_rng(seed)",
        ),
    ],
)
def test_draws_obey_the_seed_that_is_taken(made: str, drawn: str, after: str) -> None:
    where = source(plain(made=made, drawn=drawn))
    assert after in applied(TakeArguments(), where)
    (*_, alone) = candidates(TakeArguments(), where)
    assert {line for edit in alone for line in edit.lines} == {
        "def reset(self, *, seed=None, options=None):",
        "super().reset(seed=seed)",
    }


def test_own_seed_is_called_by_reset() -> None:
    text = applied(
        TakeArguments(),
        source("""\
            class Arm(gymnasium.Env):
                def seed(self, seed=None):
                    self.rng = np.random.RandomState(seed)

                def reset(self):
                    return self.rng.uniform(), {}
        """),
    )
    assert text.count("RandomState(seed)") == 1
    assert "        if seed is not None:\n            self.seed(seed)\n" in text


def test_inherited_reset_and_that_of_what_is_wrapped_get_both() -> None:
    heir = """\
        class Base(gymnasium.Env):
            def reset(self):
                return 0, {}

        class Arm(Base):
            def reset(self):
                observation, info = super().reset()
                return observation, info
    """
    text = applied(TakeArguments(), source(heir))
    assert "observation, info = super().reset(seed=seed, options=options)" in text
    assert text.count("def reset(self, *, seed=None, options=None):") == 2
    assert text.count("super().reset(seed=seed)\n") == 1
    wrapper = """\
        class Bonus(gymnasium.Wrapper):
            def reset(self):
                self.total = 0
                return self.env.reset()

        class Arm(gymnasium.Env):
            def reset(self):
                return 0, {}
    """
    text = applied(TakeArguments("Bonus"), source(wrapper))
    assert "return self.env.reset(seed=seed, options=options)" in text
    assert text.count("def reset(self):") == 1


def test_inherited_reset_that_takes_the_seed_is_called() -> None:
    where = source("""\
        class Base(gymnasium.Env):
            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                return 0, {}

        class Arm(Base):
            def reset(self):
                self.steps = 0
                return 1, {}
    """)
    text = applied(TakeArguments(), where)
    assert text.endswith(
        "    def reset(self, *, seed=None, options=None):\n"
        "        super().reset(seed=seed)\n        self.steps = 0\n        return 1, {}\n"
    )
    assert text.count("super().reset(seed=seed)") == 2
    assert applied(TakeArguments(), where, 1).count("super().reset(seed=seed)") == 1
